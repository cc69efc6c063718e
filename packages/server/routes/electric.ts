import { isRecord } from "compositor-core/message/untyped"
import type { Context, Hono } from "hono"
import { z } from "zod"
import { type EntitySchema, InboxChange } from "compositor-core/contract/entities"
import { PLAIN_MESSAGE } from "compositor-engine/entities/wake"
import type { Store } from "compositor-engine/store/store"
import { MAX_UPLOAD_BYTES } from "compositor-engine/uploads/upload"
import { newId } from "compositor-core/message/id"
import { Refusal } from "compositor-core/message/refusal"
import { parseOffset } from "compositor-engine/streams/offset"
import { type Caller, callerOf, callerOwner, visibleTo } from "../caller.ts"
import { requireOwnIn } from "../guard.ts"
import { readJsonBody } from "../route.ts"
import { answerError, HttpError } from "../errors.ts"
import { streamOf } from "../stream-of.ts"
import type { BlobEngine } from "./blobs.ts"
import {
  addressIn,
  type EntityEngine,
  entityWorkspace,
  readSenderPrincipal,
  listWarnings,
} from "./entities.ts"

const MAX_ATTACHMENT_BYTES = Math.min(MAX_UPLOAD_BYTES, 25 * 1024 * 1024)
const MAX_DELAY_MS = 366 * 24 * 60 * 60 * 1000

interface ElectricEngine {
  readonly store: Pick<Store, "head" | "events">
  readonly entities: EntityEngine["entities"]
  readonly blobs: Pick<BlobEngine["blobs"], "open">
  readonly upload: BlobEngine["upload"]
}

interface Called {
  readonly engine: ElectricEngine
  readonly context: Context
  readonly caller: Caller
  readonly param: (name: string) => string
}
type Handle = (asked: Called) => Promise<Response>

/** The addresses and fields under which Electric's own clients look for an entity. Thin: each is one
 *  call of what our own routes call. */
export function mountElectric(app: Hono, engine: ElectricEngine, log: (message: string) => void) {
  for (const [method, path, handle] of ELECTRIC_ROUTES)
    app.on(method, path, async (context) => {
      const param = (name: string) => context.req.param(name) ?? ""
      try {
        return await handle({ engine, context, caller: callerOf(context), param })
      } catch (error) {
        return answerError(inTheirWords(error, method), context, log)
      }
    })
}

const HANDLED: readonly (readonly [method: string, path: string, handle: Handle])[] = [
  ["GET", "/health", async ({ context }) => context.json({ status: "ok" })],
  ["GET", "/entities", list],
  ["PUT", "/entities/:type/:id", spawn],
  ["GET", "/entities/:type/:id", show],
  ["DELETE", "/entities/:type/:id", kill],
  ["POST", "/entities/:type/:id/send", send],
  ["PATCH", "/entities/:type/:id/inbox/:key", change],
  ["DELETE", "/entities/:type/:id/inbox/:key", cancel],
  ["POST", "/entities/:type/:id/attachments", attach],
  ["GET", "/entities/:type/:id/attachments/:attachment", attachment],
  ["DELETE", "/entities/:type/:id/attachments/:attachment", detach],
  ["POST", "/entities/:type/:id/tags/:tag", tag],
  ["DELETE", "/entities/:type/:id/tags/:tag", untag],
  ["POST", "/entities/:type/:id/fork", fork],
]
export const ELECTRIC_ROUTES = HANDLED.map(
  ([method, path, handle]) => [method, `/_electric${path}`, handle] as const,
)

async function list({ engine, caller, context }: Called) {
  const { type, parent } = context.req.query()
  const found = await engine.entities.entities.list({ type, parent, ...visibleTo(caller) })
  return context.json(found.map(shown))
}

const SpawnBody = z.object({
  args: z.unknown().optional(),
  tags: z.record(z.string().max(128), z.string().max(1024)).optional(),
  parent: z.string().max(512).optional(),
  initialMessage: z.unknown().optional(),
  initialMessageType: z.string().max(128).optional(),
})

