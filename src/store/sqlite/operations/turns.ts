import { Refusal } from "../../../message/refusal.ts"
import type { Turn, Usage } from "../../../message/row.ts"
import type {
  Claim,
  Interruption,
  RequestRecord,
  StreamRecord,
  TurnEnd,
  TurnKey,
} from "../../store.ts"
import { type TurnRecord, turnOf } from "../rows.ts"
import type { Transaction } from "../transaction.ts"
import { closeAnswer, freezeAnswer, openAnswer, upsertPart } from "./answers.ts"
import { keepCaptures } from "./blobs.ts"
import { claim, claimOf, LIVE, liveTurn, openTurn } from "./claim.ts"
import { cancelAll } from "./queue.ts"

/** A turn that a crash cut short is taken up again this often before it is left as it is. */
const MAX_ATTEMPTS = 3

export function recordRequest(tx: Transaction, input: RequestRecord): { txid: string } {
  const turn = held(tx, input)
  keepDocument(tx, input.system_prompt)
  keepDocument(tx, input.tool_catalog)
  keepCaptures(tx, turn.session_id, input.captures)
  for (const { message_id, receipt } of input.receipts)
    tx.run(
      `INSERT OR REPLACE INTO receipts (session_id, turn_id, message_id, part_id, data_json)
       VALUES (?, ?, ?, ?, ?)`,
      turn.session_id,
      turn.id,
      message_id,
      receipt.part,
      JSON.stringify(receipt),
    )
  tx.run(
    `UPDATE turns SET api = ?, capabilities_revision = ?, system_prompt_digest = ?,
       tool_catalog_digest = ?, answer_id = ? WHERE id = ?`,
    input.api,
    input.capabilities_revision,
    input.system_prompt.digest,
    input.tool_catalog.digest,
    input.answer.message_id,
    turn.id,
  )
  openAnswer(tx, turn, input.answer)
  return { txid: tx.txid }
}

export function recordStream(tx: Transaction, input: StreamRecord): { txid: string } {
  const turn = held(tx, input)
  for (const part of input.parts) upsertPart(tx, turn.session_id, input.message_id, part)
  for (const delta of input.deltas)
    tx.tell(turn.id, "delta", delta.part_id, "insert", JSON.stringify(delta))
  return { txid: tx.txid }
}

/** The turn's end, its answer's last state, and the next claim are one commit. */
export function endTurn(
  tx: Transaction,
  input: TurnEnd,
): { turn: Turn; next: Claim | null; txid: string } {
  const turn = held(tx, input)
  if (input.answer) closeAnswer(tx, turn, input.answer)
  const ended = close(tx, turn, { state: input.state, usage: input.usage, error: input.error })
  if (input.usage) addUsage(tx, turn.session_id, input.usage)
  if (input.state === "error") stopDrain(tx, turn.session_id)
  const next =
    input.owner === null ? null : claim(tx, { session_id: turn.session_id, owner: input.owner })
  return { turn: turnOf(ended), next, txid: tx.txid }
}

export function requestAbort(
  tx: Transaction,
  input: { session_id: string; clear: boolean },
): { turn: Turn | null; cancelled: string[] } {
  tx.session(input.session_id)
  const cancelled = input.clear ? cancelAll(tx, input.session_id) : []
  const turn = liveTurn(tx, input.session_id)
  if (!turn) return { turn: null, cancelled }
  tx.run(
    "UPDATE turns SET abort_requested_at = coalesce(abort_requested_at, ?) WHERE id = ?",
    tx.now,
    turn.id,
  )
  return { turn: turnOf(turn), cancelled }
}

export function beat(
  tx: Transaction,
  input: { owner: string; turn_ids: string[] },
): { live: string[]; abort: string[] } {
  const turns = input.turn_ids.flatMap((id) =>
    tx.all<TurnRecord>(
      `UPDATE turns SET beat = beat + 1 WHERE id = ? AND owner = ? AND state IN ${LIVE} RETURNING *`,
      id,
      input.owner,
    ),
  )
  return {
    live: turns.map((turn) => turn.id),
    abort: turns.filter((turn) => turn.abort_requested_at !== null).map((turn) => turn.id),
  }
}

/** A dead owner's turn becomes `interrupted`. It is taken up again by itself only when no tool with
 *  side effects ran; either way the queue goes on. */
