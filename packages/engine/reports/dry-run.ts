import type { Part } from "compositor-core/parts/table"
import { DEFAULT_POLICY, type Policy } from "compositor-core/lower/policy"
import { createHmac, randomBytes } from "node:crypto"
import type { readWorkspaceFile } from "compositor-files/workspace/workspace"
import type { Capture } from "../loading/capture.ts"
import { load } from "../loading/load.ts"
import { lower, promptMessages } from "compositor-core/lower/lower"
import { LOAD_LIMITS, type Sources } from "../loading/sources.ts"
import type { ContextFill, DryRun } from "compositor-core/contract/lowering"
import { Refusal } from "compositor-core/message/refusal"
import { type Metadata, Usage } from "compositor-core/message/row"
import type { Capabilities } from "compositor-core/model/capabilities"
import { capabilitiesOfApi } from "compositor-core/wires/models"
import type { Knowledge } from "compositor-core/wires/layers"
import type { Model } from "compositor-core/model/models"
import type { Media, PromptMessage } from "compositor-core/model/prompt"
import { blockTokens, estimateTokens } from "compositor-core/model/tokens"
import type { ProviderCall, Provider } from "../providers/provider.ts"
import type { RequestEnvelope } from "compositor-core/wires/define-wire"
import type { WireFragment } from "compositor-core/wires/body"
import { findWire } from "compositor-core/wires/wires"
import { fragmentText } from "../providers/write-body.ts"
import { type Instructions, newInstructions } from "../skills/instructions.ts"
import type { Store } from "../store/store.ts"
import { envelopeOf } from "../turns/turn-context.ts"
import { lowerInstructions } from "../turns/instructions.ts"
import { nonceOf } from "../turns/lower-message.ts"
import {
  type RequestSettings,
  type RequestSettingsDependencies,
  chooseRequestSettings,
  type Speaker,
} from "../turns/request-settings.ts"
import { PassingBlobs } from "../turns/passing-blobs.ts"
import { systemPrompt } from "../turns/system-prompt.ts"

const MAX_SHOWN_BODY_BYTES = 96 * 1024 * 1024

export interface DryRunDependencies extends RequestSettingsDependencies {
  readonly blobs: Sources["blobs"]
  readonly read: typeof readWorkspaceFile
  readonly ingress: NonNullable<Sources["ingress"]>
  readonly models: Pick<Knowledge, "models" | "find" | "capabilities">
  /** What else lowering is given of the world. */
  readonly formats?: Pick<Sources, "slice" | "shrink" | "routes" | "measure"> | undefined
  /** What a session said already of the project's instructions. */
  said_instructions?(session_id: string): Promise<readonly Instructions[]>
  /** Media that a model would not take before (BEY-02). */
  refused?(api: string, model_id: string): Promise<readonly string[]>
  /** Those that can be asked: near the limit, how many tokens a request has. */
  readonly providers: ReadonlyMap<string, Counter>
}

/** A provider that may know how many tokens a request has. */
interface Counter extends Pick<Provider, "id"> {
  countTokens?(call: ProviderCall): Promise<number | undefined>
}

export interface DryRunInput {
  readonly parts: readonly Part[]
  readonly workspace_root: string | null
  readonly model?: { readonly provider_id: string; readonly model_id: string } | undefined
  readonly api?: string | undefined
  readonly policy?: Policy | undefined
  readonly with_body: boolean
  /** The session that it would be said in, if any. */
  readonly speaker?: Speaker | undefined
  /** What that session holds already. */
  readonly history_tokens?: number | undefined
  /** The parts' ids, when they are stored ones; and what was captured for them. */
  readonly ids?: readonly string[] | undefined
  readonly captures?: ReadonlyMap<string, Capture> | undefined
  /** The message itself and what it said of the project's instructions, when it was sent. */
  readonly message_id?: string | undefined
  readonly instructions?: readonly Instructions[] | undefined
}

/** What a session holds already: what its last answer was asked with, and the answer. Providers tell
 *  it, so it is exact; 0 before the first answer. */
export async function heldTokens(
  store: Pick<Store, "history">,
  session_id: string,
): Promise<number> {
  const { messages } = await store.history(session_id, { limit: LAST_MESSAGES })
  const told = messages.map(({ metadata }) => heldBy(metadata))
  return told.findLast((known) => known !== undefined) ?? 0
}

/** A summary says what is held with it; what it cost itself says nothing about that. */
function heldBy({ usage: told, context_tokens }: Metadata): number | undefined {
  if (typeof context_tokens === "number") return context_tokens
  const usage = Usage.safeParse(told).data
  return usage && usage.input + usage.cache_read + usage.cache_write + usage.output
}

const LAST_MESSAGES = 10

/** What a model would be sent, and what would become of each part; nothing is kept (BEY-01). */
export async function dryRun(rooms: DryRunDependencies, draft: DryRunInput): Promise<DryRun> {
  const to = addressee(rooms.models, draft)
  const { model, wire, capabilities } = to
  const manner = await mannerOfDraft(rooms, draft, to)
  const blobs = new PassingBlobs(rooms.blobs)
  const { receipts, messages } = await lowerDraft(rooms, draft, { to, manner, blobs })
  const fragments = messages.map((message) => wire.encode(message, model.model_id))
  const { envelope } = manner
  const body = wire.body(envelope, fragments)
  const tokens = messages
    .flatMap((message) => message.blocks)
    .reduce((total, block) => total + blockTokens(block), 0)
  return {
    api: wire.api,
    model: model.model_id,
    body: draft.with_body ? await shown(body, blobs) : null,
    prompt: { messages: [...messages] },
    receipts,
    tokens,
    bytes: body.size,
    context: await fillOf(rooms, { model, envelope, fragments, tokens, draft, blobs }),
    capabilities_revision: capabilities.revision,
  }
}

