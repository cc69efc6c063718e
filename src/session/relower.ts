import type { Earlier } from "../lower/fresh.ts"
import { type Demotions, type PlannedMedia, plan } from "../lower/plan.ts"
import type { ModelChoice } from "../message/message.ts"
import { Refusal } from "../message/refusal.ts"
import type { Capabilities } from "../model/capabilities.ts"
import type { Knowledge } from "../model/layers.ts"
import type { Model } from "../model/models.ts"
import { tokensOfBytes, utf8Length } from "../model/tokens.ts"
import { wireOf } from "../provider/registry.ts"
import type { RawMessage, Store } from "../store/store.ts"
import { type HistoryRooms, lowerMessage, type MessageReceipt } from "./lower-message.ts"
import { type Asked, type Manner, type MannerRooms, mannerOf, type Speaker } from "./manner.ts"
import { PassingBlobs } from "./passing-blobs.ts"
import { isSaid } from "./prompt-history.ts"

/** What lowering a history once more needs; nothing of it is changed. */
export interface RelowerRooms extends HistoryRooms, MannerRooms {
  readonly store: HistoryRooms["store"] & Pick<Store, "refusals">
  readonly models: Pick<Knowledge, "find" | "capabilities">
}

export interface Said {
  readonly messages: readonly RawMessage[]
  readonly speaker: Speaker
}

/** What a session says to a model, by its path. */
export async function saidIn({ store }: RelowerRooms, speaker: Speaker): Promise<Said> {
  const messages = await store.rawHistory(speaker.id)
  const said = messages.filter(({ metadata_json }) =>
    isSaid({ metadata: JSON.parse(metadata_json) }),
  )
  return { messages: said, speaker }
}

/** A history as one model would be sent it now, message after message, in the way a turn does it:
 *  files that were shown are not shown again, and media make room for newer ones. Nothing is kept. */
export class Relowering {
  readonly capabilities: Capabilities
  readonly #rooms: RelowerRooms
  readonly #said: Said
  readonly #asked: Asked
  readonly #wire: NonNullable<ReturnType<typeof wireOf>>
  #manner: Promise<Manner> | undefined
  #refused: ReadonlySet<string> | undefined
  #demoted: Demotions = new Set()
  #walk: Walk = NOWHERE

  constructor(rooms: RelowerRooms, said: Said, asked: { choice: ModelChoice; model: Model }) {
    const { api } = asked.model
    const wire = wireOf(api)
    if (!wire) throw new Refusal("unknown_model", `${api} is no wire API known here`)
    this.capabilities = rooms.models.capabilities(asked.model)
    this.#rooms = { ...rooms, blobs: new PassingBlobs(rooms.blobs) }
    this.#said = said
    this.#asked = { ...asked, capabilities: this.capabilities }
    this.#wire = wire
  }

  /** How the session's agent would ask the model. */
  manner(): Promise<Manner> {
    this.#manner ??= mannerOf(this.#rooms, this.#said.speaker, this.#asked)
    return this.#manner
  }

  /** What became of each part of the first `count` messages. Asked for less than before, it begins
   *  anew. */
  async upTo(count: number): Promise<readonly MessageReceipt[]> {
    if (count < this.#walk.count) this.#walk = NOWHERE
    while (this.#walk.count < count) await this.#step()
    return this.#walk.receipts
  }

  async #step() {
    const { count, receipts, media, shown } = this.#walk
    const message = this.#said.messages[count]
    if (!message) throw new Error(`there is no message ${count} in this history`)
    const lowered = await this.#lower(message, shown)
    const used = [...media, ...lowered.media]
    const demoted = plan(used, this.capabilities, this.#demoted)
    if (demoted !== this.#demoted) return this.#makeRoom(demoted)
    this.#walk = {
      count: count + 1,
      receipts: [...receipts, ...lowered.receipts],
      media: used,
      shown: lowered.shown,
    }
  }

  #makeRoom(demoted: Demotions) {
    this.#demoted = demoted
    this.#walk = NOWHERE
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
  readonly count: number
  readonly receipts: readonly MessageReceipt[]
  readonly media: readonly PlannedMedia[]
  readonly shown: ReadonlyMap<string, Earlier>
}

const NOWHERE: Walk = { count: 0, receipts: [], media: [], shown: new Map() }

/** What the answers of a history come to: their words and calls. What calls gave back has receipts. */
export function answerTokens({ messages }: Said): number {
  const parts = messages.filter(({ role }) => role === "assistant").flatMap(({ parts }) => parts)
  return tokensOfBytes(parts.reduce((bytes, { data_json }) => bytes + spokenBytes(data_json), 0))
}

function spokenBytes(data_json: string): number {
  const { type, text, input } = JSON.parse(data_json) as Readonly<Record<string, unknown>>
  if (type === "text" && typeof text === "string") return utf8Length(text)
  return input === undefined ? 0 : utf8Length(JSON.stringify(input))
}
