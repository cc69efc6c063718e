import type { PartData } from "../packages/core/parts/define-part.ts"
import type { FileAttachmentPart } from "../packages/core/parts/file-attachment.ts"
import type { FileRefPart } from "../packages/core/parts/file-ref.ts"
import { openPart } from "../packages/core/parts/table.ts"
import type { TextPart } from "../packages/core/parts/text.ts"
import type { Range } from "../packages/core/message/file-reference.ts"
import type { LoadedFile } from "../packages/core/file/loaded-file.ts"
import type { LoadedPart, NamedPart } from "../packages/core/lower/loaded-part.ts"
import type { BlobStore } from "../packages/files/blobs/blobs.ts"
import { createHash } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { Block, Media, PromptMessage } from "../packages/core/model/prompt.ts"

/** A folder of its own for one test, gone when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-test-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export function bytes(...pieces: readonly (string | number | Uint8Array | readonly number[])[]) {
  return Buffer.concat(pieces.map(toBytes))
}

function toBytes(piece: string | number | Uint8Array | readonly number[]): Uint8Array {
  if (typeof piece === "string") return Buffer.from(piece, "latin1")
  if (typeof piece === "number") return Buffer.from([piece])
  return Buffer.from(piece)
}

export async function* chunksOf(...pieces: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

export async function collectBytes(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await collect(chunks))
}

// Images of any size that consist of a header: nothing decodes them.

export function png(width = 1, height = 1): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const start = bytes("\x89PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", header, [8, 6, 0, 0, 0])
  return bytes(start, [0, 0, 0, 0], [0, 0, 0, 0], "IDAT", [0, 0, 0, 0])
}

export function jpeg(width = 1, height = 1, filler = 0): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16BE(height, 0)
  size.writeUInt16BE(width, 2)
  const segment = Buffer.alloc(filler === 0 ? 0 : filler + 4)
  if (filler > 0) {
    segment.writeUInt16BE(0xffe1, 0)
    segment.writeUInt16BE(filler + 2, 2)
  }
  const start = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], "JFIF\0", [1, 1, 0, 0, 1, 0, 1, 0, 0])
  const frame = bytes([0xff, 0xc0, 0, 17, 8], size, [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
  return bytes(start, segment, frame, [0xff, 0xd9])
}

export function gif(width = 1, height = 1): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16LE(width, 0)
  size.writeUInt16LE(height, 2)
  return bytes("GIF89a", size, [0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x3b])
}

export function webp(form: "VP8 " | "VP8L" | "VP8X", width = 1, height = 1): Buffer {
  const body = webpBody(form, width, height)
  const sizes = [body.length + 12, body.length].map((size) => {
    const buffer = Buffer.alloc(4)
    buffer.writeUInt32LE(size)
    return buffer
  })
  return bytes("RIFF", sizes[0] ?? [], "WEBP", form, sizes[1] ?? [], body)
}

function webpBody(form: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Buffer {
  const body = Buffer.alloc(10)
  switch (form) {
    case "VP8 ":
      bytes([0, 0, 0, 0x9d, 0x01, 0x2a]).copy(body)
      body.writeUInt16LE(width, 6)
      body.writeUInt16LE(height, 8)
      return body
    case "VP8L":
      body.writeUInt8(0x2f, 0)
      body.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1)
      return body
    case "VP8X":
      body.writeUIntLE(width - 1, 4, 3)
      body.writeUIntLE(height - 1, 7, 3)
      return body
  }
}

// Parts, and parts as they are once they were read.

let serial = 0

export function named(part: PartData, id = `prt_${++serial}`): NamedPart {
  return { id, part: openPart(part) }
}

export function text(value: string): TextPart {
  return { type: "text", text: value }
}

export function fileRef(path: string, range?: Range): FileRefPart {
  return { type: "file-ref", ref: { kind: "path", path, ...(range ? { range } : {}) } }
}

export function attachment(
  name: string,
  data: Uint8Array,
  mime = "application/x-said",
): FileAttachmentPart {
  return { type: "file-attachment", name, mime, data: Buffer.from(data).toString("base64") }
}

export function loaded(part: PartData, file: LoadedFile | null = null): LoadedPart {
  return { ...named(part), file }
}

export function textFile(
  name: string,
  content: string,
  more: Partial<Extract<LoadedFile, { type: "text" }>> = {},
): LoadedFile {
  const size = Buffer.byteLength(content)
  const facts = { name, mime: "text/plain", kind: "text", size, lines: null, note: null } as const
  return { type: "text", text: content, range: null, content_id: null, ...facts, ...more }
}

export function mediaFile(
  name: string,
  mime: string,
  more: Partial<Extract<LoadedFile, { type: "media" }>> = {},
): LoadedFile {
  const kind = mime === "application/pdf" ? "pdf" : "image"
  const file = media(name, mime, more.size ?? 1000)
  const about = { name, mime, kind, size: file.size, content_id: file.content_id } as const
  const dimensions = kind === "image" ? { width: 100, height: 80 } : {}
  return { type: "media", media: file, lines: null, note: null, ...about, ...dimensions, ...more }
}

export function opaqueFile(
  name: string,
  mime: string,
  more: Partial<Extract<LoadedFile, { type: "opaque" }>> = {},
): LoadedFile {
  const facts = { name, mime, kind: "binary", size: 1000 } as const
  return { type: "opaque", ...facts, content_id: null, lines: null, note: null, ...more }
}

export function media(name: string, mime: string, size: number): Media {
  const content_id = `sha256:${createHash("sha256").update(name).digest("hex")}`
  return { name, mime, size, content_id }
}

export function user(...blocks: readonly Block[]): PromptMessage {
  return { role: "user", blocks }
}

export function assistant(...blocks: readonly Block[]): PromptMessage {
  return { role: "assistant", blocks }
}

export function textBlock(value: string): Block {
  return { type: "text", text: value }
}

/** A blob store whose first bytes another node removes for good right after they were put. */
export function losingOnce(blobs: BlobStore): BlobStore {
  let lost = false
  const losing = async <Stored extends { content_id: string }>(put: Promise<Stored>) => {
    const stored = await put
    if (!lost) await blobs.remove(stored.content_id, undefined, async () => false)
    lost = true
    return stored
  }
  return new Proxy(blobs, {
    get(target, name) {
      if (name === "put")
        return (...given: Parameters<BlobStore["put"]>) => losing(target.put(...given))
      if (name === "putBytes") return (bytes: Uint8Array) => losing(target.putBytes(bytes))
      const value = Reflect.get(target, name) as unknown
      return typeof value === "function" ? value.bind(target) : value
    },
  })
}
