import { openPart } from "compositor-core/parts/table"
import { z } from "zod"
import type { Host } from "compositor-engine/host/host"
import { partsBesideWords } from "compositor-core/compose/editable"
import { newId } from "compositor-core/message/id"
import type { TypedIn } from "compositor-engine/entities/session-commands"
import { type Session, StoredMessage, Turn } from "compositor-core/message/row"
import { composed, pathOf, type Said } from "../read-message-body.ts"
import type { Submitted } from "compositor-engine/submit/submit"
import { whereThereIsRoom } from "../queue-limit.ts"
import { type Asked, type Route, route } from "../route.ts"
import { Page, QueuePatch, SendBody } from "../schemas.ts"
import { principalOf } from "./entities.ts"
import { existing } from "./sessions.ts"

const Warning = z.object({ path: z.string(), message: z.string() })
const ChangedMessage = z.object({ message: StoredMessage, txid: z.string() })

export const messageRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/v1/sessions/:id/messages",
    summary: "Send a message; while a turn runs it waits its turn",
    body: SendBody,
    answer: z.object({
      message: StoredMessage.nullable(),
      turn: Turn.nullable(),
      warnings: z.array(Warning),
      shown: z.array(z.object({ command: z.string(), text: z.string() })),
      actions: z.array(z.string()),
      txid: z.string().nullable(),
      replayed: z.boolean(),
    }),
    status: 201,
    async handle(asked) {
      const { host, param, body } = asked
      const session = await existing(host, param("id"))
      const about = { session_id: session.id, message_id: body.id }
      return whereThereIsRoom(host, about, () => sendIn(session, asked))
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/messages",
    summary: "A page of history, the newest first asked for, in reading order",
    query: Page,
    answer: z.object({
      messages: z.array(StoredMessage),
      next: z.string().nullable(),
      stream_next_offset: z.int(),
    }),
    async handle({ host, param, query }) {
      return host.store.history(param("id"), query)
    },
  }),
  route({
    method: "delete",
    path: "/v1/sessions/:id/messages/:message",
    summary: "Purge one message's content; the session's stream starts anew",
    answer: z.object({ txid: z.string() }),
    async handle({ host, param }) {
      return host.purgeMessage(param("id"), param("message"))
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/queue",
    summary: "What waits, in the order in which it will fire",
    answer: z.object({ queue: z.array(StoredMessage), drain: z.enum(["open", "stopped"]) }),
    async handle({ host, param }) {
      const { drain } = await existing(host, param("id"))
      return { queue: await host.store.queue(param("id")), drain }
    },
  }),
  route({
    method: "patch",
    path: "/v1/sessions/:id/queue/:message",
    summary: "Edit, reorder, pause or release a message that waits; 409 once it fired",
    body: QueuePatch,
    answer: ChangedMessage,
    async handle({ host, param, body }) {
      const { source, parts, metadata, position, after, state } = body
      const at = { session_id: param("id"), message_id: param("message") }
      const isSaid = source !== undefined || parts !== undefined
      const said = isSaid ? await edited(host, at, body) : undefined
      return host.editQueued({
        ...at,
        position,
        after,
        state,
        ...(said ? { parts: said.parts } : {}),
        ...(said || metadata ? { metadata: { ...metadata, ...said?.metadata } } : {}),
      })
    },
  }),
  route({
    method: "delete",
    path: "/v1/sessions/:id/queue/:message",
    summary: "Cancel a message that waits; 409 once it fired",
    answer: ChangedMessage,
    async handle({ host, param }) {
      return host.cancelQueued(param("id"), param("message"))
    },
  }),
]

async function sendIn(
  session: Session,
  { host, body, context }: Asked<unknown, z.output<typeof SendBody>>,
) {
  const session_id = session.id
  const message_id = body.id ?? newId("msg")
  const said = await composed(host, placeIn(session), body)
  const inbox = await host.entities.heard(session, {
    ...said,
    key: message_id,
    from: principalOf(context),
    mode: body.mode ?? "immediate",
    path: pathOf(body),
  })
  const sent = await host.submit({
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
  const definition = host.entities.entities.definitionOf(session.agent)
  const own = definition?.resolve === "handler" ? [] : sent.notices
  return sentAnswer({ ...sent, notices: [...said.warnings, ...own] })
}

interface Waiting {
  readonly session_id: string
  readonly message_id: string
}

async function edited(host: Host, { session_id, message_id }: Waiting, body: Said) {
  const session = await existing(host, session_id)
  const before = await host.store.message(session_id, message_id)
  const isWordsOnly = body.parts === undefined && body.inserts === undefined
  const whole = before && isWordsOnly ? withOtherParts(before, body) : body
  const said = await composed(host, placeIn(session), whole)
  const heard = { ...said, path: pathOf(body) }
  const inbox = before && (await host.entities.heardAgain({ session, before, said: heard }))
  // What was typed before is not what is said now.
  const metadata = { composer_input: said.input, ...(inbox ? { inbox } : {}) }
  return { parts: said.parts, metadata }
}

/** New words alone leave the message's other parts where they are: before the words or behind them. */
function withOtherParts(before: StoredMessage, body: Said): Said {
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
