import { type WireFragment, type WirePiece, utf8 } from "./body.ts"

/** The same messages, with `filler` wherever one would come abruptly after the one before it. */
export function withBetween(
  messages: readonly WireFragment[],
  filler: WireFragment,
  isAbrupt: (before: string | undefined, next: string | undefined) => boolean,
): readonly WireFragment[] {
  const abrupt = (message: WireFragment, index: number) =>
    isAbrupt(messages[index - 1]?.roles?.at(-1), message.roles?.[0])
  if (!messages.some(abrupt)) return messages
  return messages.flatMap((message, index) =>
    abrupt(message, index) ? [filler, message] : [message],
  )
}

const TAIL = "]}"

/** The same messages, with what one side said in a row joined to one: for APIs where the two sides
 *  take turns. `opening` is how a message of a role begins. */
export function inTurns(
  messages: readonly WireFragment[],
  opening: (role: string) => string,
): readonly WireFragment[] {
  if (!anyFollows(messages)) return messages
  const turns: WireFragment[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (last && follows(last, message)) turns[turns.length - 1] = merge(last, message, opening)
    else turns.push(message)
  }
  return turns
}

// A plain loop: it runs through the whole history in every request, and mostly finds nothing.
function anyFollows(messages: readonly WireFragment[]): boolean {
  let before: string | undefined
  for (const { roles } of messages) {
    if (roles?.[0] === before) return true
    before = roles?.at(-1)
  }
  return false
}

function follows(before: WireFragment | undefined, message: WireFragment): boolean {
  return before !== undefined && before.roles?.at(-1) === message.roles?.[0]
}

function merge(
  one: WireFragment,
  other: WireFragment,
  opening: (role: string) => string,
): WireFragment {
  const head = opening(other.roles?.[0] ?? "").length
  const pieces = [...openEnd(one), COMMA, ...withoutStart(other.pieces, head)]
  const size = one.size - TAIL.length + COMMA.length + other.size - head
  const roles = [...(one.roles ?? []), ...(other.roles ?? []).slice(1)]
  return { pieces, size, roles, tools: [...(one.tools ?? []), ...(other.tools ?? [])] }
}

const COMMA = utf8(",")

/** A message with more at the end of its content. */
export function withAtEnd(message: WireFragment, json: string): WireFragment {
  const added = utf8(`,${json}${TAIL}`)
  const pieces = [...openEnd(message), added]
  return { ...message, pieces, size: message.size + added.length - TAIL.length }
}

function openEnd({ pieces }: WireFragment): WirePiece[] {
  return [...pieces.slice(0, -1), bytesOf(pieces.at(-1)).subarray(0, -TAIL.length)]
}

function withoutStart(pieces: readonly WirePiece[], length: number): WirePiece[] {
  return [bytesOf(pieces[0]).subarray(length), ...pieces.slice(1)]
}

function bytesOf(piece: WirePiece | undefined): Uint8Array {
  if (piece instanceof Uint8Array) return piece
  throw new Error("a wire message begins and ends with something other than bytes")
}
