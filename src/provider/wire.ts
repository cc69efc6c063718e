import { randomUUID } from "node:crypto"
import type { Media } from "../model/prompt.ts"
import type { Body, Fragment, Piece } from "./provider.ts"

export type OpenMedia = (media: Media) => AsyncIterable<Uint8Array>

/** Put a request together: text, media in their place, and what was put together before. */
export function assemble(...pieces: readonly (string | Media | Body)[]): Body {
  const made = pieces.map(asPiece)
  return { pieces: made, size: total(made) }
}

/** The same with a text between each two. What is joined stays as it is: a long history is not
 *  copied to be sent. */
export function join(parts: readonly Body[], between: string): Body {
  const separator = Buffer.from(between)
  const size = total(parts) + Math.max(0, parts.length - 1) * separator.length
  return { pieces: parts, between: separator, size }
}

function asPiece<Made>(piece: string | Made): Uint8Array | Made {
  return typeof piece === "string" ? toBytes(piece) : piece
}

const SLAB_BYTES = 64 * 1024
const MOST_BYTES_OF_A_CHARACTER = 3
let slab = Buffer.alloc(0)
let used = 0

/** Short texts share a slab: a long history is thousands of them, and a buffer for each would cost
 *  more than writing it. */
function toBytes(text: string): Uint8Array {
  const most = text.length * MOST_BYTES_OF_A_CHARACTER
  if (most > SLAB_BYTES / 4) return Buffer.from(text)
  if (used + most > slab.length) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    used = 0
  }
  const start = used
  used += slab.write(text, start)
  return slab.subarray(start, used)
}

function total(pieces: Body["pieces"]): number {
  let size = 0
  for (const piece of pieces) size += sizeOf(piece)
  return size
}

function sizeOf(piece: Body["pieces"][number]): number {
  if (piece instanceof Uint8Array) return piece.length
  return "pieces" in piece ? piece.size : base64Length(piece.size)
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

// Nobody outside this process knows these words, so no text can be taken for one of our places.
const SECRET = randomUUID()
const OPENS = `<${SECRET} `
const CLOSES = ` ${SECRET}>`

/** Stands in a JSON value for the base64 of a medium, until `messageFragment` makes a piece of
 *  it. */
export function base64Of(media: Media): string {
  const { mime, name, size, content_id } = media
  const handle = JSON.stringify([content_id, size, mime, name])
  return `${OPENS}${Buffer.from(handle).toString("base64url")}${CLOSES}`
}

export function dataUrlOf(media: Media): string {
  return `data:${media.mime};base64,${base64Of(media)}`
}

/** Stands in a JSON string for a piece that `messageFragment` is given. */
export const SLOT = `<${SECRET}>`

/** Closed wire messages as bytes, with a comma between each two. */
export function messageFragment(
  messages: readonly object[],
  about: Pick<Fragment, "roles" | "tools"> & { readonly slot?: Uint8Array } = {},
): Fragment {
  const { roles = messages.map(roleOf), tools, slot } = about
  const json = messages.map((message) => JSON.stringify(message)).join(",")
  const pieces = json.includes(SECRET) ? cutPlaces(json, slot) : [toBytes(json)]
  const size = total(pieces)
  return tools && tools.length > 0 ? { pieces, size, roles, tools } : { pieces, size, roles }
}

function roleOf(message: object): string {
  return "role" in message ? String(message.role) : ""
}

function cutPlaces(json: string, slot: Uint8Array | undefined): Piece[] {
  return json.split(OPENS).flatMap((text, index): Piece[] => {
    if (index === 0) return cutSlots(text, slot)
    const end = text.indexOf(CLOSES)
    const rest = text.slice(end + CLOSES.length)
    return [readPlace(text.slice(0, end)), ...cutSlots(rest, slot)]
  })
}

function readPlace(place: string): Media {
  const handle = JSON.parse(Buffer.from(place, "base64url").toString())
  const [content_id, size, mime, name] = handle as [string, number, string, string]
  return { mime, name, size, content_id }
}

function cutSlots(text: string, slot: Uint8Array | undefined): Piece[] {
  if (!slot) return text === "" ? [] : [toBytes(text)]
  return text.split(SLOT).flatMap((piece, index) => {
    const bytes = toBytes(piece)
    return index === 0 ? [bytes] : [slot, bytes]
  })
}

/** The pieces of a request one after the other, however they were put together. */
export function* flatPieces(body: Body): Iterable<Piece> {
  const { pieces, between } = body
  let first = true
  for (const piece of pieces) {
    if (between && !first) yield between
    first = false
    if (piece instanceof Uint8Array || !("pieces" in piece)) yield piece
    else yield* flatPieces(piece)
  }
}

const CHUNK_BYTES = 64 * 1024

/** The bytes of a request. Media are opened one after the other and encoded as they come; small
 *  pieces are written together. */
export async function* writeBody(body: Body, open: OpenMedia): AsyncIterable<Uint8Array> {
  let waiting: Uint8Array[] = []
  let size = 0
  const flush = () => {
    const chunk = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting)
    waiting = []
    size = 0
    return chunk ?? Buffer.alloc(0)
  }
  const add = (bytes: Uint8Array) => {
    waiting.push(bytes)
    size += bytes.length
    return size >= CHUNK_BYTES
  }
  for (const piece of flatPieces(body)) {
    if (piece instanceof Uint8Array) {
      if (add(piece)) yield flush()
    } else for await (const bytes of base64(piece, open)) if (add(bytes)) yield flush()
  }
  if (size > 0) yield flush()
}

/** A multiple of three. Five times faster than larger steps: their text is not made on the spot, but
 *  as a large object of its own. */
const STEP_BYTES = 48 * 1024

/** Three bytes make four characters: what is left over of a chunk waits for the next. */
async function* base64(media: Media, open: OpenMedia): AsyncIterable<Uint8Array> {
  let rest = Buffer.alloc(0)
  let size = 0
  for await (const chunk of open(media)) {
    size += chunk.length
    const bytes = rest.length === 0 ? asBuffer(chunk) : Buffer.concat([rest, chunk])
    const whole = bytes.length - (bytes.length % 3)
    for (let at = 0; at < whole; at += STEP_BYTES)
      yield encode(bytes.subarray(at, Math.min(whole, at + STEP_BYTES)))
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
export async function fragmentText(body: Body, open: OpenMedia): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of writeBody(body, open)) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}
