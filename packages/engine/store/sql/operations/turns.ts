import { sumUsage } from "compositor-core/message/usage"
import type { Turn, Usage } from "compositor-core/message/row"
import type {
  Claim,
  RequestRecord,
  RetryRecord,
  StreamRecord,
  TurnEnd,
  TurnEnded,
} from "../../store.ts"
import { type SessionRecord, type TurnRecord, readTurnRow } from "../rows.ts"
import { type Program, together } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { answerBefore, changeAnswer, openAnswer, partsOf, writeParts } from "./answers.ts"
import { keepCaptures } from "./messages.ts"
import {
  claim,
  fireHead,
  headsBehind,
  LIVE,
  liveTurn,
  requireOwnTurn,
  tellFinished,
  usedNow,
} from "./claim.ts"
import { cancelAll, stopDrain } from "./queue.ts"
import { takeAllSteers } from "./steer.ts"

export function* recordRequest(tx: Transaction, input: RequestRecord): Program<{ txid: string }> {
  const [turn, session] = yield* together(requireOwnTurn(tx, input), tx.ownSessionOf(input.turn_id))
  keepDocument(tx, input.system_prompt)
  keepDocument(tx, input.tool_catalog)
  yield* keepCaptures(tx, turn.session_id, input.captures)
  keepReceipts(tx, turn, input)
  keepRefusals(tx, turn, input)
  const record: TurnRecord = {
    ...turn,
    api: input.api,
    capabilities_revision: input.capabilities_revision,
    system_prompt_digest: input.system_prompt.digest,
    tool_catalog_digest: input.tool_catalog.digest,
    answer_id: input.answer.message_id,
    notices_json: withNotices(turn, input.notices ?? []),
  }
  tx.write(
    `UPDATE turns SET api = ?, capabilities_revision = ?, system_prompt_digest = ?,
       tool_catalog_digest = ?, answer_id = ?, notices_json = ? WHERE id = ?`,
    record.api,
    record.capabilities_revision,
    record.system_prompt_digest,
    record.tool_catalog_digest,
    record.answer_id,
    record.notices_json,
    turn.id,
  )
  if (record.notices_json !== turn.notices_json) tx.tellTurn(record)
  if (turn.answer_id !== input.answer.message_id) openAnswer(tx, session, input.answer)
  return { txid: tx.txid }
}

export function* recordStream(tx: Transaction, input: StreamRecord): Program<{ txid: string }> {
  const { message_id, parts } = input
  const [turn, known] = yield* together(requireOwnTurn(tx, input), partsOf(tx, parts))
  yield* writeParts(tx, { session_id: turn.session_id, message_id, parts, known })
  for (const delta of input.deltas)
    tx.tell(turn.id, "delta", delta.part_id, "insert", JSON.stringify(delta))
  return { txid: tx.txid }
}

export function* recordRetry(tx: Transaction, input: RetryRecord): Program<{ txid: string }> {
  const turn = yield* requireOwnTurn(tx, input)
  const state = input.retry ? "retrying" : "running"
  changeTurn(tx, { ...turn, state, retry_json: input.retry && JSON.stringify(input.retry) })
  return { txid: tx.txid }
}

/** The turn's end, its answer's last state, and the next claim are one commit; and so is its going on
 *  with what was steered into it. */
export function* endTurn(tx: Transaction, input: TurnEnd): Program<TurnEnded> {
  const { state, owner, error, answer } = input
  const [running, session, heads, before] = yield* together(
    requireOwnTurn(tx, input),
    tx.ownSessionOf(input.turn_id),
    headsBehind(tx, input.turn_id),
    answer ? answerBefore(tx, answer) : nothing(),
  )
  if (answer && before) yield* changeAnswer(tx, running, { answer, before })
  const turn = noteIn(tx, addUsage(tx, running, input.usage), input.notices ?? [])
  const { txid } = tx
  const takes = input.takes_steers === true && state === "finished" && heads.steered !== undefined
  const steered = takes ? yield* takeAllSteers(tx, turn) : []
  if (steered.length > 0) return { turn: readTurnRow(turn), next: null, steered, txid }
  const ended = readTurnRow(close(tx, turn, { state, error }, session))
  if (state === "error") {
    yield* stopDrain(tx, turn.session_id)
    return { turn: ended, next: yield* nextClaim(tx, turn, owner), steered, txid }
  }
  const fired = owner === null ? undefined : yield* fireHead(tx, { session, heads, owner })
  return { turn: ended, next: fired?.claim ?? null, steered, txid }
}

// oxlint-disable-next-line require-yield
function* nothing(): Program<undefined> {
  return undefined
}

export function* requestAbort(
  tx: Transaction,
  input: { session_id: string; clear: boolean },
): Program<{ turn: Turn | null; cancelled: string[] }> {
  yield* tx.session(input.session_id)
  const cancelled = input.clear ? yield* cancelAll(tx, input.session_id) : []
  const turn = yield* liveTurn(tx, input.session_id)
  if (!turn) return { turn: null, cancelled }
  // Nobody runs a turn that waits for a person, so nobody else would end it.
  if (isWaiting(turn)) {
    const ended = close(tx, turn, { state: "aborted", error: null })
    return { turn: readTurnRow(ended), cancelled }
  }
  tx.write(
    "UPDATE turns SET abort_requested_at = coalesce(abort_requested_at, ?) WHERE id = ?",
    tx.now,
    turn.id,
  )
  return { turn: readTurnRow(turn), cancelled }
}

