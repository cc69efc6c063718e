import { createReadStream, createWriteStream } from "node:fs"
import { appendFile, mkdir, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { UsageError } from "../complain.ts"
import { type CommonOptions, withConnection } from "../connect.ts"
import { printJson, printStream, tellLine } from "../print.ts"

interface ExportOptions extends CommonOptions {
  readonly session?: string
  readonly output?: string
  readonly blobs?: string
}

const PIECE_BYTES = 3 * 256 * 1024

/** Write a folder as JSON lines. A file appears under its name only when it is complete. */
export async function exportCommand(options: ExportOptions) {
  const { output, blobs, session } = options
  if (blobs !== undefined) await mkdir(blobs, { recursive: true, mode: 0o700 })
  await withConnection(options, async ({ client }) => {
    const lines = await client.export(session === undefined ? {} : { session })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the two kinds of web streams are one at run time
    const bytes = Readable.fromWeb(lines as import("node:stream/web").ReadableStream)
    const shown = blobs === undefined ? bytes : Readable.from(blobsAside(bytes, blobs))
    if (output === undefined) return printStream(shown)
    const partial = `${output}.partial`
    await rm(partial, { force: true })
    await pipeline(shown, createWriteStream(partial, { flags: "wx", mode: 0o600 }))
    await rename(partial, output)
  })
}

export async function importCommand(
  file: string | undefined,
  options: CommonOptions & { blobs?: string },
) {
  const source = file === undefined || file === "-" ? process.stdin : createReadStream(file)
  const { blobs } = options
  const lines = blobs === undefined ? source : Readable.from(blobsBack(source, blobs))
  await withConnection(options, async ({ client }) => {
    const written = await client.import(Readable.toWeb(lines) as ReadableStream<Uint8Array>)
    if (options.json) printJson(written)
    else tellLine(`imported ${written.rows} rows and ${written.blobs} files`)
    if (written.renamed.length > 0)
      tellLine(`names were taken: entities are now ${written.renamed.join(", ")}`)
    if (written.held.length > 0)
      tellLine(`messages wait in ${written.held.join(", ")}: they are held until you release one`)
  })
}

interface BlobData {
  readonly content_id: string
  readonly at: number
  readonly base64: string
}

async function* blobsAside(bytes: Readable, folder: string): AsyncIterable<string> {
  for await (const line of createInterface({ input: bytes })) {
    if (!line.startsWith('{"type":"blob-data"')) {
      yield `${line}\n`
      continue
    }
    const { content_id, at, base64 }: BlobData = JSON.parse(line).data
    const file = blobFile(folder, content_id)
    if (at === 0) await rm(file, { force: true })
    await appendFile(file, Buffer.from(base64, "base64"), { mode: 0o600 })
  }
}

async function* blobsBack(bytes: Readable, folder: string): AsyncIterable<Buffer> {
  for await (const line of createInterface({ input: bytes })) {
    yield Buffer.from(`${line}\n`)
    if (!line.startsWith('{"type":"blob"')) continue
    const { data }: { data: { content_id: string; size: number } } = JSON.parse(line)
    if (data.size > 0) yield* pieces(folder, data.content_id)
  }
}

async function* pieces(folder: string, content_id: string): AsyncIterable<Buffer> {
  const file = await open(blobFile(folder, content_id)).catch(() => {
    throw new UsageError(`${folder} has no file for ${content_id}`)
  })
  let at = 0
  try {
    for (;;) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, at)
      if (bytesRead === 0) return
      const base64 = buffer.subarray(0, bytesRead).toString("base64")
      yield Buffer.from(
        `${JSON.stringify({ type: "blob-data", data: { content_id, at, base64 } })}\n`,
      )
      at += bytesRead
    }
  } finally {
    await file.close()
  }
}

function blobFile(folder: string, content_id: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(content_id)) throw new UsageError(`${content_id} names no file`)
  return join(folder, content_id.replace(":", "-"))
}
