import { createInterface } from "node:readline/promises"
import type { CallPath, Client } from "compositor-client/client"
import type { Turn } from "compositor-core/message/row"
import { UsageError } from "../complain.ts"
import { type CommonOptions, withConnection } from "../connect.ts"
import { EXIT_WAITING, listenToAnswer } from "../listen.ts"
import { isTerminal, printJson, printLine, tellLine } from "../print.ts"
import { approveWith, showCall, type WaitingCall, waitingCalls } from "../waits.ts"

interface ApproveOptions extends CommonOptions {
  readonly deny?: boolean
  readonly always?: boolean
  readonly answer?: string
}

/** Say yes or no to a call that was shown, and stream what follows. Without its id each call that waits is
 *  shown, and a person at a terminal is asked; nobody else is taken to have read it. */
export async function approveCommand(
  session: string,
  call: string | undefined,
  options: ApproveOptions,
) {
  await withConnection(options, async ({ client, idle }) => {
    const { turns } = await client.turns(session)
    const turn = turns.find(({ waiting }) => waiting.length > 0)
    if (!turn) throw new UsageError(`nothing in ${session} waits for you`)
    const { stream_next_offset: after } = await client.messages(session, { limit: 1 })
    const waiting = await waitingCalls(client, turn)
    const meant = call === undefined ? await asked(waiting, options) : [named(waiting, call, turn)]
    if (meant.length === 0) {
      process.exitCode = EXIT_WAITING
      return
    }
    if (call !== undefined && meant[0] && !options.json) tellLine(showCall(meant[0]))
    for (const one of meant) await settle(client, one, options)
    const message = { session_id: session, id: turn.message_id }
    process.exitCode = await listenToAnswer(client, { message, after, json: options.json ?? false })
    await idle()
  })
}

/** The call of this id: the one that was printed, or the model's own where only one call ever had it. */
function named(waiting: readonly WaitingCall[], call: string, turn: Turn): WaitingCall {
  const found = waiting.filter(({ id, wait }) => id === call || wait.call_id === call)
  const [only] = found
  if (!only)
    throw new UsageError(`call ${call} of ${turn.session_id} does not wait: ${idsOf(waiting)} does`)
  if (only.id !== call && only.reused)
    throw new UsageError(`several calls are named ${call}: say which, ${idsOf(found)}`)
  return only
}

function idsOf(calls: readonly WaitingCall[]): string {
  return calls.map(({ id }) => id).join(", ")
}

/** Those that a person at the terminal read and decided about. */
async function asked(
  waiting: readonly WaitingCall[],
  options: ApproveOptions,
): Promise<WaitingCall[]> {
  if (options.json) {
    printJson(waiting.map(({ id, wait, input }) => ({ id, ...wait, input })))
    return []
  }
  const meant: WaitingCall[] = []
  for (const call of waiting) {
    printLine(showCall(call))
    if (!isTerminal()) printLine(approveWith(call))
    else if (await saysYes(questionOf(call, options))) meant.push(call)
  }
  return meant
}

function questionOf({ wait }: WaitingCall, { deny, always, answer }: ApproveOptions): string {
  const scope = always ? ", and all that are like it in this session" : ""
  if (deny) return `Say no to it${scope}?`
  if (wait.for === "answer" && answer !== undefined) return "Answer it so?"
  return wait.for === "interrupted" ? "Run it again?" : `Let it run${scope}?`
}

async function saysYes(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin })
  try {
    tellLine(`${question} [y/N]`)
    const { value } = await lines[Symbol.asyncIterator]().next()
    return /^y(es)?$/i.test((value ?? "").trim())
  } finally {
    lines.close()
  }
}

async function settle(client: Client, call: WaitingCall, options: ApproveOptions) {
  const { turn, wait, id: part_id } = call
  const { deny = false, always = false, answer } = options
  const at: CallPath = { session_id: turn.session_id, turn_id: turn.id, call_id: wait.call_id }
  switch (wait.for) {
    case "approval":
      return deny
        ? client.calls.deny(at, { always, part_id })
        : client.calls.approve(at, { always, part_id })
    case "interrupted":
      return deny ? client.calls.skip(at) : client.calls.retry(at)
    case "answer":
      if (deny) return client.calls.deny(at, { reason: "the user gave no answer", part_id })
      if (answer === undefined) throw new UsageError(`${wait.tool} asks something: --answer "…"`)
      return client.calls.answer(at, { answers: [[answer]], part_id })
  }
}
