import type { Media } from "../model/prompt.ts"
import type { Fragment, Piece } from "./provider.ts"

export type OpenMedia = (media: Media) => AsyncIterable<Uint8Array>

/** Put wire bytes together: text, media in their place, and fragments made before. */
export function fragment(...pieces: readonly (string | Media | Fragment)[]): Fragment {
  const flat: Piece[] = []
  let size = 0
  for (const piece of pieces) {
    const made = typeof piece === "string" ? textFragment(piece) : asFragment(piece)
    for (const bytes of made.pieces) flat.push(bytes)
    size += made.size
  }
  return { pieces: flat, size }
}

/** The same with a text between each two. */
export function joinFragments(parts: readonly Fragment[], between: string): Fragment {
  const separator = textFragment(between)
  const pieces = parts.flatMap((part, index) =>
    index === 0 ? part.pieces : [...separator.pieces, ...part.pieces],
  )
  const text = Math.max(0, parts.length - 1) * separator.size
  return { pieces, size: parts.reduce((total, part) => total + part.size, text) }
}

function textFragment(text: string): Fragment {
  const bytes = Buffer.from(text)
  return bytes.length === 0 ? { pieces: [], size: 0 } : { pieces: [bytes], size: bytes.length }
}

function asFragment(piece: Media | Fragment): Fragment {
  if ("pieces" in piece) return piece
  return { pieces: [piece], size: base64Length(piece.size) }
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

const CHUNK_BYTES = 64 * 1024

/** The bytes of a fragment. Media are opened one after the other and encoded as they come; small
 *  pieces are written together. */
export async function* writeBody(body: Fragment, open: OpenMedia): AsyncIterable<Uint8Array> {
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const bytes of encodedPieces(body, open)) {
    waiting.push(bytes)
    size += bytes.length
    if (size < CHUNK_BYTES) continue
    yield waiting.length === 1 ? bytes : Buffer.concat(waiting)
    waiting = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(waiting)
}

async function* encodedPieces(body: Fragment, open: OpenMedia): AsyncIterable<Uint8Array> {
  for (const piece of body.pieces)
    if (piece instanceof Uint8Array) yield piece
    else yield* base64(piece, open)
}

/** Three bytes make four characters: what is left over of a chunk waits for the next. */
async function* base64(media: Media, open: OpenMedia): AsyncIterable<Uint8Array> {
  let rest = Buffer.alloc(0)
  let size = 0
  for await (const chunk of open(media)) {
    size += chunk.length
    const bytes = rest.length === 0 ? asBuffer(chunk) : Buffer.concat([rest, chunk])
    const whole = bytes.length - (bytes.length % 3)
    if (whole > 0) yield encode(bytes.subarray(0, whole))
    rest = Buffer.from(bytes.subarray(whole))
  }
  // The length of the body was promised before the medium was opened.
  if (size !== media.size)
    throw new Error(
      `${media.content_id} has ${size} bytes, not the ${media.size} it was said to have`,
    )
  if (rest.length > 0) yield encode(rest)
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function encode(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("base64"), "latin1")
}

/** The whole body as text, media as base64: for showing it, not for sending it. */
export async function fragmentText(body: Fragment, open: OpenMedia): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of writeBody(body, open)) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}
