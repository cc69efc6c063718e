import { type CommonOptions, withConnection } from "../connect.ts"
import { table } from "../show.ts"
import { printJson, printLine } from "../print.ts"

interface InspectOptions extends CommonOptions {
  readonly message?: string
}

interface Inspected {
  readonly message_id: string | null
  readonly timeline: readonly { at: number; what: string; id: string }[]
  readonly parts: readonly { id: string; index: number; part: { type: string } }[]
  readonly queue: Readonly<Record<string, unknown>>
  readonly turns: readonly {
    turn: { id: string; state: string; attempt: number }
    system_prompt: string | null
    receipts: readonly { part: string; outcome: string; reason: string }[]
  }[]
  readonly lowered: {
    readonly body: unknown
    readonly tokens: number
    readonly api: string
    readonly reason?: string
  }
  readonly answers: readonly {
    id: string
    metadata: { finish?: string }
    parts: readonly { data: { text?: string } }[]
  }[]
  readonly usage: Readonly<Record<string, number>> | null
}

export async function inspectCommand(session: string, options: InspectOptions) {
  await withConnection(options, async ({ client }) => {
    const query = options.message === undefined ? {} : { message: options.message }
    const inspected = await client.inspect(session, query)
    if (options.json) printJson(inspected)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server writes it so
    else show(inspected as unknown as Inspected)
  })
}

function show(seen: Inspected) {
  if (seen.message_id === null) return printLine("Nothing was said in this session yet.")
  printLine(`message ${seen.message_id}\n`)
  const moments = seen.timeline.map(({ at, what, id }) => [new Date(at).toISOString(), what, id])
  section("timeline", table(moments))
  const parts = seen.parts.map(({ id, part }) => [id, part.type, short(JSON.stringify(part))])
  section("stored parts", table(parts))
  section("queue", JSON.stringify(seen.queue))
  for (const { turn, system_prompt, receipts } of seen.turns) {
    section(`turn ${turn.id} (${turn.state}, attempt ${turn.attempt})`, short(system_prompt ?? ""))
    const rows = receipts.map((receipt) => [receipt.part, receipt.outcome, receipt.reason])
    section("receipts", table(rows))
  }
  const { api, tokens, body, reason } = seen.lowered
  if (reason === undefined)
    section(
      `as ${api} would carry it now (about ${tokens} tokens)`,
      short(JSON.stringify(body), 2000),
    )
  else section("no wire carries it now", reason)
  for (const answer of seen.answers)
    section(
      `answer ${answer.id}${cutOf(answer.metadata)}`,
      answer.parts.map(({ data }) => data.text ?? "").join("\n"),
    )
  if (seen.usage) section("usage", JSON.stringify(seen.usage))
}

/** A half that a crash cut is no answer: what goes on stands in the next one. */
function cutOf({ finish }: { readonly finish?: string }): string {
  return finish === "interrupted" ? " (cut off by a crash)" : ""
}

function section(title: string, body: string) {
  printLine(`── ${title}\n${body}\n`)
}

function short(text: string, most = 160): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`
}
