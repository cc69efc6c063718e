import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { UsageError } from "../complain.ts"
import { Bar } from "../progress.ts"
import { printJson, tellLine } from "../print.ts"

/** Move the rows of a data folder into PostgreSQL; its files stay where they are. */
export async function migrateCommand(folder: string, url: string, options: { json?: boolean }) {
  const data = resolve(folder)
  if (!existsSync(join(data, "compositor.db")))
    throw new UsageError(`there is no compositor.db in ${data}`)
  const { requireStoreAddress, withoutPassword } = await import(
    "compositor-engine/store/store-address"
  )
  requireStoreAddress("the address to move to", url)
  const { findServer } = await import("compositor-server/registration")
  if (await findServer(data))
    throw new UsageError(
      `a server lives on ${data}: stop it, or what is sent meanwhile stays behind`,
    )
  const { moveRows } = await import("compositor-engine/store/migrate-to-postgres")
  let bar: Bar | undefined
  const progress = (done: number, total: number) => {
    bar ??= new Bar({ doing: "moving rows", total })
    bar.at(done)
  }
  const moved = await moveRows({ data, url, progress })
  bar?.end()
  if (options.json) return printJson(moved)
  const tables = moved.tables.filter(({ rows }) => rows > 0).length
  tellLine(`moved ${moved.rows} rows of ${tables} tables; every digest is the same`)
  tellLine(
    `files stay in ${join(data, "blobs")}: serve --data ${data} --store ${withoutPassword(url)}`,
  )
}