async function spawn(asked: Called) {
  const { engine, context } = asked
  const body = checked(SpawnBody, await bodyOf(context))
  const { initialMessage, initialMessageType, ...request } = body
  const about = { ...entityWorkspace(asked.caller), ...request }
  const { entity, txid } = await engine.entities.entities.spawn(addressIn(asked), about)
  if (initialMessage !== undefined)
    await engine.entities.inbox.send(
      addressIn(asked),
      { type: initialMessageType ?? PLAIN_MESSAGE, payload: initialMessage },
      { principal: readSenderPrincipal(context) },
    )
  return context.json({ ...shown(entity), txid }, 201)
}

async function show(asked: Called) {
  return asked.context.json(shown(await asked.engine.entities.entities.get(addressIn(asked))))
}

async function kill(asked: Called) {
  const { txid } = await asked.engine.entities.entities.kill(addressIn(asked))
  return asked.context.json({ txid })
}

const Later = z.object({ afterMs: z.int().min(0).max(MAX_DELAY_MS) })

/** A message without a type is a plain one; one for later is a schedule. */
async function send(asked: Called) {
  const { engine, context } = asked
  const body = await readJsonBody(context)
  if (!isRecord(body)) throw notTheirs()
  const { afterMs, from_principal: _p, from_agent: _a, ...message } = body
  const sent = { type: PLAIN_MESSAGE, ...message }
  if (afterMs !== undefined) return sendLater(asked, { afterMs, sent })
  const principal = readSenderPrincipal(context)
  const { key, txid, warnings } = await engine.entities.inbox.send(addressIn(asked), sent, {
    principal,
  })
  return context.json({ txid, key, ...listWarnings(warnings) })
}

interface ForLater {
  readonly afterMs: unknown
  readonly sent: { readonly type: unknown; readonly payload?: unknown }
}

async function sendLater(asked: Called, { afterMs, sent }: ForLater) {
  const { engine, context } = asked
  const later = checked(Later, { afterMs }).afterMs
  const { session_id } = await engine.entities.entities.stored(addressIn(asked))
  await engine.entities.schedules.put(session_id, newId("trg"), {
    schedule: { kind: "at", at: Date.now() + later },
    payload: sent.payload,
    message_type: String(sent.type),
  })
  return context.body(null, 204)
}

async function change(asked: Called) {
  const { engine, context, param } = asked
  const body = checked(InboxChange, await readJsonBody(context))
  if (Object.keys(body).length === 0) throw notTheirs()
  const { txid, warnings } = await engine.entities.inbox.change(
    addressIn(asked),
    param("key"),
    body,
  )
  return context.json({ txid, ...listWarnings(warnings) })
}

async function cancel(asked: Called) {
  const { engine, context, param } = asked
  return context.json(await engine.entities.inbox.cancel(addressIn(asked), param("key")))
}

const Subject = z.object({ type: z.literal("inbox"), key: z.string().min(1).max(200) })

/** Bytes for a message that is yet to be sent: they wait under its key, and go with it. */
async function attach(asked: Called) {
  const { engine, context } = asked
  const declared = Number(context.req.header("content-length") ?? Number.NaN)
  if (!(declared <= MAX_ATTACHMENT_BYTES)) throw tooLarge()
  const form = await context.req.formData().catch(() => {
    throw notTheirs()
  })
  const file = form.get("file")
  if (!(file instanceof File)) throw notTheirs()
  const subject = checked(Subject, subjectIn(form))
  await requireOwnIn(context, { key: subject.key, id: text(form, "id") })
  const filename = text(form, "filename") ?? file.name ?? "attachment"
  const { content_id, size, mime } = await engine.upload(
    file.stream(),
    filename,
    callerOwner(asked.caller),
  )
  const id = text(form, "id") ?? newId("prt")
  const attachment = { id, content_id, name: filename, mime, size }
  const { txid } = await engine.entities.inbox.attach(addressIn(asked), {
    key: subject.key,
    attachment,
  })
  const about = { id, status: "complete", subject, role: "input", mimeType: mime, filename }
  const more = { byteLength: size, sha256: content_id.slice(7) }
  return context.json({ txid, attachment: { kind: "attachment", ...about, ...more } }, 201)
}

function subjectIn(form: FormData): unknown {
  const whole = text(form, "subject")
  if (whole === undefined) return { type: text(form, "subjectType"), key: text(form, "subjectKey") }
  try {
    return JSON.parse(whole)
  } catch {
    throw notTheirs()
  }
}

function text(form: FormData, name: string): string | undefined {
  const value = form.get(name)
  return typeof value === "string" && value !== "" ? value : undefined
}

