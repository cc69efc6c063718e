import { changesOnClose } from "compositor-core/lower/assistant"
import type { Capture } from "../loading/load.ts"
import { type Demotions, plan, type PlannedMedia } from "compositor-core/file/plan"
import type { Policy } from "compositor-core/lower/policy"
import type { Metadata } from "compositor-core/message/row"
import { openJson } from "compositor-core/message/stored-json"
import type { Media } from "compositor-core/model/prompt"
import { LOWERING_VERSION } from "compositor-core/model/receipt"
import { tokensOfBytes } from "compositor-core/model/tokens"
import type { WireFragment } from "compositor-core/wires/body"
import type { Provider } from "../providers/provider.ts"
import { residentBytes, WireHistory } from "compositor-core/wires/wire-history"
import type { Claim, RawMessage } from "../store/store.ts"
import { mayHoldInstructions } from "./instructions.ts"
import { mayBeLeftOut, plainFragments } from "./plain-blocks.ts"
import { allOf, isMarker, sinceCompaction } from "./compaction.ts"
import {
  answerParts,
  type HistoryDependencies,
  lowerAnswer,
  type LoweredMessage,
  lowerMessage,
  type MessageReceipt,
  type ModelTarget,
} from "./lower-message.ts"
import type { Earlier } from "../loading/unchanged-files.ts"

export interface PromptRequest {
  /** Closed wire messages, oldest first; the last one is what the model is to answer. */
  readonly messages: readonly WireFragment[]
  readonly receipts: readonly MessageReceipt[]
  readonly captures: readonly Capture[]
  /** The media in it: of this turn, and of those before. */
  media(): { readonly fresh: readonly Media[]; readonly earlier: readonly Media[] }
  /** What its messages come to; an estimate. */
  tokens(): number
}

interface RequestOptions {
  /** What this agent and this model change in how parts are lowered. */
  readonly policy: Omit<Policy, "refused" | "demoted">
  /** Media that this model would not take (BEY-02). */
  readonly refused: ReadonlySet<string>
  /** The answer that is being written: it says nothing yet. */
  readonly except?: string | undefined
  /** Tell what became of every part, not only of what is new. */
  readonly tell_all?: boolean | undefined
}

/** What a session's next request says. A message is lowered and encoded once for a model; later
 *  turns use its bytes, so a turn costs what is new and the prefix stays the same to the byte. */
export class PromptHistory {
  readonly #rooms: HistoryDependencies
  readonly #sessions = new HotSessions()

  constructor(rooms: HistoryDependencies) {
    this.#rooms = rooms
  }

