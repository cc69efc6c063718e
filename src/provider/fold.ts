import type { Fragment, Piece } from "./provider.ts"
import { spanning, toBytes, withCommaBefore } from "./slab.ts"
import { total } from "./wire.ts"

/** Closed messages as one fragment, the bytes of short ones together. */
export function folded(messages: readonly Fragment[]): Fragment {
  const pieces = piecesOf(messages)
  const roles: string[] = []
  const tools = new Set<string>()
  for (const message of messages) {
    for (const role of message.roles ?? []) roles.push(role)
    for (const name of message.tools ?? []) tools.add(name)
  }
  const size = total(pieces)
  return tools.size > 0 ? { pieces, size, roles, tools: [...tools] } : { pieces, size, roles }
}

function piecesOf(messages: readonly Fragment[]): Piece[] {
  const pieces: Piece[] = []
  let bytes: Uint8Array[] = []
  let isFirst = true
  for (const { pieces: own } of messages) {
    const first = own[0]
    if (!(first instanceof Uint8Array)) throw new Error("a message does not begin with bytes")
    if (isFirst) bytes.push(first)
    else addAfterComma(bytes, first)
    isFirst = false
    if (own.length === 1) continue
    // Some of the rest are found by their identity (a document's number): they stay what they are.
    pieces.push(...compact(bytes), ...own.slice(1))
    bytes = []
  }
  return [...pieces, ...compact(bytes)]
}

const COMMA = toBytes(",")

function addAfterComma(list: Uint8Array[], bytes: Uint8Array) {
  const last = list.length - 1
  const span = spanning(list[last], bytes)
  const wider = span ? undefined : withCommaBefore(bytes)
  if (span) list[last] = span
  else if (wider) list.push(wider)
  else list.push(COMMA, bytes)
}

/** Pieces from here on stay as they are. */
const LARGE_BYTES = 4 * 1024

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
