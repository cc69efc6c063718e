import type { ModelEvent, PromptMessage } from "compositor-core/model/prompt"
import { blockBytes, blockTokens, estimateTokens } from "compositor-core/model/tokens"
import type { WireFragment } from "compositor-core/wires/body"
import { mirrorWire } from "compositor-core/wires/mirror"
import { decodePlain } from "compositor-core/wires/plain"
import { ABORTED, pauseUntil } from "./abort.ts"
import { type Account, describeRequest } from "./account.ts"
import type { ProviderCall, Provider } from "./provider.ts"

interface MirrorOptions {
  /** Between two pieces of the answer. */
  readonly pace_ms?: number | undefined
}

const PACE_MS = 4
/** A long account comes in larger pieces, not more slowly. */
const PIECES = 120
const SHORTEST_PIECE = 24

/** The model that is always there: it answers with what a model would have received. */
export function mirror(options: MirrorOptions = {}): Provider {
  const { pace_ms = PACE_MS } = options
  return {
    id: mirrorWire.provider_id,
    api: mirrorWire.api,
    encode: mirrorWire.encode,
    body: mirrorWire.body,
    stream: (call) => reflect(call, pace_ms),
  }
}

async function* reflect(call: ProviderCall, pace_ms: number): AsyncIterable<ModelEvent> {
  const account = accountOf(call)
  const answer = describeRequest(account)
  let told = ""
  for (const piece of piecesOf(answer)) {
    if (!(await pauseUntil(pace_ms, call.signal))) break
    told += piece
    yield { type: "text-delta", text: piece }
  }
  yield { type: "usage", usage: usageOf(account, told) }
  yield told === answer ? { type: "end", reason: "stop" } : ABORTED
}

function accountOf({ envelope, messages, receipts }: ProviderCall): Account {
  const totals = messages.map(totalsOf)
  const last = messages.at(-1)
  return {
    system: envelope.system,
    newest: last ? decodePlain(last) : undefined,
    questions: totals.filter(({ role }) => role === "user").length,
    answers: totals.filter(({ role }) => role === "assistant").length,
    bytes: totals.reduce((sum, { bytes }) => sum + bytes, 0),
    tokens: totals.reduce((sum, { tokens }) => sum + tokens, estimateTokens(envelope.system)),
    receipts,
  }
}

interface Totals {
  readonly role: PromptMessage["role"]
  readonly bytes: number
  readonly tokens: number
}

// A fragment never changes, and a long history is asked about in every turn.
const known = new WeakMap<WireFragment, Totals>()

function totalsOf(message: WireFragment): Totals {
  const found = known.get(message)
  if (found) return found
  const { role, blocks } = decodePlain(message)
  const bytes = blocks.reduce((sum, block) => sum + blockBytes(block), 0)
  const tokens = blocks.reduce((sum, block) => sum + blockTokens(block), 0)
  const totals = { role, bytes, tokens }
  known.set(message, totals)
  return totals
}

function piecesOf(text: string): string[] {
  const size = Math.max(SHORTEST_PIECE, Math.ceil(text.length / PIECES))
  return text.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? []
}

function usageOf({ tokens }: Account, told: string) {
  const output = estimateTokens(told)
  return { input: tokens, output, reasoning: 0, cache_read: 0, cache_write: 0 }
}
