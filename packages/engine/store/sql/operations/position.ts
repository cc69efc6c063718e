import { Refusal } from "compositor-core/message/refusal"

/** Positions compare as strings; the default is 16 digits of milliseconds and `:a0` (QUE-005). */
export function positionAt(queued_at: number): string {
  return `${String(queued_at).padStart(16, "0")}:a0`
}

// Positions compare as strings. One between two others is the left one with a longer tail; first
// place is found by counting down the right one's milliseconds, or its last character.
export function between(left: string, right: string | null): string {
  if (left !== "") return middle(left, right)
  if (right === null) return positionAt(0)
  const milliseconds = Number(right.slice(0, 16))
  const earlier = positionAt(milliseconds >= 1 ? Math.ceil(milliseconds) - 1 : 0)
  return earlier < right ? earlier : lowered(right)
}

function lowered(right: string): string {
  const last = right.charCodeAt(right.length - 1)
  return middle(`${right.slice(0, -1)}${String.fromCharCode(last - 1)}`, right)
}

function middle(left: string, right: string | null): string {
  for (let tail = "n"; ; tail = `0${tail}`) {
    const candidate = `${left}${tail}`
    if (right === null || candidate < right) return candidate
    if (tail.length > 64) throw new Refusal("conflict", "there is no room between these messages")
  }
}
