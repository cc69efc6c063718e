import type { CallPlace, Client } from "../../client/client.ts"
import type { Turn, Wait } from "../../message/row.ts"
import { UsageError } from "../complain.ts"
import { type CommonOptions, connected } from "../connect.ts"
import { listen } from "../listen.ts"

export interface ApproveOptions extends CommonOptions {
  readonly deny?: boolean
  readonly always?: boolean
  readonly answer?: string
}

/** Say one thing to everything that a session's turn waits for, and stream what follows. */
export async function approveCommand(session: string, options: ApproveOptions) {
  await connected(options, async ({ client, idle }) => {
    const { turns } = await client.turns(session)
    const turn = turns.find(({ waiting }) => waiting.length > 0)
    if (!turn) throw new UsageError(`nothing in ${session} waits for you`)
    const { stream_next_offset: after } = await client.messages(session, { limit: 1 })
    for (const wait of turn.waiting) await settle(client, { turn, wait, options })
    const message = { session_id: session, id: turn.message_id }
    process.exitCode = await listen(client, { message, after, json: options.json ?? false })
    await idle()
  })
}

interface Settling {
  readonly turn: Turn
  readonly wait: Wait
  readonly options: ApproveOptions
}

async function settle(client: Client, { turn, wait, options }: Settling): Promise<unknown> {
  const { deny = false, always = false, answer } = options
  const at: CallPlace = { session_id: turn.session_id, turn_id: turn.id, call_id: wait.call_id }
  switch (wait.for) {
    case "approval":
      return deny ? client.calls.deny(at, { always }) : client.calls.approve(at, { always })
    case "interrupted":
      return deny ? client.calls.skip(at) : client.calls.retry(at)
    case "answer":
      if (deny) return client.calls.deny(at, { reason: "the user gave no answer" })
      if (answer === undefined) throw new UsageError(`${wait.tool} asks something: --answer "…"`)
      return client.calls.answer(at, { answers: [[answer]] })
  }
}
