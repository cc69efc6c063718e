import type { PartData } from "compositor-core/parts/define-part"
import process from "node:process"
import { Readable } from "node:stream"
import type { Client } from "compositor-client/client"
import { isPiped } from "./input.ts"

/** More than this is a file beside the message: a text part has a limit, a file has none to speak of. */
const MAX_TEXT_BYTES = 1024 * 1024

/** What came through a pipe. `asked`: nothing else was said, so it is waited for. */
export async function pipedParts(client: Client, asked: boolean): Promise<PartData[]> {
  if (!isPiped() && (!asked || process.stdin.isTTY)) return []
  const { chunks, rest } = await readSome(process.stdin)
  const head = Buffer.concat(chunks)
  if (!rest && head.length <= MAX_TEXT_BYTES) {
    const text = head.toString("utf8")
    return text.trim() === "" ? [] : [{ type: "text", text }]
  }
  const bytes = Readable.from(together(head, rest))
  const { part } = await client.upload(Readable.toWeb(bytes) as ReadableStream<Uint8Array>, {
    name: "stdin.txt",
  })
  return [part]
}

interface Some {
  readonly chunks: Buffer[]
  /** What was not read yet; undefined at the end. */
  readonly rest: AsyncIterator<Buffer> | undefined
}

async function readSome(input: AsyncIterable<Buffer>): Promise<Some> {
  const chunks: Buffer[] = []
  const rest = input[Symbol.asyncIterator]()
  for (let size = 0; size <= MAX_TEXT_BYTES; ) {
    const { done, value } = await rest.next()
    if (done) return { chunks, rest: undefined }
    chunks.push(value)
    size += value.length
  }
  return { chunks, rest }
}

async function* together(
  head: Buffer,
  rest: AsyncIterator<Buffer> | undefined,
): AsyncGenerator<Buffer, void, void> {
  yield head
  if (!rest) return
  for (;;) {
    const { done, value } = await rest.next()
    if (done) return
    yield value
  }
}
