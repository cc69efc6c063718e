import { openPart } from "compositor-core/parts/table"
import type { PartData } from "compositor-core/parts/define-part"
import { partsBesideWords } from "compositor-core/compose/editable"
import { newId } from "compositor-core/message/id"
import { Refusal, type RefusalDetail } from "compositor-core/message/refusal"
import type { Metadata, StoredMessage } from "compositor-core/message/row"
import type { StoredEntity } from "../store/store.ts"
import { editQueued, submit } from "../submit/submit.ts"
import { type EntityAddress, printEntityAddress } from "./address.ts"
import { partsOfSend } from "./compose-send.ts"
import type { AnyDefinition } from "./definition.ts"
import type { Entities } from "./entities.ts"
import type { InboxChange, SendRequest, SentAttachment } from "compositor-core/contract/entities"
import { isMessageId, type SentPayload, readPayload, readSend } from "./read-send.ts"
import type { EntityDependencies } from "./rooms.ts"
import { vocabularyIn } from "./session-commands.ts"
import type { InboxMetadata } from "compositor-core/contract/entities"
import { COMPOSER_INPUT, inboxIn } from "./wake.ts"

export interface SentToInbox {
  readonly key: string
  readonly txid: string
  readonly warnings: readonly RefusalDetail[]
  readonly replayed: boolean
}

export interface SendOptions {
  readonly principal: string
  /** Whose doing it is, so that done again it is done once. */
  readonly message_id?: string | undefined
}

interface Receiver {
  readonly entity: StoredEntity
  readonly definition: AnyDefinition
  readonly workspace_root: string | null
}

/** What is sent to entities: checked, brought into parts, and then a message of its queue like any
 *  other, so that order, edits, steering and crashes are what they are for every session. */
export class Inbox {
  readonly #rooms: EntityDependencies
  readonly #entities: Entities

  constructor(rooms: EntityDependencies, entities: Entities) {
    this.#rooms = rooms
    this.#entities = entities
  }

