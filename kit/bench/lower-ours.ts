import { readWorkspaceFile } from "../../packages/files/workspace/workspace.ts"
import { capabilitiesOf, findModel } from "../../packages/core/wires/models.ts"
import type { PromptMessage } from "../../packages/core/model/prompt.ts"
import type { WireBody, WireFragment } from "../../packages/core/wires/body.ts"
import type { RequestEnvelope } from "../../packages/core/wires/define-wire.ts"
import { findWire } from "../../packages/core/wires/wires.ts"
import { WireHistory } from "../../packages/core/wires/wire-history.ts"
import {
  type HistoryDependencies,
  type LoweringOf,
  lowerMessage,
} from "../../packages/engine/turns/lower-message.ts"
import { plainFragments } from "../../packages/engine/turns/plain-blocks.ts"
import { isSaidRow } from "../../packages/engine/turns/prompt-history.ts"
import type { RawMessage } from "../../packages/engine/store/store.ts"
import { TOOL } from "./lower-histories.ts"

const MODEL = { provider_id: "anthropic", model_id: "claude-sonnet-4-5" }

const ENVELOPE: RequestEnvelope = {
  model: MODEL.model_id,
  system: "Be kind.",
  max_tokens: 1000,
  tools: [
    { name: TOOL, description: "Read a file.", parameters: { type: "object", properties: {} } },
  ],
}

/** Rows to the pieces of a request, by the functions that a session uses. */
export class Ours {
  readonly #rooms: HistoryDependencies
  readonly #wire: NonNullable<ReturnType<typeof findWire>>
  readonly #at: LoweringOf

  constructor(blobs: HistoryDependencies["blobs"]) {
    const wire = findWire("anthropic-messages")
    const model = findModel(MODEL)
    if (!wire || !model) throw new Error(`${MODEL.model_id} is no model known here`)
    this.#wire = wire
    this.#rooms = {
      store: {
        rawHistory: nothing,
        toldHistory: nothing,
        lastAsked: nothing,
        capture: nothing,
      },
      blobs,
      read: readWorkspaceFile,
      ingress: () => () => ({ verdict: "allow" }),
    }
    this.#at = {
      target: { provider: wire, model_id: MODEL.model_id, capabilities: capabilitiesOf(model) },
      workspace_root: null,
      policy: { file_refs: "auto" },
      closed: true,
      shown: new Map(),
      wants_receipts: false,
    }
  }

  async cold(rows: readonly RawMessage[]): Promise<WireBody> {
    return this.#wire.body(ENVELOPE, (await this.history(rows)).messages())
  }

  async history(rows: readonly RawMessage[]): Promise<WireHistory> {
    const history = new WireHistory(this.#wire)
    for (const row of rows) {
      if (!isSaidRow(row)) continue
      const plain = plainFragments(row, this.#at.target)
      for (const fragment of plain ?? (await this.#lowered(row))) history.add(fragment)
    }
    return history
  }

  /** What the rows say, as objects that are opened to the last letter. */
  async opened(rows: readonly RawMessage[]): Promise<PromptMessage[]> {
    const said: PromptMessage[] = []
    const encode = (message: PromptMessage) => {
      said.push(JSON.parse(JSON.stringify(message)))
      return this.#wire.encode(message)
    }
    const target = { ...this.#at.target, provider: { encode } }
    for (const row of rows) await lowerMessage(this.#rooms, row, { ...this.#at, target })
    return said
  }

  fromOpened(messages: readonly PromptMessage[]): WireBody {
    const history = new WireHistory(this.#wire)
    for (const message of messages) history.add(this.#wire.encode(message, MODEL.model_id))
    return this.#wire.body(ENVELOPE, history.messages())
  }

  /** The next request of a session whose history is written already. */
  async append(history: WireHistory, row: RawMessage): Promise<WireBody> {
    return this.#wire.body(ENVELOPE, [...history.messages(), ...(await this.#lowered(row))])
  }

  async #lowered(row: RawMessage): Promise<readonly WireFragment[]> {
    const { fragments } = await lowerMessage(this.#rooms, row, this.#at)
    return fragments
  }
}

function nothing(): never {
  throw new Error("the rows are given, and nothing is read from a store")
}
