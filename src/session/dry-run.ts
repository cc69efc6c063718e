import type { BlobStore } from "../files/blobs.ts"
import { contentIdOf } from "../files/blobs.ts"
import type { readWorkspaceFile } from "../files/workspace.ts"
import { type Capture, LOAD_LIMITS, load, type Sources } from "../lower/load.ts"
import { lower } from "../lower/lower.ts"
import type { Policy } from "../lower/policy.ts"
import type { Part, UnknownPart } from "../message/part.ts"
import { Refusal } from "../message/refusal.ts"
import { type Capabilities, capabilitiesOfApi } from "../model/capabilities.ts"
import { capabilitiesOf, findModel, MODELS, type Model } from "../model/models.ts"
import type { Media, PromptMessage } from "../model/prompt.ts"
import type { Receipt } from "../model/receipt.ts"
import { blockTokens } from "../model/tokens.ts"
import type { Provider } from "../provider/provider.ts"
import { wireOf } from "../provider/registry.ts"
import { fragmentText } from "../provider/wire.ts"
import { systemPrompt } from "./system-prompt.ts"

const MAX_SHOWN_BODY_BYTES = 96 * 1024 * 1024
const MAX_OUTPUT_TOKENS = 32_000

export interface DryRunRooms {
  readonly blobs: BlobStore
  readonly read: typeof readWorkspaceFile
  readonly ingress: NonNullable<Sources["ingress"]>
}

export interface Draft {
  readonly parts: readonly (Part | UnknownPart)[]
  readonly workspace_root: string | null
  readonly model?: { readonly provider_id: string; readonly model_id: string } | undefined
  readonly api?: string | undefined
  readonly policy?: Policy | undefined
  readonly with_body: boolean
  /** The parts' ids, when they are stored ones; and what was captured for them. */
  readonly ids?: readonly string[] | undefined
  readonly captures?: ReadonlyMap<string, Capture> | undefined
}

export interface DryRun {
  readonly api: string
  readonly model: string
  /** The request as it would go out, or null when it was not asked for. */
  readonly body: unknown
  readonly prompt: { readonly messages: readonly PromptMessage[] }
  readonly receipts: readonly Receipt[]
  readonly tokens: number
  readonly bytes: number
  readonly capabilities_revision: string
}

/** What a model would be sent, and what would become of each part; nothing is kept (BEY-01). */
export async function dryRun(rooms: DryRunRooms, draft: Draft): Promise<DryRun> {
  const { model, wire, capabilities } = addressee(draft)
  const blobs = new PassingBlobs(rooms.blobs)
  const named = draft.parts.map((part, index) => ({
    id: draft.ids?.[index] ?? String(index),
    part,
  }))
  const loaded = await load(named, {
    workspace_root: draft.workspace_root,
    read: rooms.read,
    blobs,
    captured: (part_id) => draft.captures?.get(part_id),
    limits: LOAD_LIMITS,
    ingress: rooms.ingress,
  })
  const { blocks, receipts } = lower(loaded.parts, capabilities, draft.policy)
  const message: PromptMessage = { role: "user", blocks }
  const body = wire.body(
    {
      model: model.model_id,
      system: systemPrompt().body,
      max_tokens: Math.min(model.output_tokens, MAX_OUTPUT_TOKENS),
    },
    [wire.encode(message)],
  )
  return {
    api: wire.api,
    model: model.model_id,
    body: draft.with_body ? await shown(body, blobs) : null,
    prompt: { messages: [message] },
    receipts,
    tokens: blocks.reduce((total, block) => total + blockTokens(block), 0),
    bytes: body.size,
    capabilities_revision: capabilities.revision,
  }
}

type Wire = Pick<Provider, "api" | "encode" | "body">

function addressee(draft: Draft): { model: Model; wire: Wire; capabilities: Capabilities } {
  const model = draft.model ? findModel(draft.model) : MODELS.find(({ api }) => api === draft.api)
  const api = draft.api ?? model?.api ?? ""
  const wire = wireOf(api)
  if (!wire) throw new Refusal("unknown_model", `${api || "this model"} is no wire API known here`)
  if (!model)
    throw new Refusal("unknown_model", `${draft.model?.provider_id ?? api} has no model known here`)
  const capabilities =
    model.api === api ? capabilitiesOf(model) : capabilitiesOfApi(api, model.input)
  return { model, wire, capabilities }
}

async function shown(
  body: { size: number } & Parameters<typeof fragmentText>[0],
  blobs: PassingBlobs,
) {
  if (body.size > MAX_SHOWN_BODY_BYTES)
    throw new Refusal("too_large", `the request of ${body.size} bytes is too large to show whole`)
  return JSON.parse(await fragmentText(body, (media: Media) => blobs.open(media.content_id)))
}

/** Blobs that are forgotten afterwards, in front of those that are kept. */
class PassingBlobs implements Pick<BlobStore, "open" | "size" | "putBytes"> {
  readonly #kept: BlobStore
  readonly #passing = new Map<string, Uint8Array>()

  constructor(kept: BlobStore) {
    this.#kept = kept
  }

  async putBytes(bytes: Uint8Array) {
    const content_id = contentIdOf(bytes)
    this.#passing.set(content_id, bytes)
    return { content_id, size: bytes.length }
  }

  async size(content_id: string) {
    return this.#passing.get(content_id)?.length ?? this.#kept.size(content_id)
  }

  async *open(content_id: string, range?: { start: number; end: number }) {
    const bytes = this.#passing.get(content_id)
    if (bytes) yield bytes.subarray(range?.start ?? 0, range?.end ?? bytes.length)
    else yield* this.#kept.open(content_id, range)
  }
}