export function interrupt(
  tx: Transaction,
  input: Interruption,
): { turn: Turn | null; next: Claim | null } {
  const turn = tx.get<TurnRecord>(
    `SELECT * FROM turns WHERE id = ? AND fence = ? AND beat = ? AND state IN ${LIVE}`,
    input.turn_id,
    input.fence,
    input.beat,
  )
  if (!turn) return { turn: null, next: null }
  const refire =
    input.refire &&
    input.owner !== null &&
    turn.side_effects === 0 &&
    turn.abort_requested_at === null &&
    turn.attempt < MAX_ATTEMPTS
  const aborted = turn.abort_requested_at !== null
  freezeAnswer(tx, turn, refire, aborted ? "abort" : "interrupted")
  const ended = close(tx, turn, {
    state: aborted ? "aborted" : "interrupted",
    usage: null,
    error: null,
  })
  const next = refire ? again(tx, turn, input.owner ?? "") : nextClaim(tx, turn, input.owner)
  return { turn: turnOf(ended), next }
}

/** The turn that this key may still write to. A stale key is refused: someone else took over. */
export function held(tx: Transaction, key: TurnKey): TurnRecord {
  const turn = tx.get<TurnRecord>(
    `SELECT * FROM turns WHERE id = ? AND fence = ? AND state IN ${LIVE}`,
    key.turn_id,
    key.fence,
  )
  if (!turn) throw new Refusal("stale", `turn ${key.turn_id} is over: its writer was replaced`)
  return turn
}

function keepDocument(tx: Transaction, document: { digest: string; body: string }) {
  tx.run(
    `INSERT INTO system_prompts (digest, body, created_at) VALUES (?, ?, ?)
     ON CONFLICT (digest) DO NOTHING`,
    document.digest,
    document.body,
    tx.now,
  )
}

interface Ending {
  readonly state: Turn["state"]
  readonly usage: Usage | null
  readonly error: { code: string; message: string } | null
}

export function close(tx: Transaction, turn: TurnRecord, ending: Ending): TurnRecord {
  const ended: TurnRecord = {
    ...turn,
    state: ending.state,
    usage_json: ending.usage && JSON.stringify(ending.usage),
    error_json: ending.error && JSON.stringify(ending.error),
    ended_at: tx.now,
  }
  tx.run(
    "UPDATE turns SET state = ?, usage_json = ?, error_json = ?, ended_at = ? WHERE id = ?",
    ended.state,
    ended.usage_json,
    ended.error_json,
    tx.now,
    turn.id,
  )
  tx.run("UPDATE streams SET closed_at = ? WHERE id = ?", tx.now, turn.id)
  tx.run("UPDATE chat_sessions SET updated_at = ? WHERE id = ?", tx.now, turn.session_id)
  tx.tellTurn(ended)
  return ended
}

function addUsage(tx: Transaction, session_id: string, usage: Usage) {
  tx.run(
    `UPDATE chat_sessions SET prompt_tokens = prompt_tokens + ?,
       completion_tokens = completion_tokens + ?, reasoning_tokens = reasoning_tokens + ?,
       cache_read = cache_read + ?, cache_write = cache_write + ?,
       total_tokens = total_tokens + ? WHERE id = ?`,
    usage.input,
    usage.output,
    usage.reasoning,
    usage.cache_read,
    usage.cache_write,
    usage.input + usage.output + usage.reasoning + usage.cache_read + usage.cache_write,
    session_id,
  )
}

// A hard failure holds the queue; what waited to run now waits like the rest (UXH-003).
function stopDrain(tx: Transaction, session_id: string) {
  tx.run("UPDATE chat_sessions SET drain = 'stopped' WHERE id = ?", session_id)
  tx.run(
    `UPDATE chat_messages SET mode = 'queued'
     WHERE session_id = ? AND state IN ('queued', 'paused', 'editing') AND mode = 'immediate'`,
    session_id,
  )
  tx.tellSession(tx.session(session_id))
}

function again(tx: Transaction, turn: TurnRecord, owner: string): Claim {
  const session = tx.session(turn.session_id)
  tx.run("UPDATE chat_sessions SET next_fence = next_fence + 1 WHERE id = ?", session.id)
  const next = openTurn(tx, {
    session_id: session.id,
    message_id: turn.message_id,
    attempt: turn.attempt + 1,
    model_json: turn.model_json,
    fence: session.next_fence,
    owner,
  })
  const { metadata_json } = tx.message(session.id, turn.message_id)
  return claimOf(session, next, JSON.parse(metadata_json).action ?? null)
}

function nextClaim(tx: Transaction, turn: TurnRecord, owner: string | null): Claim | null {
  return owner === null ? null : claim(tx, { session_id: turn.session_id, owner })
}
