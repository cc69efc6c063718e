import { Refusal } from "../../../message/refusal.ts"

/** Positions compare as strings; the default is 16 digits of milliseconds and `:a0` (QUE-005). */
export function positionAt(queued_at: number): string {
  return `${String(queued_at).padStart(16, "0")}:a0`
}

// Positions compare as strings. One between two others is the left one with a longer tail; first
// place is found by counting down the right one's milliseconds.
export function between(left: string, right: string | null): string {
  if (left !== "") return middle(left, right)
  if (right === null) return positionAt(0)
  return positionAt(Math.max(Number(right.slice(0, 16)) - 1, 0))
}

function middle(left: string, right: string | null): string {
  for (let tail = "n"; ; tail = `0${tail}`) {
    const candidate = `${left}${tail}`
    if (right === null || candidate < right) return candidate
    if (tail.length > 64) throw new Refusal("conflict", "there is no room between these messages")
  }
}