  async request(
    claim: Claim,
    target: ModelTarget,
    options: RequestOptions,
  ): Promise<PromptRequest> {
    const key = keyOf(claim, target, options)
    const { session_id } = claim.turn
    const hot = this.#sessions.get(session_id, key) ?? coldStart(key, target.provider)
    const tell_all =
      options.tell_all || (hot.last_seq < 0 && (await this.#modelChanged(claim, target)))
    const told = { receipts: [], captures: [] }
    const writing = { claim, target, options: { ...options, tell_all }, hot, told }
    const news = await this.#newMessages(writing)
    // What was summarised meanwhile is not told any more.
    if (hot.last_seq >= 0 && news.some(isMarker)) return this.#afresh(writing)
    closeTurns(writing)
    if (!(await this.#append(writing, news))) return this.#anew(writing)
    this.#sessions.put(session_id, hot)
    const current = hot.open.flatMap(({ lowered }) => lowered.fragments)
    const closed = hot.wire.messages()
    return {
      messages: [...closed, ...current],
      ...told,
      media: () => ({ fresh: mediaIn(current), earlier: mediaIn(closed) }),
      tokens: () => tokensIn(hot),
    }
  }

  forget(session_id: string) {
    this.#sessions.forget(session_id)
  }

  /** False when media of messages before have to make room: those are then lowered anew. */
  async #append(writing: Writing, news: readonly RawMessage[]): Promise<boolean> {
    const { target, hot } = writing
    let { demoted } = hot
    const told = sinceCompaction(news)
    const open = openIn(writing, news)
    for (const message of allOf(told)) {
      const isOpen = message !== told.summary && open.has(message.id)
      if (!isSaidRow(message)) continue
      const plain = isOpen ? undefined : plainOf(writing, message)
      for (const fragment of plain ?? []) hot.wire.add(fragment)
      if (plain) continue
      const lowered = await this.#lower(writing, message, isOpen)
      if (isOpen) hot.open.push({ message, lowered })
      else for (const fragment of lowered.fragments) hot.wire.add(fragment)
      if (lowered.media.length === 0) continue
      hot.media.push(...lowered.media)
      demoted = plan(hot.media, target.capabilities, demoted)
    }
    hot.last_seq = news.at(-1)?.seq ?? hot.last_seq
    const fits = demoted === hot.demoted
    hot.demoted = demoted
    return fits
  }

  async #newMessages({ claim, hot, options }: Writing): Promise<RawMessage[]> {
    const { session_id, message_id } = claim.turn
    const { store } = this.#rooms
    const messages = await (hot.last_seq < 0
      ? store.toldHistory(session_id, message_id)
      : store.rawHistory(session_id, hot.last_seq))
    return messages.filter(({ id }) => id !== options.except)
  }

  async #lower(writing: Writing, message: RawMessage, isOpen: boolean): Promise<LoweredMessage> {
    const { claim, target, hot, options, told } = writing
    const wants_receipts = isOpen || options.tell_all === true
    const lowered = await lowerMessage(this.#rooms, message, {
      target,
      workspace_root: claim.workspace_root,
      policy: policyOf(writing),
      closed: !isOpen,
      shown: hot.shown,
      wants_receipts,
    })
    hot.shown = lowered.shown
    if (wants_receipts) told.receipts.push(...lowered.receipts)
    told.captures.push(...lowered.captures)
    return lowered
  }

  // What makes room stays demoted, so this happens once.
  async #anew({ claim, target, options, hot }: Writing): Promise<PromptRequest> {
    const { session_id } = claim.turn
    this.#sessions.put(session_id, coldStart(hot.key, target.provider, hot.demoted))
    return this.request(claim, target, { ...options, tell_all: true })
  }

  #afresh({ claim, target, options }: Writing): Promise<PromptRequest> {
    this.#sessions.forget(claim.turn.session_id)
    return this.request(claim, target, options)
  }

  // Receipts of earlier parts are stored again only when they may differ from those of the last turn.
  async #modelChanged(claim: Claim, target: ModelTarget): Promise<boolean> {
    const last = await this.#rooms.store.lastAsked(claim.turn.session_id)
    if (!last) return false
    const { capabilities, model_id } = target
    return last.model.model_id !== model_id || last.capabilities_revision !== capabilities.revision
  }
}

interface Writing {
  readonly claim: Claim
  readonly target: ModelTarget
  readonly options: RequestOptions
  readonly hot: Hot
  readonly told: { readonly receipts: MessageReceipt[]; readonly captures: Capture[] }
}

/** The messages of the running turn: its own, and all that came behind it. */
function openIn({ claim, hot }: Writing, news: readonly RawMessage[]): ReadonlySet<string> {
  const from = hot.open.length > 0 ? 0 : news.findIndex(({ id }) => id === claim.turn.message_id)
  return new Set(from < 0 ? [] : news.slice(from).map(({ id }) => id))
}

/** A message that needs nothing but its rows is not waited for: most of a history is such. */
function plainOf({ target, options }: Writing, message: RawMessage) {
  const { tell_all, policy } = options
  if (tell_all || policy.custom || mayHoldInstructions(message.metadata_json)) return undefined
  return plainFragments(message, target)
}

// What a turn that is over said is told from now on as it will always be.
function closeTurns(writing: Writing) {
  const { claim, hot } = writing
  if (hot.turn_of === claim.turn.message_id) return
  for (const { message, lowered } of hot.open.splice(0))
    for (const fragment of closedFragments(writing, message, lowered)) hot.wire.add(fragment)
  hot.turn_of = claim.turn.message_id
}

