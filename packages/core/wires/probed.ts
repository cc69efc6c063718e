import { readCount, type JsonRecord, record } from "./read.ts"

/** What servers say of their models, read without trust. */

/** Text, and each sense that is said to be there: by `true`, or by `{ "supported": true }`. */
export function readSenses(has: JsonRecord): string[] {
  return ["text", ...Object.keys(has).filter((sense) => isSupported(has[sense]))]
}

export function isSupported(value: unknown): boolean {
  return value === true || record(value)?.supported === true
}

export function readFlag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined
}

/** A number of tokens; nothing is known of a model that is said to take none. */
export function readTokens(value: unknown): number | undefined {
  return readCount(value) || undefined
}
