import type { Context } from "hono"
import { z } from "zod"
import type { ServedAs } from "compositor-files/blobs/blobs"
import { readAll } from "compositor-files/blobs/blocks"
import { type Host, MAX_UPLOAD_BYTES } from "compositor-engine/host/host"
import { Refusal } from "compositor-core/message/refusal"
import { ownerOf } from "../caller.ts"
import { ANSWER_HEADERS } from "../door.ts"
import { DoorError } from "../errors.ts"
import { metered } from "../limits.ts"
import { type Route, route } from "../route.ts"
import { Flag } from "../schemas.ts"
import { streamOf } from "../stream-of.ts"

/** What a browser may show in place; everything else is only ever downloaded. */
const SHOWN_IN_PLACE: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
])

export const blobRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/v1/blobs",
    summary: "Upload a file as a stream; the answer has the part that a message carries",
    query: z.object({
      name: z.string().min(1).max(1024).default("file"),
      /** Carry the bytes of a small readable file in the part too. */
      inline: Flag.optional(),
    }),
    answer: z.object({
      content_id: z.string(),
      size: z.int(),
      mime: z.string(),
      name: z.string(),
      /** What is seen to be wrong with it. */
      condition: z.enum(["encrypted", "damaged"]).optional(),
      part: z.looseObject({}),
    }),
    status: 201,
    async handle({ host, caller, context, query }) {
      const declared = Number(context.req.header("content-length") ?? 0)
      if (declared > MAX_UPLOAD_BYTES)
        throw new DoorError(413, "too_large", `a file may have at most ${MAX_UPLOAD_BYTES} bytes`)
      const { kind, ...uploaded } = await host.upload(
        metered(context, chunksOf(context.req.raw)),
        query.name,
        ownerOf(caller),
      )
      const carried = query.inline && kind !== "binary" && kind !== "archive"
      const data = carried ? await inlineData(host, uploaded) : {}
      return { ...uploaded, part: { type: "file-attachment", ...uploaded, ...data } }
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/blobs/:content",
    summary: "The bytes that a part of this session carries; ranges are answered",
    async handle({ host, context, param }) {
      const blob = await readable(host, param("id"), param("content"))
      const link = await host.blobs.link?.(blob.content_id, servedAs(blob))
      if (link) return elsewhere(link)
      return blobResponse(host, context, blob)
    },
  }),
]

async function inlineData(host: Host, { content_id, size }: { content_id: string; size: number }) {
  if (size > host.files.inline_bytes) return {}
  const bytes = await readAll(host.blobs.open(content_id), size)
  return { data: Buffer.from(bytes).toString("base64") }
}

async function* chunksOf(request: Request): AsyncIterable<Uint8Array> {
  for await (const chunk of request.body ?? []) yield chunk
}

interface Blob {
  readonly content_id: string
  readonly size: number
  readonly mime: string
}

// Known or guessed ids of other sessions' files look exactly like ids that never were.
async function readable(host: Host, session_id: string, content_id: string): Promise<Blob> {
  const blob = await host.store.blob(content_id)
  if (!blob || !(await host.store.sessionHasBlob(session_id, content_id)))
    throw new Refusal("not_found", `session ${session_id} has no file ${content_id}`)
  return blob
}

function servedAs({ mime }: Blob): ServedAs {
  return SHOWN_IN_PLACE.has(mime)
    ? { type: mime, disposition: "inline" }
    : { type: "application/octet-stream", disposition: "attachment" }
}

// The link is as good as the bytes: nobody keeps it.
function elsewhere(link: string): Response {
  const headers = { ...ANSWER_HEADERS, location: link, "cache-control": "no-store" }
  return new Response(null, { status: 302, headers })
}

function blobResponse(host: Host, context: Context, blob: Blob): Response {
  const range = rangeOf(context.req.header("range"), blob.size)
  const { type, disposition } = servedAs(blob)
  const headers = new Headers({
    ...ANSWER_HEADERS,
    "content-type": type,
    "content-disposition": disposition,
    "content-security-policy": "sandbox; default-src 'none'",
    "accept-ranges": "bytes",
    "cache-control": "private, immutable, max-age=31536000",
    etag: `"${blob.content_id}"`,
  })
  if (range === "unsatisfiable") {
    headers.set("content-range", `bytes */${blob.size}`)
    return new Response(null, { status: 416, headers })
  }
  const { start, end } = range ?? { start: 0, end: blob.size }
  headers.set("content-length", String(end - start))
  if (range) headers.set("content-range", `bytes ${start}-${end - 1}/${blob.size}`)
  const body = streamOf(host.blobs.open(blob.content_id, { start, end }))
  return new Response(body, { status: range ? 206 : 200, headers })
}

type ByteRange = { readonly start: number; readonly end: number }

function rangeOf(
  header: string | undefined,
  size: number,
): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "")
  if (!match || (match[1] === "" && match[2] === "")) return undefined
  const [, first = "", last = ""] = match
  const start = first === "" ? Math.max(size - Number(last), 0) : Number(first)
  const end = first === "" || last === "" ? size : Math.min(Number(last) + 1, size)
  return start < end ? { start, end } : "unsatisfiable"
}
