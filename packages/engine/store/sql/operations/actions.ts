import type { QueueEffect } from "compositor-core/commands/queue-effect"
import type { Turn } from "compositor-core/message/row"
import type { ActionPerformed, Claim } from "../../store.ts"
import { type MessageRecord, type TurnRecord, readTurnRow } from "../rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { closeAnswer, openAnswer } from "./answers.ts"
import { claim, requireOwnTurn } from "./claim.ts"
import { insertMarker } from "./steps.ts"
import { isInHistory, rewindTo } from "./path.ts"
import { branch, changeSession } from "./sessions.ts"
import { close } from "./turns.ts"

/** What a command asked of its session happens in the commit that ends its turn: a crash before it
 *  leaves nothing done, a crash after it nothing to do again. */
export function* performAction(
  tx: Transaction,
  input: ActionPerformed,
): Program<{ turn: Turn; next: Claim | null; txid: string }> {
  const turn = yield* requireOwnTurn(tx, input)
  const done = yield* perform(tx, turn, input)
  yield* answer(tx, turn, input, typeof done === "string" ? { text: done } : done)
  const ended = close(tx, turn, { state: "finished", error: null })
  const next =
    input.owner === null
      ? null
      : yield* claim(tx, { session_id: turn.session_id, owner: input.owner })
  return { turn: readTurnRow(ended), next, txid: tx.txid }
}

/** What the host says of what it did. */
interface Done {
  readonly text: string
  /** What a rewind went behind (SES-011). */
  readonly snapshot_ids?: readonly string[]
}

function* perform(
  tx: Transaction,
  turn: TurnRecord,
  input: ActionPerformed,
): Program<Done | string> {
  const { session_id } = turn
  const { action } = input
  switch (action.type) {
    case "change-session":
      yield* changeSession(tx, { id: session_id, ...action.change })
      return action.says
    case "compact":
      return yield* summarised(tx, turn, input)
    case "branch":
      return yield* branchOff(tx, turn, input, action)
    case "clear":
      return wentBack(
        "The conversation starts anew. What was said before can be restored by un-rewind.",
        yield* rewindTo(tx, yield* tx.session(session_id), null),
      )
    case "rewind":
      return yield* goBack(tx, turn, action.messages)
    case "rewind-to":
      return yield* goBackTo(tx, turn, action.before_message_id)
  }
}

function* summarised(
  tx: Transaction,
  turn: TurnRecord,
  { compaction }: ActionPerformed,
): Program<string> {
  if (!compaction) return "There is nothing to summarise yet."
  yield* insertMarker(tx, turn, compaction)
  return `What was said so far goes on as a summary of about ${compaction.part.summary_tokens} tokens.`
}

function* branchOff(
  tx: Transaction,
  turn: TurnRecord,
  input: ActionPerformed,
  action: Extract<QueueEffect, { type: "branch" }>,
): Program<string> {
  const { session } = yield* branch(tx, {
    id: input.branch_id,
    parent_id: turn.session_id,
    from_message_id: null,
    title: action.title,
    metadata: {},
  })
  return `The conversation up to here goes on as ${session.id} too.`
}

function* goBack(tx: Transaction, turn: TurnRecord, messages: number): Program<Done | string> {
  const session = yield* tx.session(turn.session_id)
  const said = yield* tx.all<MessageRecord>(
    `SELECT * FROM chat_messages WHERE session_id = ? AND role = 'user' AND state = 'fired'
       AND id <> ? AND ${tx.words.field("metadata_json", "action")} IS NULL
       AND ${tx.words.field("metadata_json", "hidden_at")} IS NULL
     ORDER BY seq DESC LIMIT ?`,
    session.id,
    turn.message_id,
    messages,
  )
  const target = said.at(-1)
  if (!target) return "There is nothing to go back to."
  const last = said.length === 1 ? "message" : `${said.length} messages`
  return wentBack(`Went back to before the last ${last}.`, yield* rewindTo(tx, session, target.id))
}

function* goBackTo(
  tx: Transaction,
  turn: TurnRecord,
  before_message_id: string,
): Program<Done | string> {
  const session = yield* tx.session(turn.session_id)
  if (!(yield* isInHistory(tx, session, before_message_id)))
    return `Message ${before_message_id} is not in this session's history.`
  return wentBack(
    `Went back to before message ${before_message_id}.`,
    yield* rewindTo(tx, session, before_message_id),
  )
}

function wentBack(text: string, snapshot_ids: readonly string[]): Done {
  return snapshot_ids.length === 0 ? { text } : { text, snapshot_ids }
}

// The host's own words: shown to the user, never to the model.
function* answer(
  tx: Transaction,
  turn: TurnRecord,
  input: ActionPerformed,
  { text, ...more }: Done,
) {
  const { answer_id: message_id, part_id: id } = input
  const metadata = { turn_id: turn.id, host: true, finish: "stop", ...more }
  openAnswer(tx, yield* tx.session(turn.session_id), { message_id, metadata })
  const part = { id, index: 0, type: "text", data_json: JSON.stringify({ type: "text", text }) }
  yield* closeAnswer(tx, turn, { message_id, metadata, parts: [part] })
}
