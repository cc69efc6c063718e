import type { Context } from "hono"
import { blobs } from "compositor-core/contract/files"
import { Refusal } from "compositor-core/message/refusal"
import type { Store } from "compositor-engine/store/store"
import { MAX_UPLOAD_BYTES, type takeUpload } from "compositor-engine/uploads/upload"
import type { BlobStore, ServedAs } from "compositor-files/blobs/blobs"
import { readAll } from "compositor-files/blobs/blocks"
import { callerOwner } from "../caller.ts"
import { ANSWER_HEADERS } from "../door.ts"
import { HttpError } from "../errors.ts"
import { countBytes } from "../limits.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"
import { streamOf } from "../stream-of.ts"

/** What a browser may show in place; everything else is only ever downloaded. */
const SHOWN_IN_PLACE: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
])

export interface BlobEngine {
  readonly store: Pick<Store, "blob" | "sessionHasBlob">
  readonly blobs: Pick<BlobStore, "open" | "link">
  readonly files: { readonly inline_bytes: number }
  upload(
    chunks: AsyncIterable<Uint8Array>,
    name: string,
    principal: string | null,
  ): ReturnType<typeof takeUpload>
}

export function blobRoutes(engine: BlobEngine): ServedRoute[] {
  return serveRoutes(blobs, {
    async upload({ caller, context, query }) {
      const declared = Number(context.req.header("content-length") ?? 0)
      if (declared > MAX_UPLOAD_BYTES)
        throw new HttpError(413, "too_large", `a file may have at most ${MAX_UPLOAD_BYTES} bytes`)
      const { kind, ...uploaded } = await engine.upload(
        countBytes(context, chunksOf(context.req.raw)),
        query.name,
        callerOwner(caller),
      )
      const carried = query.inline && kind !== "binary" && kind !== "archive"
      const data = carried ? await inlineData(engine, uploaded) : {}
      const part = { type: "file-attachment", ...uploaded, ...data } as const
      return { ...uploaded, part }
    },
    async readBlob({ context, param }) {
      const blob = await readable(engine.store, param("id"), param("content"))
      const link = await engine.blobs.link?.(blob.content_id, servedAs(blob))
      if (link) return elsewhere(link)
      return blobResponse(engine.blobs, context, blob)
    },
  })
}

async function inlineData(
  engine: BlobEngine,
  { content_id, size }: { content_id: string; size: number },
) {
  if (size > engine.files.inline_bytes) return {}
  const bytes = await readAll(engine.blobs.open(content_id), size)
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
async function readable(
  store: BlobEngine["store"],
  session_id: string,
  content_id: string,
): Promise<Blob> {
  const blob = await store.blob(content_id)
  if (!blob || !(await store.sessionHasBlob(session_id, content_id)))
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

function blobResponse(blobs: BlobEngine["blobs"], context: Context, blob: Blob): Response {
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
  const body = streamOf(blobs.open(blob.content_id, { start, end }))
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