async function attachment(asked: Called) {
  const { engine, param } = asked
  const found = await engine.entities.inbox.attachment(addressIn(asked), param("attachment"))
  return new Response(streamOf(engine.blobs.open(found.content_id)), {
    headers: {
      "content-type": found.mime,
      "content-disposition": "attachment",
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=31536000, immutable",
    },
  })
}

async function detach(asked: Called) {
  const { engine, context, param } = asked
  const { txid } = await engine.entities.inbox.detach(addressIn(asked), param("attachment"))
  return context.json({ txid })
}

async function tag(asked: Called) {
  const { engine, context, param } = asked
  const { value } = checked(z.object({ value: z.string().max(1024) }), await readJsonBody(context))
  const { entity, txid } = await engine.entities.entities.tag(addressIn(asked), {
    [param("tag")]: value,
  })
  return context.json({ ...shown(entity), txid })
}

async function untag(asked: Called) {
  const { engine, context, param } = asked
  const { entity, txid } = await engine.entities.entities.tag(addressIn(asked), {
    [param("tag")]: null,
  })
  return context.json({ ...shown(entity), txid })
}

const ForkBody = z.object({
  instance_id: z.string().min(1).max(200).optional(),
  fork_pointer: z.object({ offset: z.string(), sub_offset: z.int().optional() }).optional(),
  anchor: z.literal("latest_completed_run").optional(),
})

async function fork(asked: Called) {
  const { engine, context } = asked
  const { instance_id: id, fork_pointer } = checked(ForkBody, await bodyOf(context))
  const from_message_id = fork_pointer ? await messageAt(asked, fork_pointer.offset) : null
  const forked = await engine.entities.entities.fork(addressIn(asked), { id, from_message_id })
  const root = shown(forked.entity)
  return context.json({ root, entities: [root], txid: forked.txid }, 201)
}

/** The last message of history that the stream had told of at an offset. */
async function messageAt(asked: Called, offset: string): Promise<string> {
  const { store } = asked.engine
  const position = parseOffset(offset)
  const { session_id } = await asked.engine.entities.entities.stored(addressIn(asked))
  const { first_seq } = await store.head(session_id)
  let found: string | undefined
  let from = first_seq
  for (;;) {
    const events = await store.events(session_id, from, 500)
    const before = events.filter(({ seq }) => position !== undefined && seq < position)
    for (const { type, key, value } of before)
      if (type === "message" && value?.state === "fired") found = key
    if (before.length < events.length || events.length === 0) break
    from += events.length
  }
  if (found !== undefined) return found
  throw new Refusal("invalid", `nothing was said before ${offset}`)
}

/** A body that may be left out. */
async function bodyOf(context: Context): Promise<unknown> {
  return context.req.header("content-type") === undefined ? {} : readJsonBody(context)
}

function shown({ name: _name, ...entity }: EntitySchema): object {
  return { ...entity, spawn_args: entity.args }
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw notTheirs()
}

function notTheirs(): HttpError {
  return new HttpError(400, "INVALID_REQUEST", "Request body does not match API schema")
}

function tooLarge(): HttpError {
  const message = `an attachment has at most ${MAX_ATTACHMENT_BYTES} bytes, and says how many`
  return new HttpError(413, "INVALID_REQUEST", message)
}

const CODES: Readonly<Record<string, readonly [status: number, code: string]>> = {
  not_found: [404, "NOT_FOUND"],
  conflict: [409, "NOT_RUNNING"],
  stale: [409, "NOT_RUNNING"],
  invalid: [422, "SCHEMA_VALIDATION_FAILED"],
  too_large: [413, "INVALID_REQUEST"],
}

/** Their codes, and their places: within the payload. */
function inTheirWords(error: unknown, method: string): unknown {
  if (!(error instanceof Refusal)) return error
  const isTaken = error.code === "conflict" && method === "PUT"
  const [status, said] = CODES[error.code] ?? [422, error.code.toUpperCase()]
  const code = isTaken ? "DUPLICATE_URL" : said
  const details = error.details.map(({ path, message }) => ({
    path: path === "/payload" ? "/" : path.replace(/^\/payload(?=\/)/, ""),
    message,
  }))
  return new HttpError(status, code, error.message, details)
}
