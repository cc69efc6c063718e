import type { Value } from "../sql/program.ts"
import { numberPlaceholders, sendable } from "./dialect.ts"

/** One statement in the stead of several that differ in their values only. */
interface Merged {
  readonly sql: string
  readonly values: readonly Value[]
  readonly answers: MergedResult
}

/** What it tells of each: rows, before each the number of the one it is for; of those whose first value
 *  is their id, which were new; or nothing. */
export type MergedResult = "rows" | "ids" | "nothing"

/** Longer values are sent as they are, and not copied into an array first. */
const MAX_VALUE_CHARS = 256 * 1024

/** Undefined where they must be sent one by one. `wanted`: somebody waits for what comes of them. */
export function mergeStatements(
  sql: string,
  given: readonly (readonly Value[])[],
  wanted: boolean,
): Merged | undefined {
  const form = formOf(sql)
  if (!form || (wanted && form.answers === "nothing")) return undefined
  const kinds = kindsOf(given)
  if (!kinds || !mayHave(form, kinds) || !areDifferent(form, given)) return undefined
  const lists = kinds.flatMap((kind, place) =>
    kind === "NULL"
      ? []
      : [
          arrayOf(
            given.map((values) => sendable(values[place] ?? null)),
            kind,
          ),
        ],
  )
  return { sql: textOf(form, kinds), values: lists, answers: form.answers }
}

interface Form {
  readonly answers: MergedResult
  /** The place of the row's key, where one statement must not be about the same row twice. */
  readonly key?: number
  readonly needsAll?: true
  /** The statement over all that is given; `value` says what stands in a place. */
  readonly over: (source: Source, value: (text: string) => string) => string
}

interface Source {
  readonly rows: string
  readonly names: string
}

const forms = new Map<string, Form | undefined>()

function formOf(sql: string): Form | undefined {
  if (!forms.has(sql)) forms.set(sql, question(sql) ?? update(sql) ?? insert(sql) ?? common(sql))
  return forms.get(sql)
}

/** How many rows are wanted cannot differ from one to the other. */
const OWN_LIMIT = /\b(LIMIT|OFFSET) \?/

function question(sql: string): Form | undefined {
  if (!sql.startsWith("SELECT") || OWN_LIMIT.test(sql)) return undefined
  return {
    answers: "rows",
    // The offset keeps the planner from making a join of it: each is looked for by itself, in order.
    over: ({ rows, names }, value) => `SELECT given.number, found.*
      FROM ${rows} WITH ORDINALITY AS given (${names}, number)
      CROSS JOIN LATERAL (${value(sql)} OFFSET 0) AS found`,
  }
}

const UPDATE = /^UPDATE (\w+) SET ((?:(?!WHERE|RETURNING|SELECT)[\s\S])+?)\s+WHERE id = \?$/

function update(sql: string): Form | undefined {
  const [, table, set] = UPDATE.exec(sql) ?? []
  if (table === undefined || set === undefined) return undefined
  const key = set.split("?").length - 1
  return {
    answers: "nothing",
    key,
    over: ({ rows, names }, value) => `UPDATE ${table} SET ${value(set)}
      FROM ${rows} AS given (${names}) WHERE ${table}.id = given.v${key}`,
  }
}

const INSERT =
  /^INSERT INTO (\w+) \(([^()]+)\)\s+VALUES \(([^()]+)\)(\s+ON CONFLICT (?:\(\w+\) )?DO NOTHING)?$/

function insert(sql: string): Form | undefined {
  const [, table, columns, values, conflict = ""] = INSERT.exec(sql) ?? []
  if (table === undefined || columns === undefined || values === undefined) return undefined
  const hasId = columns.startsWith("id,") && values.startsWith("?,")
  return {
    answers: hasId ? "ids" : "nothing",
    ...(hasId ? { key: 0 } : {}),
    over: ({ rows, names }, value) => `INSERT INTO ${table} (${columns})
      SELECT ${value(values)} FROM ${rows} AS given (${names})${conflict}
      ${hasId ? "RETURNING id" : ""}`,
  }
}

/** One that begins with the values it is about, as rows of their own. */
const COMMON = /^WITH given \([^()]+\) AS \(VALUES \((?:CAST\(\? AS \w+\)(?:, )?)+\)\)/

