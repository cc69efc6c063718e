import type { DiffLoweringAnswer } from "compositor-client/client"
import { UsageError } from "../complain.ts"
import { type CommonOptions, withConnection } from "../connect.ts"
import { table } from "../show.ts"
import { fate } from "./models.ts"
import { printJson, printLine } from "../print.ts"

interface DiffLoweringOptions extends CommonOptions {
  readonly since: string
  readonly session?: string
}

/** Which stored turns would be lowered differently now; exits with 1 when there are any. */
export async function diffLoweringCommand(options: DiffLoweringOptions) {
  const since = Number(options.since)
  if (!Number.isInteger(since) || since < 0)
    throw new UsageError(`--since ${options.since}: a version of the lowering is a whole number`)
  const session = options.session === undefined ? {} : { session: options.session }
  await withConnection(options, async ({ client }) => {
    const answer = await client.diffLowering({ since, ...session })
    if (options.json) printJson(answer)
    else show(answer)
    if (answer.turns.length > 0) process.exitCode = 1
  })
}

function show({ since, now, compared, turns, more }: DiffLoweringAnswer) {
  for (const turn of turns) {
    const { stored, now: known } = turn.capabilities_revision
    printLine(`turn ${turn.turn_id} of ${turn.session_id}, lowered by version ${turn.version}`)
    if (stored !== known) printLine(`  known of its model then: ${stored}\n  and now: ${known}`)
    const rows = turn.changes.map(({ part, type, before, after }) => [
      `  ${part}`,
      type,
      `${fate(before)} → ${fate(after)}`,
      `${before?.reason ?? ""} → ${after?.reason ?? ""}`,
    ])
    printLine(`${table(rows)}\n`)
  }
  const told = `${turns.length}${more ? " and more" : ""} of ${compared}`
  printLine(`${told} turns since version ${since} would be lowered differently by version ${now}.`)
}
