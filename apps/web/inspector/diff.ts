import { diffArrays } from "diff"

/** One line of a comparison. */
export interface DiffLine {
  readonly type: "same" | "gone" | "new"
  readonly text: string
}

/** Texts that take longer to compare are shown one after the other. */
const MAX_MILLISECONDS = 300
const SHOWN_AROUND = 3

/** Two texts line by line, by their shortest difference. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [left, right] = [before.split("\n"), after.split("\n")]
  const changes = diffArrays(left, right, { timeout: MAX_MILLISECONDS }) ?? [
    { value: left, added: false, removed: true },
    { value: right, added: true, removed: false },
  ]
  return changes.flatMap(({ value, added, removed }) =>
    value.map((text): DiffLine => ({ type: added ? "new" : removed ? "gone" : "same", text })),
  )
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
