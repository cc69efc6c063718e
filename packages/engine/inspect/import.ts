import { ContentId } from "compositor-core/message/file-reference"
import { z } from "zod"
import type { BlobStore } from "compositor-files/blobs/blobs"
import { Refusal } from "compositor-core/message/refusal"
import type { ExportRow, Imported, Store } from "../store/store.ts"
import { linesOf } from "./lines.ts"
import { RowLine } from "./rows.ts"

export interface ImportDependencies {
  readonly store: Pick<Store, "importRows">
  readonly blobs: Pick<BlobStore, "put" | "size">
}

const MAX_BLOB_BYTES = 2 * 1024 * 1024 * 1024

const BlobLine = z.strictObject({
  type: z.literal("blob-data"),
  data: z.strictObject({ content_id: ContentId, at: z.int().min(0), base64: z.string() }),
})
const Line = z.discriminatedUnion("type", [RowLine, BlobLine])

/** Write exported lines into a folder. Bytes come first and rows in one transaction, so a file that
 *  is cut short or does not fit leaves no row behind; a fault names its line. */
export async function importLines(
  rooms: ImportDependencies,
  chunks: AsyncIterable<Uint8Array>,
): Promise<Imported & { readonly blobs: number }> {
  const rows: ExportRow[] = []
  const lines: number[] = []
  const incoming = new Incoming(rooms)
  try {
    for await (const { number, text } of linesOf(chunks)) {
      if (text.trim() === "") continue
      const line = parse(text, number)
      if (line.type === "blob-data") await incoming.add(line.data, number)
      else {
        rows.push(line)
        lines.push(number)
      }
    }
    await incoming.end()
  } finally {
    await incoming.stop()
  }
  await requireBytes(rooms, rows, lines)
  const imported = await rooms.store.importRows({ rows, lines })
  return { ...imported, blobs: incoming.count }
}

function parse(text: string, number: number): z.infer<typeof Line> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Refusal("invalid", `line ${number} is not JSON`)
  }
  const parsed = Line.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.map(String).join("/") ?? ""
  throw new Refusal("invalid", `line ${number}: ${where}: ${issue?.message ?? "does not fit"}`)
}

async function requireBytes(
  rooms: ImportDependencies,
  rows: readonly ExportRow[],
  lines: readonly number[],
) {
  for (const [at, row] of rows.entries()) {
    if (row.type !== "blob") continue
    // An empty file has no pieces that could carry it.
    if (row.data.size === 0) await rooms.blobs.put(nothing(), { maxBytes: 0 })
    const size = await rooms.blobs.size(String(row.data.content_id))
    if (size !== row.data.size)
      throw new Refusal(
        "invalid",
        `line ${lines[at]}: the bytes of ${row.data.content_id} are not in the import`,
      )
  }
}

async function* nothing(): AsyncIterable<Uint8Array> {}

interface Piece {
  readonly content_id: string
  readonly at: number
  readonly base64: string
}

/** Blobs whose pieces come one behind the other; each is written while it comes. */
class Incoming {
  readonly #rooms: ImportDependencies
  #content_id = ""
  #line = 0
  #at = 0
  #writer: WritableStreamDefaultWriter<Uint8Array> | undefined
  #stored: Promise<{ content_id: string }> | undefined
  count = 0

  constructor(rooms: ImportDependencies) {
    this.#rooms = rooms
  }

  async add(piece: Piece, line: number) {
    if (piece.content_id !== this.#content_id) await this.#begin(piece.content_id)
    if (piece.at !== this.#at)
      throw new Refusal("invalid", `line ${line}: bytes of ${piece.content_id} are missing`)
    const bytes = Buffer.from(piece.base64, "base64")
    this.#line = line
    this.#at += bytes.length
    await this.#writer?.write(bytes)
  }

  async end() {
    if (!this.#writer || !this.#stored) return
    await this.#writer.close()
    const { content_id } = await this.#stored
    this.#writer = undefined
    if (content_id !== this.#content_id)
      throw new Refusal(
        "invalid",
        `line ${this.#line}: the bytes named ${this.#content_id} are not those`,
      )
    this.count += 1
  }

  /** Leave a blob that was begun; nothing of it stays. */
  async stop() {
    await this.#writer?.abort(new Error("the import was broken off")).catch(() => undefined)
    await this.#stored?.catch(() => undefined)
  }

  async #begin(content_id: string) {
    await this.end()
    this.#content_id = content_id
    this.#at = 0
    const pipe = new TransformStream<Uint8Array, Uint8Array>()
    this.#writer = pipe.writable.getWriter()
    this.#stored = this.#rooms.blobs.put(pipe.readable, { maxBytes: MAX_BLOB_BYTES })
    // Whoever writes hears of it first; `end` and `stop` hear it again.
    this.#stored.catch(() => undefined)
  }
}
