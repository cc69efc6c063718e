import { Refusal } from "compositor-core/message/refusal"
import type { ContextWrite, Effect, RowWrite, RowWritten } from "../../store.ts"
import type { PartRecord } from "../rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { detach, insertPart, partRecords } from "./messages.ts"
import { LIVE, WAITING } from "./claim.ts"
import { once } from "./effects.ts"
import { tellRow } from "./tell-row.ts"

const MAX_ROW_CHARACTERS = 1024 * 1024
const MAX_ROWS = 100_000

/** Collections whose names begin so are the house's own. */
export const CONTEXT = "$context"
const INBOX_KEYS = "$inbox_keys"

interface RowRecord {
  readonly value_json: string
}

/** Write one row whole. What is there already is not written again, and nothing is told of it. */
export function* writeRow(tx: Transaction, input: RowWrite): Program<RowWritten> {
  return yield* once(tx, input, function* () {
    yield* tx.session(input.session_id)
    const known = yield* rowOf(tx, input)
    const value_json = input.value === null ? null : JSON.stringify(input.value)
    yield* refuse(tx, input, known, value_json)
    if (value_json === (known?.value_json ?? null)) return { changed: false, txid: tx.txid }
    if (value_json === null) removeRow(tx, input)
    else keepRow(tx, input, value_json)
    const row = { stream: input.session_id, type: input.event_type, key: input.key }
    const before: object | undefined = known && JSON.parse(known.value_json)
    tellRow(tx, row, { before, after: input.value ?? undefined })
    return { changed: true, txid: tx.txid }
  })
}

type Place = Pick<RowWrite, "session_id" | "collection" | "key">

function* rowOf(
  tx: Transaction,
  { session_id, collection, key }: Place,
): Program<RowRecord | undefined> {
  return yield* tx.get<RowRecord>(
    "SELECT value_json FROM entity_rows WHERE session_id = ? AND collection = ? AND key = ?",
    session_id,
    collection,
    key,
  )
}

function* refuse(
  tx: Transaction,
  { session_id, collection, key, operation }: RowWrite,
  known: RowRecord | undefined,
  value_json: string | null,
) {
  const where = `${collection}/${key}`
  if (operation === "insert" && known) throw new Refusal("conflict", `${where} is there already`)
  if (operation === "update" && !known) throw new Refusal("not_found", `there is no ${where}`)
  if ((value_json?.length ?? 0) > MAX_ROW_CHARACTERS)
    throw new Refusal("too_large", `${where} has more than ${MAX_ROW_CHARACTERS} characters`)
  if (known || value_json === null) return
  const { count } = (yield* tx.get<{ count: number }>(
    "SELECT count(*) AS count FROM entity_rows WHERE session_id = ? AND collection = ?",
    session_id,
    collection,
  )) ?? { count: 0 }
  if (count >= MAX_ROWS)
    throw new Refusal("invalid", `the collection ${collection} has ${MAX_ROWS} rows already`)
}

function removeRow(tx: Transaction, { session_id, collection, key }: Place) {
  tx.write(
    "DELETE FROM entity_rows WHERE session_id = ? AND collection = ? AND key = ?",
    session_id,
    collection,
    key,
  )
}

function keepRow(tx: Transaction, row: Place & { readonly event_type: string }, value: string) {
  tx.write(
    `INSERT INTO entity_rows (session_id, collection, key, event_type, value_json)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (session_id, collection, key) DO UPDATE SET value_json = excluded.value_json`,
    row.session_id,
    row.collection,
    row.key,
    row.event_type,
    value,
  )
}

/** Context is a part of the wake's own message, behind what was said: the model reads it there. The
 *  same context again takes the place of the first (EA-030). */
export function* putContext(tx: Transaction, input: ContextWrite): Program<{ txid: string }> {
  return yield* once(tx, input, function* () {
    const { session_id, key } = input
    const message = yield* tx.message(session_id, input.message_id)
    yield* dropPart(tx, { session_id, collection: CONTEXT, key })
    const parts = yield* tx.parts(message.id)
    const index = Math.max(-1, ...parts.map((part) => part.index)) + 1
    const [made] = partRecords({ ...message, created_at: tx.now }, [input.part])
    if (!made) throw new Error("a context has a part")
    const part: PartRecord = { ...made, index }
    insertPart(tx, part)
    tx.tellPart(part, "insert")
    const known = yield* rowOf(tx, { session_id, collection: CONTEXT, key })
    const value = JSON.stringify({ ...input.value, part_id: part.id, message_id: message.id })
    keepRow(tx, { session_id, collection: CONTEXT, key, event_type: "context" }, value)
    tx.tell(session_id, "context", key, known ? "update" : "insert", value)
    return { txid: tx.txid }
  })
}

export function* removeContext(
  tx: Transaction,
  input: { readonly session_id: string; readonly effect: Effect; readonly key: string },
): Program<{ removed: boolean; txid: string }> {
  return yield* once(tx, input, function* () {
    const place = { session_id: input.session_id, collection: CONTEXT, key: input.key }
    if (!(yield* rowOf(tx, place))) return { removed: false, txid: tx.txid }
    yield* dropPart(tx, place)
    removeRow(tx, place)
    tx.tell(input.session_id, "context", input.key, "delete", "null")
    return { removed: true, txid: tx.txid }
  })
}

function* dropPart(tx: Transaction, place: Place) {
  const known = yield* rowOf(tx, place)
  if (!known) return
  const { part_id }: { part_id: string } = JSON.parse(known.value_json)
  detach(tx, place.session_id, part_id)
  tx.write("DELETE FROM chat_parts WHERE id = ? AND session_id = ?", part_id, place.session_id)
  tx.tell(place.session_id, "part", part_id, "delete", "null")
}

export function* reserveKey(
  tx: Transaction,
  input: { readonly session_id: string; readonly key: string; readonly message_id: string },
): Program<{ message_id: string }> {
  yield* tx.session(input.session_id)
  const place = { ...input, collection: INBOX_KEYS }
  const known = yield* rowOf(tx, place)
  if (known) return JSON.parse(known.value_json)
  const { message_id } = input
  keepRow(tx, { ...place, event_type: "inbox_key" }, JSON.stringify({ message_id }))
  return { message_id }
}

/** Only while it waits: once fired, there is nothing to say any more (EA-023). */
export function* changeMode(
  tx: Transaction,
  input: {
    readonly session_id: string
    readonly message_id: string
    readonly mode: "immediate" | "queued" | "steer"
  },
): Program<{ txid: string }> {
  const { session_id, message_id, mode } = input
  yield* tx.session(session_id)
  const message = yield* tx.message(session_id, message_id)
  const busy = yield* tx.get(
    `SELECT 1 FROM turns WHERE session_id = ? AND state IN ${LIVE}`,
    session_id,
  )
  const changes = yield* tx.run(
    `UPDATE chat_messages SET mode = ?, state = 'queued', updated_at = ?
     WHERE id = ? AND state IN ${WAITING}`,
    // Behind a running turn an immediate message waits like any other.
    busy && mode === "immediate" ? "queued" : mode,
    tx.now,
    message_id,
  )
  if (changes === 0)
    throw new Refusal("conflict", `message ${message_id} is ${message.state}: it waits no longer`)
  tx.tellMessage(message)
  return { txid: tx.txid }
}
