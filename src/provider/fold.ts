import type { Fragment, Piece } from "./provider.ts"
import { spanning, toBytes, withCommaBefore } from "./slab.ts"
import { total } from "./wire.ts"

/** Closed messages as one fragment, the bytes of short ones together. */
export function folded(messages: readonly Fragment[]): Fragment {
  const pieces = piecesOf(messages)
  const roles = messages.flatMap((message) => message.roles ?? [])
  const tools = [...new Set(messages.flatMap((message) => message.tools ?? []))]
  const size = total(pieces)
  return tools.length > 0 ? { pieces, size, roles, tools } : { pieces, size, roles }
}

function piecesOf(messages: readonly Fragment[]): Piece[] {
  const pieces: Piece[] = []
  let bytes: Uint8Array[] = []
  for (const [index, { pieces: own }] of messages.entries()) {
    const [first] = own
    if (!(first instanceof Uint8Array)) throw new Error("a message does not begin with bytes")
    addTo(bytes, ...(index === 0 ? [first] : afterComma(first)))
    if (own.length === 1) continue
    // Some of the rest are found by their identity (a document's number): they stay what they are.
    pieces.push(...compact(bytes), ...own.slice(1))
    bytes = []
  }
  return [...pieces, ...compact(bytes)]
}

const COMMA = toBytes(",")

function afterComma(bytes: Uint8Array): Uint8Array[] {
  const wider = withCommaBefore(bytes)
  return wider ? [wider] : [COMMA, bytes]
}

function addTo(list: Uint8Array[], ...added: readonly Uint8Array[]) {
  for (const bytes of added) {
    const last = list.at(-1)
    const span = last && spanning(last, bytes)
    if (span) list[list.length - 1] = span
    else list.push(bytes)
  }
}

/** Pieces from here on stay as they are. */
const LARGE_BYTES = 16 * 1024

/** The same bytes in fewer pieces: small neighbours are copied together. */
function compact(list: readonly Uint8Array[]): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let small: Uint8Array[] = []
  const flush = () => {
    if (small.length > 0) pieces.push(Buffer.concat(small))
    small = []
  }
  for (const bytes of list) {
    if (bytes.length < LARGE_BYTES) {
      small.push(bytes)
      continue
    }
    flush()
    pieces.push(bytes)
  }
  flush()
  return pieces
}
