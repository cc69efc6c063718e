import { errorCode } from "compositor-core/message/untyped"
import { Refusal } from "compositor-core/message/refusal"

/** Another node brought the database to a later version: what this connection has prepared is void. */
export const CHANGED_SCHEMA = "0A000"

/** What PostgreSQL said, by its code; what the network said has another. */
export function codeOf(error: unknown): string {
  return errorCode(error) ?? ""
}

/** Somebody else was quicker, and one of two had to give way: run again, it sees what the other did. */
export function isOvertaken(error: unknown): boolean {
  return OVERTAKEN.has(codeOf(error))
}

const OVERTAKEN: ReadonlySet<string> = new Set([
  "40001", // serialization failure
  "40P01", // deadlock
  "23505", // the row is there by now
  "23503", // the row it refers to has gone by now
])

/** The connection went, or could not be made: the statement may be at fault for nothing. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error)
  if (code === "") return LOST.test(String(error))
  return /^(08|57P0)/.test(code) || /^E[A-Z]{3,}$/.test(code) || GONE.has(code)
}

const GONE: ReadonlySet<string> = new Set([
  "25P03", // it was silent for too long in the middle of a transaction
  CHANGED_SCHEMA,
])

/** Nobody can say whether it was stored: it must not be tried again by us. */
export class Undecided extends Refusal {
  constructor() {
    super(
      "storage_failed",
      "the database went away while this was stored, and does not say whether it was: send it again",
    )
  }
}

/** As `pg` puts it where it has no code. */
const LOST =
  /connection (is closed|terminated)|closed the connection|timeout expired|not queryable/i

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error })
}

export function notStored(name: string, error: unknown): Error {
  if (error instanceof Refusal) return error
  const code = codeOf(error)
  const lost = isLost(error)
  if (code === "" && !lost) return asError(error)
  const why = lost ? `the database cannot be reached: ${sentence(error)}` : sentence(error)
  return new Refusal("storage_failed", `${name} was not stored: ${why}`)
}

export function notRead(name: string, error: unknown): Error {
  if (error instanceof Refusal) return error
  if (codeOf(error) === "" && !isLost(error)) return asError(error)
  return new Refusal("storage_failed", `${name} could not be read: ${sentence(error)}`)
}

function sentence(error: unknown): string {
  const code = codeOf(error)
  const message = error instanceof Error && error.message ? error.message : "no answer"
  return code === "" ? message : `${message} (${code})`
}
