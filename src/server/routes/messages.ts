import { z } from "zod"
import { ComposerInput, partsOf } from "../../compose/composer-input.ts"
import type { Host } from "../../host.ts"
import type { Part, UnknownPart } from "../../message/part.ts"
import { StoredMessage, Turn } from "../../message/row.ts"
import { DoorError } from "../errors.ts"
import { type Route, route } from "../route.ts"
import { Page, Parts, QueuePatch, SendBody } from "../schemas.ts"
import { attachmentParts } from "./attachments.ts"
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
      message: StoredMessage,
      turn: Turn.nullable(),
      warnings: z.array(Warning),
      txid: z.string(),
      replayed: z.boolean(),
    }),
    status: 201,
    async handle({ host, param, body }) {
      const session_id = param("id")
      const { parts, metadata } = await composed(host, session_id, body)
      const sent = await host.submit({
        session_id,
        message_id: body.id,
        parts,
        metadata: metadata ? { ...body.metadata, ...metadata } : body.metadata,
        mode: body.mode,
        model: body.model,
        position: body.position,
        expected_turn_id: body.expected_turn_id,
      })
      const fired = sent.claim?.turn.message_id === sent.message.id
      return {
        message: sent.message,
        turn: fired ? sent.claim.turn : null,
        warnings: [],
        txid: sent.txid,
        replayed: sent.replayed,
      }
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
      return host.editQueued({ session_id: param("id"), message_id: param("message"), ...body })
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

interface Composed {
  readonly parts: readonly (Part | UnknownPart)[]
  readonly metadata?: Record<string, unknown>
}

async function composed(host: Host, session_id: string, body: SendBody): Promise<Composed> {
  const forms = [body.parts, body.source, body.message].filter((form) => form !== undefined)
  if (forms.length !== 1) throw fault("/", "say one of parts, source or message")
  if (body.parts) return { parts: body.parts }
  if (body.source !== undefined) return fromSource(body)
  return fromText(host, session_id, body)
}

function fromSource({ source, nodes }: SendBody): Composed {
  const parsed = ComposerInput.safeParse({ source, ...(nodes ? { nodes } : {}) })
  if (!parsed.success) {
    const details = parsed.error.issues.map(({ path, message }) => ({
      path: `/${path.map(String).join("/")}`,
      message,
    }))
    throw new DoorError(422, "validation_failed", "the composer input does not fit", details)
  }
  const parts = partsOf(parsed.data)
  if (parts.length === 0) throw fault("/source", "is blank")
  const [unfit] = Parts.safeParse(parts).error?.issues ?? []
  if (unfit) throw fault("/nodes", `${unfit.path.slice(1).join("/")} ${unfit.message}`)
  return { parts, metadata: { composer_input: parsed.data } }
}

async function fromText(host: Host, session_id: string, body: SendBody): Promise<Composed> {
  const session = await existing(host, session_id)
  const text: Part[] = body.message ? [{ type: "text", text: body.message }] : []
  const files = await attachmentParts(body.attachments ?? [], session.workspace_root)
  if (text.length + files.length === 0) throw fault("/message", "is blank")
  return { parts: [...text, ...files] }
}

function fault(path: string, message: string): DoorError {
  return new DoorError(422, "validation_failed", `${path}: ${message}`, [{ path, message }])
}
