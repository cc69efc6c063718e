import type { BlobStore } from "../files/blobs.ts"
import type { readWorkspaceFile } from "../files/workspace.ts"
import { lowerAssistant } from "../lower/assistant.ts"
import { type Capture, LOAD_LIMITS, load, type Sources } from "../lower/load.ts"
import { lower } from "../lower/lower.ts"
import { readPart } from "../message/part.ts"
import type { StoredMessage } from "../message/row.ts"
import { upgradePart } from "../message/upgrade.ts"
import type { Capabilities } from "../model/capabilities.ts"
import type { PromptMessage } from "../model/prompt.ts"
import { LOWERING_VERSION, type Receipt } from "../model/receipt.ts"
import type { Fragment, Provider } from "../provider/provider.ts"
import type { Claim, Store } from "../store/store.ts"

export interface HistoryRooms {
  readonly store: Store
  readonly blobs: BlobStore
  readonly read: typeof readWorkspaceFile
  /** What may come in from a workspace. */
  ingress(workspace_root: string | null): NonNullable<Sources["ingress"]>
}

export interface Target {
  readonly provider: Provider
  readonly model_id: string
  readonly capabilities: Capabilities
}

export interface PromptRequest {
  /** Closed wire messages, oldest first; the last one is the message that fired. */
  readonly messages: readonly Fragment[]
  readonly receipts: readonly { readonly message_id: string; readonly receipt: Receipt }[]
  readonly captures: readonly Capture[]
}

const PAGE = 200
/** Wire bytes of hot sessions that are kept in memory; what falls out is lowered again. */
const MAX_HOT_BYTES = 128 * 1024 * 1024

interface Hot {
  readonly key: string
  readonly path_revision: number
  readonly fragments: Fragment[]
  last_seq: number
  bytes: number
}

/** What a session's next request says. A message is lowered and encoded once for a model; later
 *  turns use its bytes, so a turn costs what is new and the prefix stays the same to the byte. */
export class PromptHistory {
  readonly #rooms: HistoryRooms
  readonly #hot = new Map<string, Hot>()
  #bytes = 0

  constructor(rooms: HistoryRooms) {
    this.#rooms = rooms
  }

  async request(claim: Claim, target: Target): Promise<PromptRequest> {
    const { session_id, message_id } = claim.turn
    const key = keyOf(target)
    const receipts: { message_id: string; receipt: Receipt }[] = []
    const captures: Capture[] = []
    const hot = this.#warm(session_id, key, claim.path_revision)
    const fresh = hot.last_seq < 0
    const messages = fresh
      ? await this.#wholePath(session_id)
      : await this.#rooms.store.historyAfter(session_id, hot.last_seq)
    const tellAll = fresh && (await this.#modelChanged(claim, target))
    for (const message of messages.filter(isSaid)) {
      const lowered = await this.#lower(message, claim, target)
      if (message.id === message_id || tellAll) receipts.push(...lowered.receipts)
      captures.push(...lowered.captures)
      this.#add(hot, message, lowered.fragment)
    }
    return { messages: hot.fragments.slice(), receipts, captures }
  }

  forget(session_id: string) {
    const hot = this.#hot.get(session_id)
    if (!hot) return
    this.#hot.delete(session_id)
    this.#bytes -= hot.bytes
  }

  #warm(session_id: string, key: string, path_revision: number): Hot {
    const known = this.#hot.get(session_id)
    this.forget(session_id)
    const same = known?.key === key && known.path_revision === path_revision
    const hot = same ? known : { key, path_revision, fragments: [], last_seq: -1, bytes: 0 }
    this.#hot.set(session_id, hot)
    this.#bytes += hot.bytes
    this.#evict()
    return hot
  }

  #evict() {
    for (const id of this.#hot.keys()) {
      if (this.#bytes <= MAX_HOT_BYTES || this.#hot.size === 1) return
      this.forget(id)
    }
  }

  #add(hot: Hot, message: StoredMessage, fragment: Fragment | null) {
    hot.last_seq = message.seq ?? hot.last_seq
    if (!fragment) return
    hot.fragments.push(fragment)
    const bytes = residentBytes(fragment)
    hot.bytes += bytes
    this.#bytes += bytes
  }

  async #wholePath(session_id: string): Promise<StoredMessage[]> {
    const pages: StoredMessage[][] = []
    let before: string | undefined
    do {
      const page = await this.#rooms.store.history(session_id, { limit: PAGE, before })
      pages.unshift(page.messages)
      before = page.next ?? undefined
    } while (before !== undefined)
    return pages.flat()
  }

  // Receipts of earlier parts are stored again only when they may differ from those of the last turn.
  async #modelChanged(claim: Claim, target: Target): Promise<boolean> {
    const turns = await this.#rooms.store.turns(claim.turn.session_id)
    const last = turns.filter((turn) => turn.api !== null).at(-1)
    if (!last) return false
    const { capabilities, model_id } = target
    return last.model.model_id !== model_id || last.capabilities_revision !== capabilities.revision
  }

  async #lower(message: StoredMessage, claim: Claim, target: Target) {
    if (message.role === "assistant") return this.#lowerAnswer(message, target)
    const version = Number(message.metadata.schema_version ?? 1)
    const parts = message.parts.map(({ id, data }) => ({
      id,
      part: readPart(upgradePart(data, version)),
    }))
    const kept = await this.#captured(message)
    const loaded = await load(parts, {
      workspace_root: claim.workspace_root,
      read: this.#rooms.read,
      blobs: this.#rooms.blobs,
      captured: (part_id) => kept.get(part_id),
      limits: LOAD_LIMITS,
      ingress: this.#rooms.ingress(claim.workspace_root),
    })
    const { blocks, receipts } = lower(loaded.parts, target.capabilities)
    return {
      fragment: encode(target, { role: "user", blocks }),
      receipts: receipts.map((receipt) => ({ message_id: message.id, receipt })),
      captures: loaded.captures,
    }
  }

  #lowerAnswer(message: StoredMessage, target: Target) {
    const parts = message.parts.map(({ data }) => data as { type: string; text?: unknown })
    const blocks = lowerAssistant(parts)
    const fragment = blocks.length === 0 ? null : encode(target, { role: "assistant", blocks })
    return { fragment, receipts: [], captures: [] }
  }

  async #captured(message: StoredMessage): Promise<Map<string, Capture>> {
    const kept = new Map<string, Capture>()
    for (const part of message.parts) {
      if (part.type !== "file-ref" && part.type !== "mention") continue
      const capture = await this.#rooms.store.capture(part.id)
      if (capture) kept.set(part.id, JSON.parse(capture.data_json))
    }
    return kept
  }
}

function keyOf({ provider, model_id, capabilities }: Target): string {
  return [LOWERING_VERSION, provider.id, provider.api, model_id, capabilities.revision].join("|")
}

// Left out: an answer that a crash cut short and that was asked for again, and what passed between
// the user and the host alone.
function isSaid({ metadata }: StoredMessage): boolean {
  return metadata.superseded !== true && metadata.host !== true && metadata.action === undefined
}

function encode(target: Target, message: PromptMessage): Fragment {
  return target.provider.encode(message, target.model_id)
}

function residentBytes(fragment: Fragment): number {
  return fragment.pieces.reduce(
    (total, piece) => total + (piece instanceof Uint8Array ? piece.length : 0),
    0,
  )
}
