import type { Earlier } from "../loading/unchanged-files.ts"
import { type Demotions, type PlannedMedia, plan } from "compositor-core/file/plan"
import type { ModelChoice } from "compositor-core/message/message"
import { Refusal } from "compositor-core/message/refusal"
import { openJson } from "compositor-core/message/stored-json"
import type { Capabilities } from "compositor-core/model/capabilities"
import type { Knowledge } from "compositor-core/wires/layers"
import type { Model } from "compositor-core/model/models"
import { tokensOfBytes, utf8Length } from "compositor-core/model/tokens"
import { findWire } from "compositor-core/wires/wires"
import type { RawMessage, Store } from "../store/store.ts"
import {
  type HistoryDependencies,
  lowerMessage,
  type MessageReceipt,
} from "../turns/lower-message.ts"
import {
  type RequestedModel,
  type RequestSettings,
  type RequestSettingsDependencies,
  chooseRequestSettings,
  type Speaker,
} from "../turns/request-settings.ts"
import { PassingBlobs } from "../turns/passing-blobs.ts"
import { isSpokenMessage } from "../turns/prompt-history.ts"
import { allOf, sinceCompaction } from "../turns/compaction.ts"

/** What lowering a history once more needs; nothing of it is changed. */
export interface RelowerDependencies extends HistoryDependencies, RequestSettingsDependencies {
  readonly store: HistoryDependencies["store"] & Pick<Store, "refusals">
  readonly models: Pick<Knowledge, "find" | "capabilities">
}

export interface SpokenHistory {
  readonly messages: readonly RawMessage[]
  readonly speaker: Speaker
}

/** What a session says to a model, by its path. */
export async function readSpokenHistory(
  { store }: RelowerDependencies,
  speaker: Speaker,
): Promise<SpokenHistory> {
  const messages = allOf(sinceCompaction(await store.toldHistory(speaker.id, null)))
  const said = messages.filter(({ metadata_json }) =>
    isSpokenMessage({ metadata: openJson(metadata_json) }),
  )
  return { messages: said, speaker }
}

/** A history as one model would be sent it now, message after message, in the way a turn does it:
 *  files that were shown are not shown again, and media make room for newer ones. Nothing is kept. */
export class Relowering {
  readonly capabilities: Capabilities
  readonly #rooms: RelowerDependencies
  readonly #said: SpokenHistory
  readonly #asked: RequestedModel
  readonly #wire: NonNullable<ReturnType<typeof findWire>>
  #manner: Promise<RequestSettings> | undefined
  #refused: ReadonlySet<string> | undefined
  #demoted: Demotions = new Set()
  #walk = nowhere()

  constructor(
    rooms: RelowerDependencies,
    said: SpokenHistory,
    asked: { choice: ModelChoice; model: Model },
  ) {
    const { api } = asked.model
    const wire = findWire(api)
    if (!wire) throw new Refusal("unknown_model", `${api} is no wire API known here`)
    this.capabilities = rooms.models.capabilities(asked.model)
    this.#rooms = { ...rooms, blobs: new PassingBlobs(rooms.blobs) }
    this.#said = said
    this.#asked = { ...asked, capabilities: this.capabilities }
    this.#wire = wire
  }

  /** How the session's agent would ask the model. */
  manner(): Promise<RequestSettings> {
    this.#manner ??= chooseRequestSettings(this.#rooms, this.#said.speaker, this.#asked)
    return this.#manner
  }

  /** Go as far as the first `count` messages; asked for less than before, begin anew. */
  async goTo(count: number): Promise<void> {
    if (count < this.#walk.count) this.#walk = nowhere()
    while (this.#walk.count < count) await this.#step(this.#walk)
  }

  /** What became of each part of a message, as far as this went. */
  receiptsOf(message_id: string): readonly MessageReceipt[] {
    return this.#walk.receipts.get(message_id) ?? []
  }

  receipts(): readonly MessageReceipt[] {
    return [...this.#walk.receipts.values()].flat()
  }

  async #step(walk: Walk) {
    const message = this.#said.messages[walk.count]
    if (!message) throw new Error(`there is no message ${walk.count} in this history`)
    const { receipts, media, shown } = await this.#lower(message, walk.shown)
    walk.count += 1
    walk.shown = shown
    walk.receipts.set(message.id, receipts)
    if (media.length === 0) return
    walk.media.push(...media)
    const demoted = plan(walk.media, this.capabilities, this.#demoted)
    // What makes room does so from the start.
    if (demoted !== this.#demoted) this.#walk = nowhere()
    this.#demoted = demoted
  }

  async #lower(message: RawMessage, shown: Walk["shown"]) {
    const { model_id, api } = this.#asked.model
    const { policy } = await this.manner()
    this.#refused ??= new Set(await this.#rooms.store.refusals(api, model_id))
    return lowerMessage(this.#rooms, message, {
      target: { provider: this.#wire, model_id, capabilities: this.capabilities },
      workspace_root: this.#said.speaker.workspace_root,
      policy: { ...policy, refused: this.#refused, demoted: this.#demoted },
      closed: true,
      shown,
      wants_receipts: true,
    })
  }
}

interface Walk {
  /** How many messages were lowered. */
  count: number
  readonly receipts: Map<string, readonly MessageReceipt[]>
  readonly media: PlannedMedia[]
  shown: ReadonlyMap<string, Earlier>
}

function nowhere(): Walk {
  return { count: 0, receipts: new Map(), media: [], shown: new Map() }
}

/** What the answers of a history come to: their words and calls. What calls gave back has receipts. */
export function answerTokens({ messages }: SpokenHistory): number {
  const parts = messages.filter(({ role }) => role === "assistant").flatMap(({ parts }) => parts)
  return tokensOfBytes(parts.reduce((bytes, { data_json }) => bytes + spokenBytes(data_json), 0))
}

function spokenBytes(data_json: string): number {
  const { type, text, input } = openJson(data_json)
  if (type === "text" && typeof text === "string") return utf8Length(text)
  return input === undefined ? 0 : utf8Length(JSON.stringify(input))
}