function common(sql: string): Form | undefined {
  const [head] = COMMON.exec(sql) ?? []
  if (head === undefined || sql.slice(head.length).includes("?")) return undefined
  const columns = head.slice(0, head.indexOf(" AS "))
  return {
    answers: "nothing",
    key: 0,
    needsAll: true,
    over: ({ rows }) => `${columns} AS (SELECT * FROM ${rows})${sql.slice(head.length)}`,
  }
}

function mayHave({ needsAll }: Form, kinds: readonly Kind[]): boolean {
  if (needsAll && kinds.includes("NULL")) return false
  return kinds.some((kind) => kind !== "NULL")
}

function areDifferent({ key }: Form, given: readonly (readonly Value[])[]): boolean {
  return key === undefined || new Set(given.map((values) => values[key])).size === given.length
}

type Kind = "TEXT" | "BIGINT" | "DOUBLE PRECISION" | "NULL"

/** What stands in each place, when it is the same for all. */
function kindsOf(given: readonly (readonly Value[])[]): readonly Kind[] | undefined {
  const kinds: Kind[] = []
  for (let place = 0; place < (given[0]?.length ?? 0); place++) {
    const kind = kindIn(given, place)
    if (kind === undefined) return undefined
    kinds.push(kind)
  }
  return kinds
}

function kindIn(given: readonly (readonly Value[])[], place: number): Kind | undefined {
  let kind: Kind = "NULL"
  for (const values of given) {
    const own = kindOf(values[place] ?? null)
    if (own === undefined) return undefined
    if (own === "NULL" || own === kind) continue
    if (kind !== "NULL") return undefined
    kind = own
  }
  return kind
}

function kindOf(value: Value): Kind | undefined {
  if (value === null) return "NULL"
  if (typeof value === "string") return value.length > MAX_VALUE_CHARS ? undefined : "TEXT"
  if (typeof value !== "number") return undefined
  return Number.isSafeInteger(value) ? "BIGINT" : "DOUBLE PRECISION"
}

const texts = new WeakMap<Form, Map<string, string>>()

function textOf(form: Form, kinds: readonly Kind[]): string {
  const own = texts.get(form) ?? new Map<string, string>()
  const key = kinds.join()
  const text = own.get(key) ?? made(form, kinds)
  texts.set(form, own.set(key, text))
  return text
}

function made(form: Form, kinds: readonly Kind[]): string {
  const places = kinds.flatMap((kind, place) => (kind === "NULL" ? [] : [{ kind, place }]))
  const rows = `unnest(${places.map(({ kind }) => `CAST(? AS ${kind}[])`).join(", ")})`
  const names = places.map(({ place }) => `v${place}`).join(", ")
  const value = (text: string) =>
    numberPlaceholders(text, (place) => (kinds[place] === "NULL" ? "NULL" : `given.v${place}`))
  return form.over({ rows, names }, value)
}

/** The types of elements as the wire numbers them. */
const NUMBERS = { TEXT: 25, BIGINT: 20, "DOUBLE PRECISION": 701 } as const
const HEAD_BYTES = 20
const NO_VALUE = -1

/** A list as the wire has it: as text every quotation mark in it would be escaped. */
function arrayOf(values: readonly Value[], kind: Exclude<Kind, "NULL">): Uint8Array {
  const sizes = values.map((value) => sizeOf(value))
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + sizes.reduce((sum, size) => sum + 4 + size, 0))
  let at = 0
  for (const number of [1, values.includes(null) ? 1 : 0, NUMBERS[kind], values.length, 1])
    at = bytes.writeInt32BE(number, at)
  for (const [index, value] of values.entries()) {
    const size = sizes[index] ?? 0
    at = bytes.writeInt32BE(value === null ? NO_VALUE : size, at)
    if (typeof value === "string") bytes.write(value, at)
    else if (kind === "BIGINT" && value !== null) bytes.writeBigInt64BE(BigInt(Number(value)), at)
    else if (value !== null) bytes.writeDoubleBE(Number(value), at)
    at += size
  }
  return bytes
}

function sizeOf(value: Value): number {
  if (value === null) return 0
  return typeof value === "string" ? Buffer.byteLength(value) : 8
}
