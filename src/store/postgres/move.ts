import { createHash, type Hash } from "node:crypto"
import { type Connection, openForReading, openForWriting } from "../sqlite/connection.ts"
import { MIGRATIONS } from "../sql/schema.ts"
import type { Value } from "../sql/program.ts"
import { sendable } from "./dialect.ts"
import { Link } from "./link.ts"
import { migrate } from "./migrate.ts"

export interface Move {
  /** The SQLite database. */
  readonly file: string
  readonly url: string
  readonly progress: (done: number, total: number) => void
}

export interface Moved {
  readonly rows: number
  readonly tables: readonly {
    readonly name: string
    readonly rows: number
    readonly digest: string
  }[]
}

/** So many rows are on their way at once. */
const WINDOW = 500

interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** What its rows are told apart by, and read in the order of. */
  readonly key: readonly string[]
  readonly rows: number
}

/** Copy every row of a SQLite database into an empty PostgreSQL one, in one transaction: it commits
 *  only when each table, read back, has the digest of what was sent. */
export async function moveToPostgres({ file, url, progress }: Move): Promise<Moved> {
  // Brings it to this version, so that both have the same columns.
  openForWriting(file).close()
  const source = openForReading(file)
  const link = await Link.open(url, "compositor migrate")
  try {
    await migrate(link)
    source.exec("BEGIN")
    const tables = tablesOf(source)
    await link.say("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0")
    await refuseFilled(link, tables)
    const total = tables.reduce((sum, { rows }) => sum + rows, 0)
    let done = 0
    const moved: Moved["tables"][number][] = []
    for (const table of tables) {
      const digest = await copied(source, link, table, () => progress(++done, total))
      await compare(link, table, digest)
      moved.push({ name: table.name, rows: table.rows, digest })
    }
    await link.say(NEXT_IDS)
    await link.say("COMMIT")
    return { rows: total, tables: moved }
  } finally {
    source.close()
    link.close()
  }
}

// A table is created behind those that it refers to.
function tablesOf(source: Connection): Table[] {
  const names = MIGRATIONS.flatMap((migration) =>
    [...migration.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name ?? ""),
  )
  return names.map((name) => {
    const columns = source
      .prepare("SELECT name, pk FROM pragma_table_info(?)")
      .all(name) as Column[]
    const { count } = source.prepare(`SELECT count(*) AS count FROM ${name}`).get() as {
      count: number
    }
    const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
    return {
      name,
      columns: columns.map((column) => column.name),
      key: key.length > 0 ? key.map((column) => column.name) : uniqueKey(source, name),
      rows: count,
    }
  })
}

interface Column {
  readonly name: string
  readonly pk: number
}

function uniqueKey(source: Connection, table: string): string[] {
  const rows = source
    .prepare(
      `SELECT info.name FROM pragma_index_info((SELECT name FROM pragma_index_list(?)
         WHERE "unique" = 1 AND partial = 0 LIMIT 1)) AS info ORDER BY info.seqno`,
    )
    .all(table) as { name: string }[]
  if (rows.length === 0) throw new Error(`the rows of ${table} cannot be told apart`)
  return rows.map(({ name }) => name)
}

async function refuseFilled(link: Link, tables: readonly Table[]) {
  for (const { name } of tables) {
    const { rows } = await link.ask(`SELECT 1 FROM ${name} LIMIT 1`)
    if (rows.length > 0)
      throw new Error(`the database is not empty: there are rows in ${name} already`)
  }
}

async function copied(
  source: Connection,
  link: Link,
  table: Table,
  step: () => void,
): Promise<string> {
  const { name, columns, key } = table
  const list = quoted(columns)
  const insert = `INSERT INTO ${name} (${list}) VALUES (${columns.map(() => "?").join(", ")})`
  const rows = source.prepare(`SELECT ${list} FROM ${name} ORDER BY ${quoted(key)}`).raw()
  const hash = createHash("sha256")
  let sent: Promise<unknown>[] = []
  for (const row of rows.iterate() as Iterable<Value[]>) {
    const values = row.map(sendable)
    addRow(hash, values)
    sent.push(link.ask(insert, values))
    if (sent.length >= WINDOW) {
      await Promise.all(sent)
      sent = []
    }
    step()
  }
  await Promise.all(sent)
  return hash.digest("hex")
}

async function compare(link: Link, { name, columns, key }: Table, expected: string) {
  const hash = createHash("sha256")
  const select = `SELECT ${quoted(columns)} FROM ${name} ORDER BY ${quoted(key)}`
  await link.say(`DECLARE moved NO SCROLL CURSOR FOR ${select}`)
  for (;;) {
    const { rows } = await link.ask(`FETCH ${WINDOW} FROM moved`)
    if (rows.length === 0) break
    for (const row of rows as Record<string, Value>[])
      addRow(
        hash,
        columns.map((column) => row[column] ?? null),
      )
  }
  await link.say("CLOSE moved")
  if (hash.digest("hex") !== expected)
    throw new Error(`what was read back from ${name} is not what was sent: nothing was moved`)
}

function addRow(hash: Hash, values: readonly Value[]) {
  const told = values.map((value) =>
    value instanceof Uint8Array ? { bytes: Buffer.from(value).toString("base64") } : value,
  )
  hash.update(`${JSON.stringify(told)}\n`)
}

function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(", ")
}

// Rows that came with a number of their own do not move the one that the next gets.
const NEXT_IDS = MIGRATIONS.flatMap((migration) => [
  ...migration.matchAll(/CREATE TABLE (\w+) \(\s+id INTEGER PRIMARY KEY/g),
])
  .map(
    ([, table]) =>
      `SELECT setval(pg_get_serial_sequence('${table}', 'id'),
         (SELECT coalesce(max(id), 0) + 1 FROM ${table}), false)`,
  )
  .join("; ")
