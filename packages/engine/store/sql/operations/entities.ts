import { namesOf } from "compositor-core/message/untyped"
import { Refusal } from "compositor-core/message/refusal"
import type { Branch, NewEntity, Spawned, StoredEntity } from "../../store.ts"
import { type EntityRecord, entityOf } from "../entity-rows.ts"
import { effectiveRow, LAYERS, type LayerRecord } from "../slash-command-rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { append } from "./queue.ts"
import { branch, changeSession, createSession } from "./sessions.ts"
import { declareCommands } from "./slash-commands.ts"

/** The session, its name, what can be typed to it and the wake that tells its handler: one commit. */
export function* spawnEntity(tx: Transaction, input: NewEntity): Program<Spawned> {
  const principal = input.session.principal ?? ""
  const known = yield* named(tx, principal, input)
  if (known) return sameEntity(tx, known, input)
  yield* createSession(tx, input.session)
  const record: EntityRecord = {
    session_id: input.session.id,
    principal,
    type: input.type,
    name: input.name,
    args_json: JSON.stringify(input.args ?? null),
    tags_json: JSON.stringify(input.tags),
    parent: input.parent,
    spawned_by: input.spawned_by,
    commands_digest: input.commands_digest,
    created_at: tx.now,
    updated_at: tx.now,
    killed_at: null,
  }
  insertEntity(tx, record)
  const { commands, commands_digest: digest } = input
  yield* declareCommands(tx, { session_id: record.session_id, commands, digest })
  const appended = input.wake ? yield* append(tx, input.wake) : null
  const claim = appended && "claim" in appended ? appended.claim : null
  return { type: "spawned", entity: entityOf(record), claim, txid: tx.txid }
}

function sameEntity(tx: Transaction, known: EntityRecord, input: NewEntity): Spawned {
  if (input.spawned_by === null || input.spawned_by !== known.spawned_by)
    throw new Refusal("conflict", `there is an entity /${known.type}/${known.name} already`)
  return { type: "same", entity: entityOf(known), claim: null, txid: tx.txid }
}

function named(
  tx: Transaction,
  principal: string,
  { type, name }: Pick<StoredEntity, "type" | "name">,
): Program<EntityRecord | undefined> {
  return tx.get<EntityRecord>(
    "SELECT * FROM entities WHERE principal = ? AND type = ? AND name = ?",
    principal,
    type,
    name,
  )
}

