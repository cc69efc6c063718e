import type { Editor } from "@earendil-works/pi-tui"

/** How pi-tui cuts a line into what moves, is deleted and wraps as one. It keeps the marks of its own
 *  pastes whole there. */
interface Cutting {
  segment(text: string, mode?: string): Iterable<Intl.SegmentData>
}

/** Let the editor pass, delete and wrap each of these marks as if it were one letter. Were pi-tui to cut
 *  lines elsewhere, a mark could be damaged; whoever saves is told of it then. */
export function keepWhole(editor: Editor, marks: () => readonly string[]) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the editor keeps to itself how it cuts
  const cutting = editor as unknown as Cutting
  const cut = cutting.segment.bind(editor)
  cutting.segment = (text, mode) => joined(cut(text, mode), text, marks())
}

function joined(
  segments: Iterable<Intl.SegmentData>,
  text: string,
  marks: readonly string[],
): Iterable<Intl.SegmentData> {
  const places = marks.flatMap((mark) => {
    const from = text.indexOf(mark)
    return from < 0 ? [] : [{ from, to: from + mark.length }]
  })
  if (places.length === 0) return segments
  const whole: Intl.SegmentData[] = []
  for (const segment of segments) {
    const place = places.find(({ from, to }) => from <= segment.index && segment.index < to)
    if (!place) whole.push(segment)
    else if (segment.index === place.from)
      whole.push({ ...segment, segment: text.slice(place.from, place.to), input: text })
  }
  return whole
}
