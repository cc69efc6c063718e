import { messages, type SendRequestBody } from "compositor-core/contract/messages"
import { partsBesideWords } from "compositor-core/compose/editable"
import { newId } from "compositor-core/message/id"
import { openPart } from "compositor-core/parts/table"
import type { Session, StoredMessage } from "compositor-core/message/row"
import type { Entities } from "compositor-engine/entities/entities"
import type { EntityRegistry } from "compositor-engine/entities/entity-room"
import type { TypedIn } from "compositor-engine/entities/session-commands"
import type { MessageChanged, Store } from "compositor-engine/store/store"
import type { QueuedEdit, Submission, Submitted } from "compositor-engine/submit/submit"
import { QueueLimit } from "../queue-limit.ts"
import { readMessageBody, pathOf, type MessageInput } from "../read-message-body.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"
import { existing } from "../workspace-root.ts"
import { readSenderPrincipal } from "./entities.ts"

export interface MessageEngine {
  readonly store: Pick<Store, "session" | "message" | "history" | "queue" | "queuedCount">
  readonly entities: Pick<EntityRegistry, "vocabulary" | "heard" | "heardAgain"> & {
    readonly entities: Pick<Entities, "definitionOf">
  }
  submit(submission: Submission): Promise<Submitted>
  editQueued(edit: QueuedEdit): Promise<MessageChanged>
  cancelQueued(session_id: string, message_id: string): Promise<MessageChanged>
  purgeMessage(session_id: string, message_id: string): Promise<{ readonly txid: string }>
}

export function messageRoutes(engine: MessageEngine): ServedRoute[] {
  const limit = new QueueLimit(engine.store)
  return serveRoutes(messages, {
    async sendMessage({ param, body, context }) {
      const session = await existing(engine.store, param("id"))
      const about = { session_id: session.id, message_id: body.id }
      const from = readSenderPrincipal(context)
      return limit.send(about, () => sendIn(engine, session, { body, from }))
    },
    async listMessages({ param, query }) {
      return engine.store.history(param("id"), query)
    },
    async purgeMessage({ param }) {
      return engine.purgeMessage(param("id"), param("message"))
    },
    async listQueue({ param }) {
      const { drain } = await existing(engine.store, param("id"))
      return { queue: await engine.store.queue(param("id")), drain }
    },
    async changeQueued({ param, body }) {
      const { source, parts, metadata, position, after, state } = body
      const at = { session_id: param("id"), message_id: param("message") }
      const isSaid = source !== undefined || parts !== undefined
      const said = isSaid ? await edited(engine, at, body) : undefined
      return engine.editQueued({
        ...at,
        position,
        after,
        state,
        ...(said ? { parts: said.parts } : {}),
        ...(said || metadata ? { metadata: { ...metadata, ...said?.metadata } } : {}),
      })
    },
    async cancelQueued({ param }) {
      return engine.cancelQueued(param("id"), param("message"))
    },
  })
}

async function sendIn(
  engine: MessageEngine,
  session: Session,
  { body, from }: { readonly body: SendRequestBody; readonly from: string },
) {
  const session_id = session.id
  const message_id = body.id ?? newId("msg")
  const said = await readMessageBody(engine.entities, placeIn(session), body)
  const inbox = await engine.entities.heard(session, {
    ...said,
    key: message_id,
    from,
    mode: body.mode ?? "immediate",
    path: pathOf(body),
  })
  const sent = await engine.submit({
    session_id,
    message_id,
    parts: said.parts,
    metadata: { ...body.metadata, ...said.metadata, ...(inbox ? { inbox } : {}) },
    mode: body.mode,
    model: body.model,
    position: body.position,
    expected_turn_id: body.expected_turn_id,
    contexts: body.contexts,
    approved_shell: body.approved_shell,
  })
  // Where a handler gives commands their meaning, nobody else knows that one has none.
  const definition = engine.entities.entities.definitionOf(session.agent)
  const own = definition?.resolve === "handler" ? [] : sent.notices
  return sentAnswer({ ...sent, notices: [...said.warnings, ...own] })
}

interface Waiting {
  readonly session_id: string
  readonly message_id: string
}

async function edited(
  engine: MessageEngine,
  { session_id, message_id }: Waiting,
  body: MessageInput,
) {
  const session = await existing(engine.store, session_id)
  const before = await engine.store.message(session_id, message_id)
  const isWordsOnly = body.parts === undefined && body.inserts === undefined
  const whole = before && isWordsOnly ? withOtherParts(before, body) : body
  const said = await readMessageBody(engine.entities, placeIn(session), whole)
  const heard = { ...said, path: pathOf(body) }
  const inbox = before && (await engine.entities.heardAgain({ session, before, said: heard }))
  // What was typed before is not what is said now.
  const metadata = { composer_input: said.input, ...(inbox ? { inbox } : {}) }
  return { parts: said.parts, metadata }
}

/** New words alone leave the message's other parts where they are: before the words or behind them. */
function withOtherParts(before: StoredMessage, body: MessageInput): MessageInput {
  const { leading, following } = partsBesideWords(before)
  return {
    ...body,
    inserts: leading.map((part) => ({ at: 0, part })),
    parts: following.map(openPart),
  }
}

function placeIn({ id, workspace_root, agent }: Session): TypedIn {
  return { session_id: id, workspace_root, agent }
}

/** `message` is null when all that was said was a command that only shows something. */
function sentAnswer({ message: sent, actions, shown, notices }: Submitted) {
  const fired = sent?.claim?.turn.message_id === sent?.message.id
  return {
    message: sent?.message ?? null,
    turn: fired ? (sent?.claim?.turn ?? null) : null,
    warnings: notices,
    shown,
    actions: actions.map(({ message }) => message.id),
    txid: sent?.txid ?? null,
    replayed: sent?.replayed ?? false,
  }
}
