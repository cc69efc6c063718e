import { once } from "node:events"
import type { Readable, Writable } from "node:stream"

/** One message of the protocol; a longer line is no message. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

export class LineTooLong extends Error {
  override readonly name = "LineTooLong"
}

const NEWLINE = 0x0a

/** The lines of a pipe, as bytes and without their ends. Who takes them slowly slows the pipe down. */
export async function* readLines(input: Readable): AsyncGenerator<Buffer, void, void> {
  let pieces: Buffer[] = []
  let size = 0
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      pieces.push(chunk.subarray(from, end))
      yield Buffer.concat(pieces)
      pieces = []
      size = 0
      from = end + 1
    }
    if (from === chunk.length) continue
    size += chunk.length - from
    if (size > MAX_LINE_BYTES)
      throw new LineTooLong(`a line is longer than ${MAX_LINE_BYTES} bytes`)
    pieces.push(chunk.subarray(from))
  }
  if (pieces.length > 0) yield Buffer.concat(pieces)
}

const END = Buffer.from("\n")

/** Write a line, and wait while the reader does not keep up. */
export async function writeLine(output: Writable, line: Buffer | object): Promise<void> {
  const bytes = Buffer.isBuffer(line) ? line : Buffer.from(JSON.stringify(line))
  if (output.destroyed) return
  if (output.write(Buffer.concat([bytes, END]))) return
  const gone = new AbortController()
  const closed = () => gone.abort()
  output.once("close", closed)
  try {
    await once(output, "drain", { signal: gone.signal })
  } catch (error) {
    if (!gone.signal.aborted) throw error
  } finally {
    output.off("close", closed)
  }
}

export function parseLine(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString("utf8"))
  } catch {
    return undefined // Not ours to judge: it is passed on as it is.
  }
}
