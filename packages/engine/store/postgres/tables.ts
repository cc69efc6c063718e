import { createHash } from "node:crypto"
import type { SqliteConnection } from "../sqlite/connection.ts"
import type { Value } from "../sql/program.ts"
import { tablesAfter } from "../sql/released.ts"
import { MIGRATIONS } from "../sql/schema.ts"

/** A table as both engines have it. */
export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** What its rows are told apart by, and read in the order of. */
  readonly key: readonly string[]
}

/** Every table of the schema, each behind those that it refers to, as a SQLite database has it. */
export function tablesOf(database: SqliteConnection): Table[] {
  const names = tablesAfter(MIGRATIONS.length)
  return names.map((name) => {
    const columns = database
      .prepare<[string], Column>("SELECT name, pk FROM pragma_table_info(?)")
      .all(name)
    const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
    return {
      name,
      columns: columns.map((column) => column.name),
      key: key.length > 0 ? key.map((column) => column.name) : uniqueKey(database, name),
    }
  })
}

interface Column {
  readonly name: string
  readonly pk: number
}

function uniqueKey(database: SqliteConnection, table: string): string[] {
  const rows = database
    .prepare<[string], { name: string }>(
      `SELECT info.name FROM pragma_index_info((SELECT name FROM pragma_index_list(?)
         WHERE "unique" = 1 AND partial = 0 LIMIT 1)) AS info ORDER BY info.seqno`,
    )
    .all(table)
  if (rows.length === 0) throw new Error(`the rows of ${table} cannot be told apart`)
  return rows.map(({ name }) => name)
}

/** All rows in the order of their key, in words that both engines understand. */
export function selectAll({ name, columns, key }: Table): string {
  return `SELECT ${quoted(columns)} FROM ${name} ORDER BY ${quoted(key)}`
}

export function insertInto({ name, columns }: Table): string {
  return `INSERT INTO ${name} (${quoted(columns)}) VALUES (${columns.map(() => "?").join(", ")})`
}

function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(", ")
}

/** A digest of rows that is the same wherever they are kept. */
export class RowsDigest {
  readonly #hash = createHash("sha256")

  add(values: readonly Value[]) {
    const told = values.map((value) =>
      value instanceof Uint8Array ? { bytes: Buffer.from(value).toString("base64") } : value,
    )
    this.#hash.update(`${JSON.stringify(told)}\n`)
  }

  end(): string {
    return this.#hash.digest("hex")
  }
}
