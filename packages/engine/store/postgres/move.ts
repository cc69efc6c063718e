import { type SqliteConnection, openForReading, openForWriting } from "../sqlite/connection.ts"
import { MIGRATIONS } from "../sql/schema.ts"
import { type Value, rowsAs } from "../sql/program.ts"
import { sendable } from "./dialect.ts"
import { PostgresLink } from "./link.ts"
import { migrate } from "./migrate.ts"
import { insertInto, RowsDigest, selectAll, type Table, tablesOf } from "./tables.ts"

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

/** Copy every row of a SQLite database into an empty PostgreSQL one, in one transaction: it commits
 *  only when each table, read back, has the digest of what was sent. */
export async function moveToPostgres({ file, url, progress }: Move): Promise<Moved> {
  // Brings it to this version, so that both have the same columns.
  openForWriting(file).close()
  const source = openForReading(file)
  const link = await PostgresLink.open(url, "compositor migrate")
  try {
    await migrate(link)
    source.exec("BEGIN")
    const tables = countedTables(source)
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

interface Counted extends Table {
  readonly rows: number
}

function countedTables(source: SqliteConnection): Counted[] {
  return tablesOf(source).map((table) => {
    const count = source.prepare<[], number>(`SELECT count(*) FROM ${table.name}`).pluck().get()
    return { ...table, rows: count ?? 0 }
  })
}

async function refuseFilled(link: PostgresLink, tables: readonly Table[]) {
  for (const { name } of tables) {
    const { rows } = await link.ask(`SELECT 1 FROM ${name} LIMIT 1`)
    if (rows.length > 0)
      throw new Error(`the database is not empty: there are rows in ${name} already`)
  }
}

async function copied(
  source: SqliteConnection,
  link: PostgresLink,
  table: Table,
  step: () => void,
): Promise<string> {
  const insert = insertInto(table)
  const digest = new RowsDigest()
  let sent: Promise<unknown>[] = []
  for (const row of source.prepare<[], Value[]>(selectAll(table)).raw().iterate()) {
    const values = row.map(sendable)
    digest.add(values)
    sent.push(link.ask(insert, values))
    if (sent.length >= WINDOW) {
      await Promise.all(sent)
      sent = []
    }
    step()
  }
  await Promise.all(sent)
  return digest.end()
}

async function compare(link: PostgresLink, table: Table, expected: string) {
  const digest = new RowsDigest()
  for await (const row of rowsOf(link, table)) digest.add(row)
  if (digest.end() !== expected)
    throw new Error(`what was read back from ${table.name} is not what was sent: nothing was moved`)
}

/** The rows of a table, each as the list of its values, inside the transaction that the caller began. */
export async function* rowsOf(link: PostgresLink, table: Table): AsyncIterable<Value[]> {
  await link.say(`DECLARE read_rows NO SCROLL CURSOR FOR ${selectAll(table)}`)
  for (;;) {
    const { rows } = await link.ask(`FETCH ${WINDOW} FROM read_rows`)
    if (rows.length === 0) break
    for (const row of rowsAs<Record<string, Value>>(rows))
      yield table.columns.map((column) => row[column] ?? null)
  }
  await link.say("CLOSE read_rows")
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