type Wire = Pick<Provider, "api" | "encode" | "body">

interface Addressee {
  readonly model: Model
  readonly wire: Wire
  readonly capabilities: Capabilities
}

function addressee(known: DryRunDependencies["models"], draft: DryRunInput): Addressee {
  const model = draft.model
    ? known.find(draft.model)
    : known.models.find(({ api }) => api === draft.api)
  const api = draft.api ?? model?.api ?? ""
  const wire = findWire(api)
  if (!wire) throw new Refusal("unknown_model", `${api || "this model"} is no wire API known here`)
  if (!model)
    throw new Refusal("unknown_model", `${draft.model?.provider_id ?? api} has no model known here`)
  const capabilities =
    model.api === api ? known.capabilities(model) : capabilitiesOfApi(api, model.input)
  return { model, wire, capabilities }
}

/** A draft that belongs to no session is shown as the assistant's, without tools. */
function mannerOfDraft(
  rooms: DryRunDependencies,
  { speaker, model: choice }: DryRunInput,
  { model, capabilities }: Addressee,
): RequestSettings | Promise<RequestSettings> {
  if (speaker)
    return chooseRequestSettings(rooms, speaker, { choice: choice ?? model, model, capabilities })
  return { envelope: envelopeOf(model, { system: systemPrompt() }), policy: DEFAULT_POLICY }
}

interface Lowering {
  readonly to: Addressee
  readonly manner: RequestSettings
  readonly blobs: PassingBlobs
}

async function lowerDraft(
  rooms: DryRunDependencies,
  draft: DryRunInput,
  { to, manner, blobs }: Lowering,
): Promise<Pick<DryRun, "receipts"> & { messages: readonly PromptMessage[] }> {
  const { capabilities, model } = to
  const named = draft.parts.map((part, index) => ({
    id: draft.ids?.[index] ?? String(index),
    part,
  }))
  const loaded = await load(named, {
    ...rooms.formats,
    workspace_root: draft.workspace_root,
    read: rooms.read,
    blobs,
    captured: (part_id) => draft.captures?.get(part_id),
    limits: LOAD_LIMITS,
    ingress: rooms.ingress,
    capabilities,
    reach: manner.policy.reach,
  })
  const refused = new Set(await rooms.refused?.(capabilities.api, model.model_id))
  const nonce = capabilities.one_string ? draftNonce(draft) : undefined
  const said = lowerInstructions(draft.instructions ?? (await unsaid(rooms, draft, manner)), {
    nonce,
  })
  const policy = { ...manner.policy, ...draft.policy, refused, nonce }
  const lowered = lower(loaded.parts, capabilities, policy)
  const blocks = [...said.map(({ block }) => block), ...lowered.blocks]
  return {
    receipts: [...lowered.receipts, ...said.map(({ receipt }) => receipt)],
    messages: promptMessages({ ...lowered, blocks }),
  }
}

/** What the message would say of the project's instructions if it were sent now. */
async function unsaid(
  rooms: DryRunDependencies,
  draft: DryRunInput,
  { envelope }: RequestSettings,
) {
  const { speaker, workspace_root } = draft
  const files = await rooms.instructions({
    workspace_root: speaker?.workspace_root ?? workspace_root,
  })
  // Without a session there is no prompt yet that trusted files could stand in.
  const open = speaker ? files : files.filter(({ trusted }) => !trusted)
  if (open.length === 0) return []
  const said = speaker ? await rooms.said_instructions?.(speaker.id) : undefined
  return newInstructions(open, { system: envelope.system, said: said ?? [] })
}

// A draft has no id yet. Asked again the answer is the same, and what is in it cannot tell it.
const DRAFT_KEY = randomBytes(32)

function draftNonce({ parts, message_id }: DryRunInput): string {
  if (message_id !== undefined) return nonceOf(message_id)
  return nonceOf(createHmac("sha256", DRAFT_KEY).update(JSON.stringify(parts)).digest("hex"))
}

async function shown(
  body: { size: number } & Parameters<typeof fragmentText>[0],
  blobs: PassingBlobs,
) {
  if (body.size > MAX_SHOWN_BODY_BYTES)
    throw new Refusal("too_large", `the request of ${body.size} bytes is too large to show whole`)
  return JSON.parse(await fragmentText(body, (media: Media) => blobs.open(media.content_id)))
}

interface Filled {
  readonly model: Model
  readonly envelope: RequestEnvelope
  readonly fragments: readonly WireFragment[]
  readonly tokens: number
  readonly draft: DryRunInput
  readonly blobs: PassingBlobs
}

/** An estimate is good enough until it comes near the limit; then the provider is asked. */
const NEAR = 0.8
const COUNT_MS = 5000

async function fillOf(rooms: DryRunDependencies, filled: Filled): Promise<ContextFill> {
  const { model, tokens, draft, envelope, fragments, blobs } = filled
  const limit_tokens = model.context_tokens
  const before = draft.history_tokens ?? 0
  const used_tokens = before + estimateTokens(envelope.system) + tokens
  const estimate = { limit_tokens, used_tokens, exact: false }
  if (used_tokens < limit_tokens * NEAR) return estimate
  const counted = await rooms.providers.get(model.provider_id)?.countTokens?.({
    envelope,
    messages: fragments,
    receipts: [],
    open: (media: Media) => blobs.open(media.content_id),
    signal: AbortSignal.timeout(COUNT_MS),
  })
  if (counted === undefined) return estimate
  return { limit_tokens, used_tokens: before + counted, exact: true }
}
