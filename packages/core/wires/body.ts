import { base64Length } from "../model/media-types.ts"
import type { Media } from "../model/prompt.ts"

/** Wire bytes in pieces: ready bytes, or a medium whose base64 is streamed in its place. */
export type WirePiece = Uint8Array | Media

/** Wire bytes whose length is known before any medium is opened. */
export interface WireFragment {
  readonly pieces: readonly WirePiece[]
  readonly size: number
  /** Who speaks in the wire messages that it holds, in their order: some APIs have rules about who
   *  may follow whom, and `body` keeps them. */
  readonly roles?: readonly string[]
  /** Tools that are called in it: some APIs want every one of them defined. */
  readonly tools?: readonly string[]
}

/** A request: fragments and what stands around them, put together without copying them. */
export interface WireBody {
  readonly pieces: readonly (WirePiece | WireBody)[]
  readonly size: number
  /** Written between each two pieces. */
  readonly between?: Uint8Array
}

const encoder = new TextEncoder()

export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Put a request together: text, media in their place, and what was put together before. */
export function assemble(...pieces: readonly (string | Media | WireBody)[]): WireBody {
  const made = pieces.map((piece) => (typeof piece === "string" ? utf8(piece) : piece))
  return { pieces: made, size: total(made) }
}

/** A request of JSON: what it says beside its messages, and these as a list at its end. */
export function withList(head: object, name: string, list: WireBody): WireBody {
  const json = JSON.stringify(head).slice(0, -1)
  return assemble(`${json === "{" ? json : `${json},`}"${name}":[`, list, "]}")
}

/** The same with a text between each two. What is joined stays as it is: a long history is not
 *  copied to be sent. */
export function join(parts: readonly WireBody[], between: string): WireBody {
  const separator = utf8(between)
  const size = total(parts) + Math.max(0, parts.length - 1) * separator.length
  return { pieces: parts, between: separator, size }
}

export function total(pieces: WireBody["pieces"]): number {
  let size = 0
  for (const piece of pieces) size += sizeOf(piece)
  return size
}

function sizeOf(piece: WireBody["pieces"][number]): number {
  if (piece instanceof Uint8Array) return piece.length
  return "pieces" in piece ? piece.size : base64Length(piece.size)
}

/** The pieces of a request one after the other, however they were put together. */
export function* flatPieces(body: WireBody): Iterable<WirePiece> {
  const { pieces, between } = body
  let first = true
  for (const piece of pieces) {
    if (between && !first) yield between
    first = false
    if (piece instanceof Uint8Array || !("pieces" in piece)) yield piece
    else yield* flatPieces(piece)
  }
}

/** Bytes one after the other. */
export function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const made = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    made.set(chunk, at)
    at += chunk.length
  }
  return made
}
