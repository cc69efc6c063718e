import { AnswerTooLong, LineCount } from "./answer-limits.ts"
import { concatenate } from "./body.ts"

/** One message of `application/vnd.amazon.eventstream`; of the headers only texts are kept. */
export interface EventMessage {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly payload: string
}

/** A message this long is not an answer but an attack or a fault. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4
const SMALLEST_MESSAGE = PRELUDE_BYTES + CHECKSUM_BYTES

/** The messages of a binary event stream, however its bytes are cut. Throws when one is damaged or
 *  too large; one that the stream's end cuts off is dropped. */
export async function* readEventMessages(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_MESSAGE_BYTES,
): AsyncIterable<EventMessage> {
  let pending: Uint8Array[] = []
  let size = 0
  let wanted = PRELUDE_BYTES
  const count = new LineCount()
  for await (const chunk of chunks) {
    pending.push(chunk)
    size += chunk.length
    while (size >= wanted) {
      const pause = count.next()
      if (pause) await pause
      const [only] = pending
      const bytes = only && pending.length === 1 ? only : concatenate(pending)
      const length = lengthOf(bytes, maxBytes)
      if (bytes.length >= length) yield readMessage(bytes.subarray(0, length))
      const rest = bytes.length >= length ? bytes.subarray(length) : bytes
      pending = rest.length === 0 ? [] : [rest]
      size = rest.length
      wanted = bytes.length >= length ? PRELUDE_BYTES : length
    }
  }
}

/** Checks of `bytes`, as zlib makes them. */
function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) sum = (CRC_OF_A_BYTE[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8)
  return (sum ^ 0xffffffff) >>> 0
}

const CRC_OF_A_BYTE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? 0xedb88320 ^ (sum >>> 1) : sum >>> 1
  return sum
})

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The length of the message that begins here, once its prelude was found to be whole. */
function lengthOf(bytes: Uint8Array, maxBytes: number): number {
  const view = viewOf(bytes)
  if (crc32(bytes.subarray(0, 8)) !== view.getUint32(8))
    throw new Error("a message of the stream has a damaged prelude")
  const length = view.getUint32(0)
  if (length < SMALLEST_MESSAGE || length > maxBytes)
    throw new AnswerTooLong(
      `a message of the stream claims ${length} bytes; at most ${maxBytes} are read`,
    )
  return length
}

function readMessage(bytes: Uint8Array): EventMessage {
  const view = viewOf(bytes)
  const end = bytes.length - CHECKSUM_BYTES
  if (crc32(bytes.subarray(0, end)) !== view.getUint32(end))
    throw new Error("a message of the stream is damaged: its checksum is wrong")
  const headersEnd = PRELUDE_BYTES + view.getUint32(4)
  if (headersEnd > end) throw new Error("the headers of a message are longer than the message")
  return {
    headers: readHeaders(bytes.subarray(PRELUDE_BYTES, headersEnd)),
    payload: decoder.decode(bytes.subarray(headersEnd, end)),
  }
}

/** Lengths of the values by their type; texts and bytes say theirs in two bytes. */
const VALUE_BYTES: readonly (number | "said")[] = [0, 0, 1, 2, 4, 8, "said", "said", 8, 16]
const TEXT_TYPE = 7

function readHeaders(bytes: Uint8Array): Record<string, string> {
  const view = viewOf(bytes)
  const headers: Record<string, string> = {}
  let at = 0
  while (at < bytes.length) {
    const nameEnd = at + 1 + view.getUint8(at)
    const name = decoder.decode(bytes.subarray(at + 1, nameEnd))
    const type = view.getUint8(nameEnd)
    const length = VALUE_BYTES[type]
    if (length === undefined) throw new Error(`a header of a message has the unknown type ${type}`)
    const start = nameEnd + 1 + (length === "said" ? 2 : 0)
    const end = start + (length === "said" ? view.getUint16(nameEnd + 1) : length)
    if (type === TEXT_TYPE) headers[name] = decoder.decode(bytes.subarray(start, end))
    at = end
  }
  return headers
}