  async send(address: EntityAddress, body: unknown, options: SendOptions): Promise<SentToInbox> {
    const receiver = await this.#receiver(address)
    const read = await readSend(receiver.definition, body, options.principal)
    if (read.type === "faults") throw invalid(read.faults)
    const { request, payload, warnings } = read
    const message_id = options.message_id ?? (await this.#messageId(receiver, request.key))
    const attachments = [
      ...(request.attachments ?? []),
      ...(await this.#staged(receiver, request.key)),
    ]
    const about = { request, payload, attachments, principal: options.principal, message_id }
    const sent = await this.#submit(receiver, about)
    return { ...sent, key: request.key ?? message_id, warnings: [...warnings, ...sent.warnings] }
  }

  async #receiver(address: EntityAddress): Promise<Receiver> {
    const entity = await this.#entities.stored(address)
    if (entity.killed_at !== null)
      throw new Refusal("conflict", `the entity ${printEntityAddress(address)} was killed`)
    const session = await this.#rooms.store.session(entity.session_id)
    if (!session)
      throw new Refusal("not_found", `there is no entity ${printEntityAddress(address)}`)
    const { workspace_root } = session
    return { entity, definition: this.#entities.definition(address.type), workspace_root }
  }

  // A sender's own key stands for one message, however often it is sent.
  async #messageId({ entity }: Receiver, key: string | undefined): Promise<string> {
    const message_id = newId("msg")
    if (key === undefined) return message_id
    if (isMessageId(key)) return key
    const { session_id } = entity
    return (await this.#rooms.store.reserveKey({ session_id, key, message_id })).message_id
  }

  async #submit(
    receiver: Receiver,
    about: {
      readonly request: SendRequest
      readonly payload: SentPayload
      readonly attachments: readonly SentAttachment[]
      readonly principal: string
      readonly message_id: string
    },
  ) {
    const { request, payload, attachments, message_id } = about
    const { session_id } = receiver.entity
    const parts = partsOfSend(payload, await this.#vocabulary(receiver), attachments)
    const sent = await submit(this.#rooms.submitRooms(), {
      session_id,
      message_id,
      parts,
      metadata: metadataOf(payload, {
        key: request.key ?? message_id,
        from: about.principal,
        mode: request.mode ?? "immediate",
        ...(attachments.length > 0 ? { attachments: [...attachments] } : {}),
      }),
      mode: request.mode,
      position: request.position,
      expected_turn_id: request.expected_turn_id,
    })
    for (const row of [...sent.actions, sent.message]) if (row?.claim) this.#rooms.take(row.claim)
    const row = sent.message
    if (!row) throw new Refusal("invalid", "what was sent only shows something, and says nothing")
    // Where the handler gives commands their meaning, nobody else knows that one has none.
    const isOurs = receiver.definition.resolve === "submit"
    return { txid: row.txid, replayed: row.replayed, warnings: isOurs ? sent.notices : [] }
  }

  #vocabulary({ entity, definition, workspace_root }: Receiver) {
    const { session_id } = entity
    return vocabularyIn(this.#rooms, definition, { session_id, workspace_root })
  }

  /** Change a message that waits: its payload whole, its place, or when it runs; 409 once it fired. */
  async change(
    address: EntityAddress,
    key: string,
    change: InboxChange,
  ): Promise<{ txid: string; warnings: readonly RefusalDetail[] }> {
    if (Object.values(change).every((value) => value === undefined))
      throw new Refusal("invalid", "the change says nothing")
    const receiver = await this.#receiver(address)
    const message = await this.#message(receiver, key)
    if (change.status === "cancelled") return { ...(await this.cancel(address, key)), warnings: [] }
    const edited = await this.#edit(receiver, message, change)
    const moded = await this.#mode(message, change)
    await this.#rooms.wake(receiver.entity.session_id)
    const txid = moded ?? edited.txid
    if (txid === undefined) throw new Refusal("invalid", "the change says nothing")
    return { txid, warnings: edited.warnings }
  }

  async #message({ entity }: Pick<Receiver, "entity">, key: string): Promise<StoredMessage> {
    const { store } = this.#rooms
    const { session_id } = entity
    const reserved = isMessageId(key)
      ? key
      : (await store.entityRow(session_id, "$inbox_keys", key))?.value.message_id
    const message = typeof reserved === "string" ? await store.message(session_id, reserved) : null
    if (message) return message
    const { type, name: id } = entity
    throw new Refusal(
      "not_found",
      `there is no message ${key} for ${printEntityAddress({ type, id })}`,
    )
  }

