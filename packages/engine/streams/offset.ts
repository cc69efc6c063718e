/** A place in a stream: how many units come before it. A unit is a message of a JSON stream and a byte
 *  of any other. */
export type StreamOffsetPosition = number

const DIGITS = 16
const FIRST_HALF = "0".repeat(DIGITS)
const OFFSET = /^(\d{16})_(\d{16})$/

/** The token that stands for a place. Tokens sort as places do. */
export function printOffset(position: StreamOffsetPosition): string {
  return `${FIRST_HALF}_${String(position).padStart(DIGITS, "0")}`
}

export function parseOffset(text: string): StreamOffsetPosition | undefined {
  const [, first, second] = OFFSET.exec(text) ?? []
  if (first !== FIRST_HALF || second === undefined) return undefined
  const position = Number(second)
  return Number.isSafeInteger(position) ? position : undefined
}

/** What a reader may ask for beside a place it was told of. */
export const START = "-1"
export const NOW = "now"