export function* beat(
  tx: Transaction,
  input: { owner: string; turn_ids: string[] },
): Program<{ live: string[]; abort: string[] }> {
  const found = yield* tx.each<TurnRecord>(
    `UPDATE turns SET beat = beat + 1 WHERE id = ? AND owner = ? AND state IN ${LIVE} RETURNING *`,
    input.turn_ids.map((id) => [id, input.owner]),
  )
  const turns = found.flat()
  return {
    live: turns.map((turn) => turn.id),
    abort: turns.filter((turn) => turn.abort_requested_at !== null).map((turn) => turn.id),
  }
}

export function isWaiting({ state }: TurnRecord): boolean {
  return state === "waiting_on_approval" || state === "waiting_on_user_input"
}

/** Write what changes while a turn lives, and tell of it. */
export function changeTurn(tx: Transaction, turn: TurnRecord) {
  tx.write(
    `UPDATE turns SET state = ?, waiting_json = ?, retry_json = ?, owner = ?, fence = ?, beat = ?
     WHERE id = ?`,
    turn.state,
    turn.waiting_json,
    turn.retry_json,
    turn.owner,
    turn.fence,
    turn.beat,
    turn.id,
  )
  tx.tellTurn(turn)
}

function keepDocument(tx: Transaction, document: { digest: string; body: string }) {
  tx.write(
    `INSERT INTO system_prompts (digest, body, created_at) VALUES (?, ?, ?)
     ON CONFLICT (digest) DO NOTHING`,
    document.digest,
    document.body,
    tx.now,
  )
}

function keepReceipts(tx: Transaction, turn: TurnRecord, { receipts }: RequestRecord) {
  for (const { message_id, receipt } of receipts)
    tx.write(
      `INSERT INTO receipts (session_id, turn_id, message_id, part_id, data_json)
       VALUES (?, ?, ?, ?, ?) ON CONFLICT (session_id, turn_id, part_id)
       DO UPDATE SET message_id = excluded.message_id, data_json = excluded.data_json`,
      turn.session_id,
      turn.id,
      message_id,
      receipt.part,
      JSON.stringify(receipt),
    )
}

function keepRefusals(tx: Transaction, turn: TurnRecord, { api, refused = [] }: RequestRecord) {
  const { model_id } = JSON.parse(turn.model_json)
  for (const { content_id, reason } of refused)
    tx.write(
      `INSERT INTO refusals (api, model_id, content_id, reason, created_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      api,
      model_id,
      content_id,
      reason,
      tx.now,
    )
}

/** Keep what the user should know of a turn. */
export function noteIn(tx: Transaction, turn: TurnRecord, notices: readonly string[]): TurnRecord {
  if (notices.length === 0) return turn
  const notices_json = withNotices(turn, notices)
  tx.write("UPDATE turns SET notices_json = ? WHERE id = ?", notices_json, turn.id)
  return { ...turn, notices_json }
}

function withNotices(turn: TurnRecord, notices: readonly string[]): string {
  if (notices.length === 0) return turn.notices_json
  return JSON.stringify([...JSON.parse(turn.notices_json), ...notices])
}

interface Ending {
  readonly state: Turn["state"]
  readonly error: { code: string; message: string } | null
}

export function close(
  tx: Transaction,
  turn: TurnRecord,
  ending: Ending,
  session?: SessionRecord,
): TurnRecord {
  const ended: TurnRecord = {
    ...turn,
    state: ending.state,
    error_json: ending.error && JSON.stringify(ending.error),
    waiting_json: "[]",
    retry_json: null,
    ended_at: tx.now,
  }
  tx.write(
    `UPDATE turns SET state = ?, error_json = ?, waiting_json = '[]', retry_json = NULL,
       ended_at = ? WHERE id = ?`,
    ended.state,
    ended.error_json,
    tx.now,
    turn.id,
  )
  tx.write("UPDATE streams SET closed_at = ? WHERE id = ?", tx.now, turn.id)
  tx.mark(turn.session_id, session ? usedNow(session, tx.now) : { updated_at: tx.now })
  tx.tellTurn(ended)
  tellFinished(tx, ended)
  return ended
}

/** What a step used, added to its turn and its session (SES-002). */
export function addUsage(tx: Transaction, turn: TurnRecord, usage: Usage | null): TurnRecord {
  if (!usage) return turn
  tx.write(
    `UPDATE chat_sessions SET prompt_tokens = prompt_tokens + ?,
       completion_tokens = completion_tokens + ?, reasoning_tokens = reasoning_tokens + ?,
       cache_read = cache_read + ?, cache_write = cache_write + ?,
       total_tokens = total_tokens + ?, cost_usd = cost_usd + ? WHERE id = ?`,
    usage.input,
    usage.output,
    usage.reasoning,
    usage.cache_read,
    usage.cache_write,
    usage.input + usage.output + usage.reasoning + usage.cache_read + usage.cache_write,
    usage.cost_usd ?? 0,
    turn.session_id,
  )
  const before: Usage | null = turn.usage_json === null ? null : JSON.parse(turn.usage_json)
  const usage_json = JSON.stringify(sumUsage(before, usage))
  tx.write("UPDATE turns SET usage_json = ? WHERE id = ?", usage_json, turn.id)
  return { ...turn, usage_json }
}

export function* nextClaim(
  tx: Transaction,
  turn: TurnRecord,
  owner: string | null,
): Program<Claim | null> {
  return owner === null ? null : yield* claim(tx, { session_id: turn.session_id, owner })
}
