import { type CommonOptions, connected, dataFolder, workspaceFolder } from "../connect.ts"
import { Bar } from "../progress.ts"
import { printJson } from "../show.ts"

/** Copy a folder by the engine's own means: safe while servers write to it. */
export async function backupCommand(folder: string, options: CommonOptions) {
  const { openHost } = await import("../../host.ts")
  const host = await openHost({
    data: dataFolder(options),
    workspace: workspaceFolder(options),
    environment: process.env,
    turns: false,
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
    else process.stderr.write(`copied the database and ${copied.blobs} files to ${copied.folder}\n`)
  } finally {
    await host.close()
  }
}

export async function vacuumCommand(options: CommonOptions) {
  await connected(options, async ({ client }) => {
    const answer = await client.vacuum()
    if (options.json) printJson(answer)
  })
}
