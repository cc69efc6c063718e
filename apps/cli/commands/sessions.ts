import type { Command } from "commander"
import { type CommonOptions, withConnection } from "../connect.ts"
import { UsageError } from "../complain.ts"
import { showAge, table } from "../show.ts"
import { showModelChoice } from "compositor-core/message/message"
import { printJson, printLine } from "../print.ts"

interface ListOptions extends CommonOptions {
  readonly archived?: boolean
  readonly limit: string
}

export async function listCommand(options: ListOptions) {
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1)
    throw new UsageError(`--limit ${options.limit}: a number`)
  await withConnection(options, async ({ client }) => {
    const query = { limit, ...(options.archived ? { archived: true } : {}) }
    const { sessions } = await client.sessions.list(query)
    if (options.json) return printJson(sessions)
    if (sessions.length === 0) return printLine('No sessions yet: compositor send "…" begins one.')
    const rows = sessions.map((session) => [
      session.id,
      session.status.state,
      session.queued > 0 ? `${session.queued} waiting` : "",
      showModelChoice(session.model),
      showAge(session.updated_at),
      session.title ?? "",
    ])
    printLine(table([["id", "status", "queue", "model", "used", "title"], ...rows]))
  })
}

type Verb = "rename" | "archive" | "restore" | "rm"

export async function changeCommand(verb: Verb, given: readonly unknown[]) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- commander passes itself last
  const command = given.at(-1) as Command
  const [id = "", title = ""] = command.args
  // The list's own options stand before the verb, the verb's behind it; both count.
  const options = command.optsWithGlobals() as CommonOptions & { cascade?: boolean }
  await withConnection(options, async ({ client }) => {
    if (verb === "rm") {
      const gone = await client.sessions.remove(id, options.cascade ? { cascade: true } : {})
      if (options.json) return printJson(gone)
      const kept = gone.branches.length > 0 ? ` (read by ${gone.branches.join(", ")})` : ""
      return printLine(`deleted ${gone.deleted.join(", ")}${kept}`)
    }
    const change = verb === "rename" ? { title } : { archived: verb === "archive" }
    const { session } = await client.sessions.update(id, change)
    if (options.json) printJson(session)
    else
      printLine(`${session.id}  ${session.title ?? ""}${session.archived_at ? "  archived" : ""}`)
  })
}
