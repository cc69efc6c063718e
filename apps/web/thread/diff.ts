/** One line of a comparison. */
export interface DiffLine {
  readonly type: "same" | "gone" | "new"
  readonly text: string
}

const MAX_LINES = 3_000
const SHOWN_AROUND = 3

/** Two texts line by line, by their longest common sequence; past `MAX_LINES` only the ends are
 *  compared. */
export function diffLines(before: string, after: string): DiffLine[] {
  const left = before.split("\n")
  const right = after.split("\n")
  const most = Math.min(left.length, right.length)
  let start = 0
  while (start < most && left[start] === right[start]) start++
  let end = 0
  while (end < most - start && left.at(-1 - end) === right.at(-1 - end)) end++
  const middle = compare(
    left.slice(start, left.length - end),
    right.slice(start, right.length - end),
  )
  return [...left.slice(0, start).map(same), ...middle, ...left.slice(left.length - end).map(same)]
}

/** Only what changed, with a few lines around it; null is a gap. */
export function withoutSame(lines: readonly DiffLine[]): (DiffLine | null)[] {
  const kept = lines.map((_, at) =>
    lines.slice(Math.max(0, at - SHOWN_AROUND), at + SHOWN_AROUND + 1).some(isChange),
  )
  return lines.flatMap((line, at) => {
    if (kept[at]) return [line]
    return kept[at - 1] || (at === 0 && kept.includes(true)) ? [null] : []
  })
}

function isChange({ type }: DiffLine): boolean {
  return type !== "same"
}

function same(text: string): DiffLine {
  return { type: "same", text }
}

function compare(left: readonly string[], right: readonly string[]): DiffLine[] {
  if (left.length > MAX_LINES || right.length > MAX_LINES) return replaced(left, right)
  const width = right.length + 1
  const common = new Uint16Array((left.length + 1) * width)
  for (let a = left.length - 1; a >= 0; a--)
    for (let b = right.length - 1; b >= 0; b--)
      common[a * width + b] =
        left[a] === right[b]
          ? (common[(a + 1) * width + b + 1] ?? 0) + 1
          : Math.max(common[(a + 1) * width + b] ?? 0, common[a * width + b + 1] ?? 0)
  return walk(left, right, common)
}

function walk(left: readonly string[], right: readonly string[], common: Uint16Array): DiffLine[] {
  const width = right.length + 1
  const lines: DiffLine[] = []
  let a = 0
  let b = 0
  while (a < left.length && b < right.length) {
    if (left[a] === right[b]) {
      lines.push(same(left[a] ?? ""))
      a++
      b++
    } else if ((common[(a + 1) * width + b] ?? 0) >= (common[a * width + b + 1] ?? 0))
      lines.push({ type: "gone", text: left[a++] ?? "" })
    else lines.push({ type: "new", text: right[b++] ?? "" })
  }
  return [...lines, ...replaced(left.slice(a), right.slice(b))]
}

function replaced(left: readonly string[], right: readonly string[]): DiffLine[] {
  return [
    ...left.map((text): DiffLine => ({ type: "gone", text })),
    ...right.map((text): DiffLine => ({ type: "new", text })),
  ]
}
