/** An object whose fields nobody has looked at; a list is none. */
export type UntypedRecord = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is UntypedRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The value itself where it is an object, and one without fields where it is anything else. */
export function recordOf(value: unknown): UntypedRecord {
  return isRecord(value) ? value : {}
}

/** What an error says, whatever was thrown. */
export function errorMessage(error: unknown): string {
  const { message } = recordOf(error)
  return typeof message === "string" ? message : String(error)
}

/** The code that the system or a library gave an error, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  const { code } = recordOf(error)
  return typeof code === "string" ? code : undefined
}

/** Where an error was thrown, for a log. */
export function errorStack(error: unknown): string {
  const { stack } = recordOf(error)
  return typeof stack === "string" ? stack : String(error)
}

/** The names of a table that has no others: what was written out in one place. */
export function namesOf<Table extends object>(table: Table): (keyof Table & string)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets the names
  return Object.keys(table) as (keyof Table & string)[]
}