  // A payload comes in by the same way as the first one, nodes and all (EA-023).
  async #edit(receiver: Receiver, message: StoredMessage, change: InboxChange) {
    const { position } = change
    const state = change.mode === "paused" ? "paused" : undefined
    const isNew = change.payload !== undefined
    if (!isNew && position === undefined && state === undefined) return { warnings: [] }
    const before = inboxIn(message.id, message.metadata)
    const read = isNew ? await this.#readEdit(receiver, message, change.payload) : undefined
    const { txid } = await editQueued(this.#rooms.submitRooms(), {
      session_id: message.session_id,
      message_id: message.id,
      position,
      state,
      ...(read ? { parts: read.parts } : {}),
      metadata: read?.metadata ?? {
        inbox: { ...keptOf(before), mode: change.mode ?? before.mode },
      },
    })
    return { txid, warnings: read?.warnings ?? [] }
  }

  async #readEdit(receiver: Receiver, message: StoredMessage, payload: unknown) {
    const before = inboxIn(message.id, message.metadata)
    const read = await readPayload(receiver.definition, before.message_type, payload)
    if (read.type === "faults") throw invalid(read.faults)
    const { payload: said, warnings } = read.read
    const sent = partsOfSend(said, await this.#vocabulary(receiver), before.attachments ?? [])
    const { leading, following } = besidePayload(message, before)
    const parts = [...leading.map(openPart), ...sent, ...following.map(openPart)]
    return { parts, warnings, metadata: metadataOf(said, before) }
  }

  async #mode({ session_id, id: message_id }: StoredMessage, { mode }: InboxChange) {
    if (mode === undefined || mode === "paused") return undefined
    return (await this.#rooms.store.remode({ session_id, message_id, mode })).txid
  }

  async cancel(address: EntityAddress, key: string): Promise<{ txid: string }> {
    const receiver = await this.#receiver(address)
    const { session_id, id: message_id } = await this.#message(receiver, key)
    const { txid } = await this.#rooms.store.cancelQueued({ session_id, message_id })
    await this.#rooms.wake(session_id)
    return { txid }
  }

  /** Bytes that were uploaded for a message before it is sent; they go with it in one commit. */
  async attach(
    address: EntityAddress,
    { key, attachment }: { readonly key: string; readonly attachment: SentAttachment },
  ): Promise<{ txid: string }> {
    const { entity } = await this.#receiver(address)
    const { session_id } = entity
    const value = { ...attachment, subject_key: key, created_at: Date.now() }
    return this.#rooms.store.writeRow({
      session_id,
      effect: null,
      collection: ATTACHMENTS,
      event_type: "manifest",
      key: `attachment:${attachment.id}`,
      operation: "insert",
      value,
    })
  }

  async attachment(
    address: EntityAddress,
    id: string,
  ): Promise<SentAttachment & { session_id: string }> {
    const { session_id } = await this.#entities.stored(address)
    const row = await this.#rooms.store.entityRow(session_id, ATTACHMENTS, `attachment:${id}`)
    if (!row) throw new Refusal("not_found", `there is no attachment ${id}`)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- we wrote the row
    return { ...(row.value as unknown as SentAttachment), session_id }
  }

  async detach(address: EntityAddress, id: string): Promise<{ txid: string }> {
    const { session_id } = await this.attachment(address, id)
    return this.#rooms.store.writeRow({
      session_id,
      effect: null,
      collection: ATTACHMENTS,
      event_type: "manifest",
      key: `attachment:${id}`,
      operation: "delete",
      value: null,
    })
  }

  async #staged({ entity }: Receiver, key: string | undefined): Promise<SentAttachment[]> {
    if (key === undefined) return []
    const rows = await this.#rooms.store.entityRows(entity.session_id, ATTACHMENTS)
    return (
      rows
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- we wrote the row
        .map(({ value }) => value as unknown as SentAttachment & { subject_key: string })
        .filter(({ subject_key }) => subject_key === key)
        .map(({ id, content_id, name, mime, size }) => ({
          id,
          content_id,
          name,
          mime,
          ...(size === undefined ? {} : { size }),
        }))
    )
  }
}

const ATTACHMENTS = "$attachments"

/** What came with a payload and is none of it: a new payload leaves it where it is. A payload that is no
 *  text is one part, which the new one replaces. */
function besidePayload(message: StoredMessage, { message_type, attachments = [] }: InboxMetadata) {
  const ids = new Set<unknown>(attachments.map(({ id }) => id))
  const isBeside = (part: PartData) =>
    !ids.has(part.attachment_id) && !(part.source === "inbox" && part.kind === message_type)
  const { leading, following } = partsBesideWords(message)
  return { leading: leading.filter(isBeside), following: following.filter(isBeside) }
}

function metadataOf(
  payload: SentPayload,
  about: Omit<InboxMetadata, "message_type" | "payload">,
): Metadata {
  const kept = keptOf({ ...about, message_type: "" })
  if (payload.type === "input")
    return { composer_input: payload.input, inbox: { ...kept, message_type: COMPOSER_INPUT } }
  const { message_type, payload: value } = payload
  return { inbox: { ...kept, message_type, payload: value } }
}

// What was typed stands in the metadata once.
function keptOf({ payload, ...inbox }: InboxMetadata): InboxMetadata {
  return inbox.message_type === COMPOSER_INPUT || payload === undefined
    ? inbox
    : { ...inbox, payload }
}

function invalid(faults: readonly RefusalDetail[]): Refusal {
  const [first] = faults
  return new Refusal("invalid", `${first?.path ?? "/"}: ${first?.message ?? ""}`, faults)
}
