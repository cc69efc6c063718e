import { type Value, rowsAs } from "../sql/program.ts"
import { openForWriting } from "../sqlite/connection.ts"
import type { PostgresLink } from "./link.ts"
import { rowsOf } from "./move.ts"
import { insertInto, RowsDigest, selectAll, type Table, tablesOf } from "./tables.ts"

interface CopyToSqlite {
  /** The SQLite database that is made. */
  readonly file: string
  readonly progress: (done: number, total: number) => void
}

/** Copy every row of one moment into a new SQLite database, which any data folder can be: the same
 *  tables, in one transaction that commits only when each, read back, has the digest of what was read. */
export async function copyFromPostgres(
  link: PostgresLink,
  { file, progress }: CopyToSqlite,
): Promise<void> {
  const target = openForWriting(file)
  try {
    await link.say(
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0",
    )
    const tables = tablesOf(target)
    const total = await countRows(link, tables)
    let done = 0
    target.exec("BEGIN")
    for (const table of tables) {
      const insert = target.prepare(insertInto(table))
      const digest = new RowsDigest()
      for await (const row of rowsOf(link, table)) {
        insert.run(row)
        digest.add(row)
        progress(++done, total)
      }
      const copied = new RowsDigest()
      for (const row of target.prepare<[], Value[]>(selectAll(table)).raw().iterate())
        copied.add(row)
      if (copied.end() !== digest.end())
        throw new Error(`what was read back of ${table.name} is not what was copied`)
    }
    target.exec("COMMIT")
    await link.say("COMMIT")
  } finally {
    target.close()
  }
}

async function countRows(link: PostgresLink, tables: readonly Table[]): Promise<number> {
  const counts = tables.map(({ name }) => `(SELECT count(*) FROM ${name})`)
  const { rows } = await link.ask(`SELECT ${counts.join(" + ")} AS total`)
  return rowsAs<{ total: number }>(rows)[0]?.total ?? 0
}
