/** More differing lines than this are not followed up: the file itself says it shorter. */
const MAX_EDITS = 600
const CONTEXT_LINES = 3

/** The difference of two texts by lines, in the unified form without its two file names; the empty
 *  text when there is none, undefined when they have too little in common. */
export function unifiedDiff(before: string, after: string): string | undefined {
  const edits = script(linesOf(before), linesOf(after))
  if (!edits) return undefined
  return hunksOf(edits).map(printHunk).join("")
}

/** Lines with their breaks, so that a last line without one is another line. */
function linesOf(text: string): string[] {
  return text === "" ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
}

interface Edit {
  readonly mark: " " | "-" | "+"
  readonly line: string
}

/** The shortest script, by Myers' greedy walk. After so many edits, how far into the old text each
 *  diagonal reaches: diagonal 0 stands in the middle. */
function script(before: readonly string[], after: readonly string[]): Edit[] | undefined {
  const most = Math.min(MAX_EDITS, before.length + after.length)
  const middle = most + 1
  const reach = new Int32Array(2 * middle + 1).fill(-1)
  reach[middle + 1] = 0
  const trace: Int32Array[] = []
  for (let depth = 0; depth <= most; depth++) {
    trace.push(reach.slice(middle - depth - 1, middle + depth + 2))
    for (let diagonal = -depth; diagonal <= depth; diagonal += 2) {
      let x = stepTo(reach, middle + diagonal).x
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal])
        x += 1
      reach[middle + diagonal] = x
      if (x >= before.length && x - diagonal >= after.length) return backtrack(before, after, trace)
    }
  }
  return undefined
}

/** The way onto a diagonal that leads furthest: a line more of the new text, or one less of the old. */
function stepTo(reach: Int32Array, at: number) {
  const below = reach[at + 1] ?? -1
  const above = reach[at - 1] ?? -1
  const inserted = above < below
  return { inserted, x: inserted ? below : above + 1 }
}

function backtrack(
  before: readonly string[],
  after: readonly string[],
  trace: readonly Int32Array[],
): Edit[] {
  const edits: Edit[] = []
  let x = before.length
  let y = after.length
  for (let depth = trace.length - 1; depth >= 0; depth--) {
    const diagonal = x - y
    const reach = trace[depth] ?? new Int32Array()
    const step = stepTo(reach, depth + 1 + diagonal)
    const start = depth === 0 ? 0 : step.x
    while (x > start) {
      x -= 1
      y -= 1
      edits.push({ mark: " ", line: before[x] ?? "" })
    }
    if (depth === 0) break
    if (step.inserted) edits.push({ mark: "+", line: after[--y] ?? "" })
    else edits.push({ mark: "-", line: before[--x] ?? "" })
  }
  return edits.toReversed()
}

interface Hunk {
  readonly before: number
  readonly after: number
  readonly edits: readonly Edit[]
}

function hunksOf(edits: readonly Edit[]): Hunk[] {
  const near = nearChanges(edits)
  const hunks: Hunk[] = []
  let current: Edit[] = []
  let before = 1
  let after = 1
  edits.forEach((edit, at) => {
    if (near[at]) current.push(edit)
    if (near[at] && !near[at + 1]) {
      hunks.push(hunkOf(current, before, after, edit))
      current = []
    }
    if (edit.mark !== "+") before += 1
    if (edit.mark !== "-") after += 1
  })
  return hunks
}

function nearChanges(edits: readonly Edit[]): boolean[] {
  const near = edits.map(() => false)
  edits.forEach(({ mark }, at) => {
    if (mark === " ") return
    const end = Math.min(edits.length - 1, at + CONTEXT_LINES)
    for (let index = Math.max(0, at - CONTEXT_LINES); index <= end; index++) near[index] = true
  })
  return near
}

/** `before` and `after` are the numbers of the last line's place; the hunk begins that much earlier. */
function hunkOf(edits: readonly Edit[], before: number, after: number, last: Edit): Hunk {
  const old = edits.filter(({ mark }) => mark !== "+").length - (last.mark === "+" ? 0 : 1)
  const fresh = edits.filter(({ mark }) => mark !== "-").length - (last.mark === "-" ? 0 : 1)
  return { before: before - old, after: after - fresh, edits }
}

function printHunk({ before, after, edits }: Hunk): string {
  const old = edits.filter(({ mark }) => mark !== "+").length
  const fresh = edits.filter(({ mark }) => mark !== "-").length
  const head = `@@ -${place(before, old)} +${place(after, fresh)} @@\n`
  return head + edits.map(printEdit).join("")
}

// An empty side is said to lie behind the line before it.
function place(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`
}

function printEdit({ mark, line }: Edit): string {
  return line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`
}