function insertEntity(tx: Transaction, record: EntityRecord) {
  const columns = namesOf(record)
  tx.write(
    `INSERT INTO entities (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...columns.map((column) => record[column]),
  )
  tellEntity(tx, record, "insert")
}

function tellEntity(tx: Transaction, record: EntityRecord, operation: "insert" | "update") {
  const value = JSON.stringify(entityOf(record))
  tx.tell(record.session_id, "entity", record.session_id, operation, value)
}

/** It takes nothing more, and what waited goes; what it said stays. */
export function* killEntity(
  tx: Transaction,
  { session_id }: { readonly session_id: string },
): Program<{ entity: StoredEntity; txid: string }> {
  const record = yield* existing(tx, session_id)
  if (record.killed_at !== null) return { entity: entityOf(record), txid: tx.txid }
  const killed: EntityRecord = { ...record, killed_at: tx.now, updated_at: tx.now }
  tx.write(
    "UPDATE entities SET killed_at = ?, updated_at = ? WHERE session_id = ?",
    tx.now,
    tx.now,
    session_id,
  )
  tx.write("DELETE FROM observations WHERE observer = ?", session_id)
  tx.write("DELETE FROM triggers WHERE session_id = ?", session_id)
  tellEntity(tx, killed, "update")
  yield* changeSession(tx, { id: session_id, archived: true })
  return { entity: entityOf(killed), txid: tx.txid }
}

export function* tagEntity(
  tx: Transaction,
  input: {
    readonly session_id: string
    readonly tags: Readonly<Record<string, string | null>>
  },
): Program<{ entity: StoredEntity; txid: string }> {
  const record = yield* existing(tx, input.session_id)
  const merged = { ...JSON.parse(record.tags_json), ...input.tags }
  const tags_json = JSON.stringify(
    Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)),
  )
  if (tags_json === record.tags_json) return { entity: entityOf(record), txid: tx.txid }
  const tagged: EntityRecord = { ...record, tags_json, updated_at: tx.now }
  tx.write(
    "UPDATE entities SET tags_json = ?, updated_at = ? WHERE session_id = ?",
    tags_json,
    tx.now,
    record.session_id,
  )
  tellEntity(tx, tagged, "update")
  return { entity: entityOf(tagged), txid: tx.txid }
}

/** What the entity keeps goes along; what it only watches, and who wakes it, does not (SES-021). */
export function* forkEntity(
  tx: Transaction,
  input: { readonly branch: Branch; readonly name: string; readonly parent: string | null },
): Program<Spawned> {
  const source = yield* existing(tx, input.branch.parent_id)
  const known = yield* named(tx, source.principal, { type: source.type, name: input.name })
  if (known)
    throw new Refusal("conflict", `there is an entity /${known.type}/${known.name} already`)
  yield* branch(tx, input.branch)
  const record: EntityRecord = {
    ...source,
    session_id: input.branch.id,
    name: input.name,
    parent: input.parent,
    spawned_by: null,
    created_at: tx.now,
    updated_at: tx.now,
    killed_at: null,
  }
  insertEntity(tx, record)
  yield* copyCommands(tx, source.session_id, record.session_id)
  yield* copyRows(tx, source.session_id, record.session_id)
  return { type: "spawned", entity: entityOf(record), claim: null, txid: tx.txid }
}

function* copyCommands(tx: Transaction, from: string, to: string) {
  tx.write(
    `INSERT INTO slash_commands (session_id, name, owner, position, data_json, updated_at)
     SELECT ?, name, owner, position, data_json, updated_at FROM slash_commands
     WHERE session_id = ?`,
    to,
    from,
  )
  yield* tellCommands(tx, to)
}

function* tellCommands(tx: Transaction, session_id: string) {
  const layers = Map.groupBy(yield* tx.all<LayerRecord>(LAYERS, session_id), ({ name }) => name)
  for (const [name, all] of layers)
    tx.tell(session_id, "slash_command", name, "insert", JSON.stringify(effectiveRow(all)))
}

interface RowRecord {
  readonly event_type: string
  readonly key: string
  readonly value_json: string
}

// The keys of an inbox and its context belong to messages, and those are the other's.
function* copyRows(tx: Transaction, from: string, to: string) {
  tx.write(
    `INSERT INTO entity_rows (session_id, collection, key, event_type, value_json)
     SELECT ?, collection, key, event_type, value_json FROM entity_rows
     WHERE session_id = ? AND substr(collection, 1, 1) <> '$'`,
    to,
    from,
  )
  yield* tellRows(tx, to)
}

function* tellRows(tx: Transaction, session_id: string) {
  const rows = yield* tx.all<RowRecord>(
    `SELECT event_type, key, value_json FROM entity_rows
     WHERE session_id = ? AND collection <> '$inbox_keys' ORDER BY collection, key`,
    session_id,
  )
  for (const { event_type, key, value_json } of rows)
    tx.tell(session_id, event_type, key, "insert", value_json)
}

function* existing(tx: Transaction, session_id: string): Program<EntityRecord> {
  yield* tx.session(session_id)
  const record = yield* tx.get<EntityRecord>(
    "SELECT * FROM entities WHERE session_id = ?",
    session_id,
  )
  if (!record) throw new Refusal("not_found", `session ${session_id} is no entity`)
  return record
}

/** The stream of a session began anew: what it is as an entity is told again. */
export function* tellEntityAnew(tx: Transaction, session_id: string) {
  const record = yield* tx.get<EntityRecord>(
    "SELECT * FROM entities WHERE session_id = ?",
    session_id,
  )
  if (record) tellEntity(tx, record, "insert")
  yield* tellCommands(tx, session_id)
  yield* tellRows(tx, session_id)
}

/** What was inserted for a message says where it came from, and may quote it. */
export function forgetContextOf(tx: Transaction, session_id: string, message_id: string) {
  tx.write(
    `DELETE FROM entity_rows WHERE session_id = ? AND collection = '$context'
       AND ${tx.words.field("value_json", "message_id")} = ?`,
    session_id,
    message_id,
  )
}

const TABLES = ["entities", "entity_rows", "entity_effects", "slash_commands"]

/** A session goes, and with it all that it was as an entity. */
export function removeEntity(tx: Transaction, session_id: string) {
  for (const table of TABLES) tx.write(`DELETE FROM ${table} WHERE session_id = ?`, session_id)
  tx.write("DELETE FROM observations WHERE observer = ? OR observed = ?", session_id, session_id)
}
