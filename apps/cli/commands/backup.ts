import { existsSync } from "node:fs"
import { join } from "node:path"
import { UsageError } from "../complain.ts"
import { type CommonOptions, withConnection, dataFolder, workspaceFolder } from "../connect.ts"
import { printJson, tellLine } from "../print.ts"
import { Bar } from "../progress.ts"

interface BackupOptions extends CommonOptions {
  readonly store?: string
  readonly blobs?: string
}

/** Copy what is kept, wherever it is kept, into a folder; safe while servers write to it. What cannot be
 *  copied from here is refused: a copy with something missing must not look like one. */
export async function backupCommand(folder: string, options: BackupOptions) {
  await refuseWhatIsElsewhere(options)
  const { store, blobs } = options
  const { openHost } = await import("compositor-engine/host/host")
  const host = await openHost({
    data: dataFolder(options),
    workspace: workspaceFolder(options),
    environment: process.env,
    turns: false,
    ...(store === undefined ? {} : { store }),
    ...(blobs === undefined ? {} : { blobs }),
  })
  let bar: Bar | undefined
  const progress = (done: number, total: number) => {
    bar ??= new Bar({ doing: "copying the database", total })
    bar.at(done)
  }
  try {
    const copied = await host.backup(folder, progress)
    bar?.end()
    if (options.json) printJson(copied)
    else tellLine(`copied the database and ${copied.blobs} files to ${copied.folder}`)
  } finally {
    await host.close()
  }
}

async function refuseWhatIsElsewhere(options: BackupOptions) {
  if (options.url !== undefined)
    throw new UsageError(
      `backup copies from where the rows are kept, and not over ${options.url}: run it there, ` +
        "or take the sessions along with compositor export --url",
    )
  const data = dataFolder(options)
  const { findServer } = await import("compositor-server/registration")
  const running = await findServer(data)
  requireNamed("rows", running?.store, options.store || process.env.COMPOSITOR_STORE)
  requireNamed("files", running?.blobs, options.blobs || process.env.COMPOSITOR_BLOBS)
  const isInFolder = !options.store && !process.env.COMPOSITOR_STORE
  if (isInFolder && !existsSync(join(data, "compositor.db")))
    throw new UsageError(
      `there is no compositor.db in ${data}: name the data folder with --data, or its store with --store`,
    )
}

/** A server that keeps something elsewhere is asked for by name: we do not know its password. */
function requireNamed(what: "rows" | "files", kept: string | undefined, named: string | undefined) {
  if (kept === undefined || named) return
  const setting = what === "rows" ? "--store or COMPOSITOR_STORE" : "--blobs or COMPOSITOR_BLOBS"
  throw new UsageError(
    `the server of this folder keeps its ${what} in ${kept}: name that with ${setting} to copy them`,
  )
}

export async function vacuumCommand(options: CommonOptions) {
  await withConnection(options, async ({ client }) => {
    const answer = await client.vacuum()
    if (options.json) printJson(answer)
  })
}
