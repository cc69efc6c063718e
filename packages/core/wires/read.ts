/** JSON from outside, read without trust: what is not of the kind that was asked for is not
 *  there. */
export type JsonRecord = Readonly<Record<string, unknown>>

export function parseJsonRecord(text: string): JsonRecord | undefined {
  try {
    return record(JSON.parse(text))
  } catch {
    return undefined
  }
}

export function record(value: unknown): JsonRecord | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a list is asked for its fields too, and has none
  return typeof value === "object" && value !== null ? (value as JsonRecord) : undefined
}

export function records(value: unknown): JsonRecord[] {
  if (!Array.isArray(value)) return []
  return value.map(record).filter((item) => item !== undefined)
}

export function readString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

/** A number of tokens; `before` when there is none. */
export function readCount(value: unknown, before = 0): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : before
}
