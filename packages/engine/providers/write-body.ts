import type { Media } from "compositor-core/model/prompt"
import { base64Length } from "compositor-core/model/media-types"
import { type WireBody, flatPieces } from "compositor-core/wires/body"

export type OpenMedia = (media: Media) => AsyncIterable<Uint8Array>

const CHUNK_BYTES = 64 * 1024
/** Pieces from here on are written as they are. */
const LARGE_BYTES = 8 * 1024

/** The bytes of a request. Media are opened one after the other and encoded as they come; small
 *  pieces are written together. */
export async function* writeBody(body: WireBody, open: OpenMedia): AsyncIterable<Uint8Array> {
  const waiting = new Waiting()
  // Not `yield*`: it waits several times for each of them, and most give nothing.
  for (const piece of flatPieces(body)) {
    if (piece instanceof Uint8Array) for (const chunk of waiting.add(piece)) yield chunk
    else
      for await (const bytes of base64(piece, open))
        for (const chunk of waiting.add(bytes)) yield chunk
  }
  for (const chunk of waiting.flush()) yield chunk
}

/** Small pieces, until there are enough of them. */
class Waiting {
  #pieces: Uint8Array[] = []
  #size = 0

  add(bytes: Uint8Array): Uint8Array[] {
    if (bytes.length >= LARGE_BYTES) return [...this.flush(), bytes]
    this.#pieces.push(bytes)
    this.#size += bytes.length
    return this.#size >= CHUNK_BYTES ? this.flush() : []
  }

  flush(): Uint8Array[] {
    const pieces = this.#pieces
    this.#pieces = []
    this.#size = 0
    return pieces.length > 1 ? [Buffer.concat(pieces)] : pieces
  }
}

/** Multiples of three. The text of a step is small enough to be made on the spot, and not as a large
 *  object of its own, which takes five times as long. */
const STEP_BYTES = 48 * 1024
const STEPS = 3

/** Three bytes make four characters: what is left over of a chunk waits for the next. */
async function* base64(media: Media, open: OpenMedia): AsyncIterable<Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0)
  let size = 0
  for await (const chunk of open(media)) {
    size += chunk.length
    const missing = rest.length === 0 ? 0 : 3 - rest.length
    if (chunk.length < missing) {
      rest = Buffer.concat([rest, chunk])
      continue
    }
    const first = Buffer.concat([rest, chunk.subarray(0, missing)])
    const whole = chunk.length - ((chunk.length - missing) % 3)
    for (const step of encodeSteps(first, chunk.subarray(missing, whole))) yield step
    rest = Buffer.from(chunk.subarray(whole))
  }
  // The length of the body was promised before the medium was opened.
  if (size !== media.size)
    throw new Error(
      `${media.content_id} has ${size} bytes, not the ${media.size} it was said to have`,
    )
  if (rest.length > 0) yield encode(Buffer.alloc(0), asBuffer(rest))
}

function* encodeSteps(first: Buffer, bytes: Uint8Array): Iterable<Uint8Array> {
  const most = STEP_BYTES * STEPS
  const all = asBuffer(bytes)
  if (first.length > 0 || all.length > 0) yield encode(first, all.subarray(0, most))
  for (let at = most; at < all.length; at += most)
    yield encode(Buffer.alloc(0), all.subarray(at, at + most))
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Three bytes or none, and those behind them: not copied together to be read. */
function encode(first: Buffer, bytes: Buffer): Buffer {
  const made = Buffer.allocUnsafeSlow(base64Length(first.length) + base64Length(bytes.length))
  let written = made.write(first.toString("base64"), 0, "latin1")
  for (let at = 0; at < bytes.length; at += STEP_BYTES)
    written += made.write(bytes.toString("base64", at, at + STEP_BYTES), written, "latin1")
  return made
}

/** The whole body as text, media as base64: for showing it, not for sending it. */
export async function fragmentText(body: WireBody, open: OpenMedia): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of writeBody(body, open)) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}
