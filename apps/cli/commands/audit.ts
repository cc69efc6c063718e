import type { ListedAudit } from "compositor-client/client"
import { type CommonOptions, withConnection } from "../connect.ts"
import { momentOf } from "../moments.ts"
import { table } from "../show.ts"
import { printJson, printLine } from "../print.ts"

interface AuditOptions extends CommonOptions {
  readonly principal?: string
  readonly since?: string
  readonly limit?: number
}

const PAGE = 1000
const USUAL = 100

/** Who asked for what, the newest first. */
export async function auditCommand(options: AuditOptions) {
  const { principal, since } = options
  const query = {
    ...(principal === undefined ? {} : { principal }),
    ...(since === undefined ? {} : { since: String(momentOf("--since", since, -1)) }),
  }
  await withConnection(options, async ({ client }) => {
    const entries: ListedAudit[] = []
    const wanted = Math.ceil(options.limit ?? USUAL)
    for (let before: number | null | undefined; before !== null && entries.length < wanted; ) {
      const limit = String(Math.min(PAGE, wanted - entries.length))
      const from = before === undefined ? {} : { before: String(before) }
      const page = await client.audit({ ...query, ...from, limit })
      entries.push(...page.entries)
      before = page.next
    }
    if (options.json) return printJson(entries)
    if (entries.length === 0) return printLine("Nobody asked for anything.")
    printLine(table([["at", "who", "status", "what", "named", "from"], ...entries.map(rowOf)]))
  })
}

function rowOf({ at, principal, status, action, named, address }: ListedAudit): string[] {
  const when = new Date(at).toISOString()
  return [when, principal, String(status), action, named.join(" "), address ?? "in process"]
}