function closedFragments(writing: Writing, message: RawMessage, lowered: LoweredMessage) {
  const { target, hot } = writing
  if (message.role !== "assistant") return lowered.fragments
  if (!changesOnClose(answerParts(message), target.capabilities)) return lowered.fragments
  const at = { target, policy: policyOf(writing), closed: true, shown: hot.shown }
  return lowerAnswer(message, at).fragments
}

function policyOf({ hot, options }: Pick<Writing, "hot" | "options">): Policy {
  return { ...options.policy, refused: options.refused, demoted: hot.demoted }
}

function keyOf({ path_revision }: Claim, target: ModelTarget, options: RequestOptions): string {
  const { provider, model_id, capabilities } = target
  const { thinking_budget = false, claimed = {}, file_refs, reach } = options.policy
  return [
    path_revision,
    LOWERING_VERSION,
    provider.id,
    provider.api,
    model_id,
    capabilities.revision,
    file_refs,
    thinking_budget,
    JSON.stringify([claimed, reach]),
    [...options.refused].sort().join(),
  ].join("|")
}

function tokensIn({ wire, open, media, demoted }: Hot): number {
  const fragments = open.flatMap(({ lowered }) => lowered.fragments)
  const bytes = fragments.reduce((sum, fragment) => sum + residentBytes(fragment), wire.bytes)
  const sent = media.filter(({ part_id }) => !demoted.has(part_id))
  return tokensOfBytes(bytes) + sent.reduce((sum, { tokens }) => sum + tokens, 0)
}

function mediaIn(fragments: readonly WireFragment[]): Media[] {
  const found = new Map<string, Media>()
  for (const { pieces } of fragments)
    for (const piece of pieces)
      if (!(piece instanceof Uint8Array)) found.set(piece.content_id, piece)
  return [...found.values()]
}

/** Left out: an answer that a crash cut short and that was asked for again, and what passed between
 *  the user and the host alone. */
export function isSpokenMessage({ metadata }: { readonly metadata: Metadata }): boolean {
  return metadata.superseded !== true && metadata.host !== true && metadata.action === undefined
}

export // A wake that nobody wrote may say nothing at all.
function isSaidRow({ metadata_json, role, parts }: RawMessage): boolean {
  if (role === "user" && parts.length === 0) return false
  return !mayBeLeftOut(metadata_json) || isSpokenMessage({ metadata: openJson(metadata_json) })
}

/** Wire bytes of hot sessions that are kept in memory; what falls out is lowered again. */
const MAX_HOT_BYTES = 128 * 1024 * 1024

/** What was lowered of one session for one model. */
interface Hot {
  readonly key: string
  /** All turns that are over. */
  wire: WireHistory
  /** What the message of the running turn set off so far, that message first. */
  open: { readonly message: RawMessage; readonly lowered: LoweredMessage }[]
  /** The message whose turn that is. */
  turn_of: string | undefined
  last_seq: number
  media: PlannedMedia[]
  /** Media that made room for others; it only grows. */
  demoted: Demotions
  shown: ReadonlyMap<string, Earlier>
}

const NONE: Demotions = new Set()

/** Nothing lowered yet, but for what is known to make room. */
function coldStart(key: string, provider: Provider, demoted: Demotions = NONE): Hot {
  return {
    key,
    wire: new WireHistory(provider),
    open: [],
    turn_of: undefined,
    last_seq: -1,
    media: [],
    demoted,
    shown: new Map(),
  }
}

/** The sessions whose bytes are kept, those used last at the end. */
class HotSessions {
  readonly #hot = new Map<string, { readonly hot: Hot; readonly bytes: number }>()
  #bytes = 0

  get(session_id: string, key: string): Hot | undefined {
    const held = this.#hot.get(session_id)?.hot
    return held?.key === key ? held : undefined
  }

  put(session_id: string, hot: Hot) {
    this.forget(session_id)
    const { bytes } = hot.wire
    this.#hot.set(session_id, { hot, bytes })
    this.#bytes += bytes
    for (const id of this.#hot.keys()) {
      if (this.#bytes <= MAX_HOT_BYTES || this.#hot.size === 1) return
      this.forget(id)
    }
  }

  forget(session_id: string) {
    this.#bytes -= this.#hot.get(session_id)?.bytes ?? 0
    this.#hot.delete(session_id)
  }
}
