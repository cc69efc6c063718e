import type { ApiLimits, Modality } from "../model/capabilities.ts"
import type { Model } from "../model/models.ts"
import type { ModelEvent, PromptMessage, Seal, Thinking, ToolDefinition } from "../model/prompt.ts"
import type { WireBody, WireFragment } from "./body.ts"
import type { StreamProgress, Step } from "./progress.ts"
import type { JsonRecord } from "./read.ts"
import type { RefusalFacts } from "./refusal.ts"

/** What a request says beside its messages. */
export interface RequestEnvelope {
  readonly model: string
  readonly system: string
  readonly max_tokens: number
  readonly tools?: readonly ToolDefinition[]
  /** Nothing said leaves it to the model. */
  readonly thinking?: Thinking
}

/** Environment variables by their name. */
export type ProviderEnvironment = Readonly<Record<string, string | undefined>>

/** Someone who speaks a wire API, and how they are reached. */
export interface Connection {
  /** Who answers when nobody chose a model: a vendor whose key is there, before a server that is
   *  named by its address, before what runs on this machine. */
  readonly kind: "vendor" | "server" | "machine"
  readonly base_url: string
  /** Those that tell who asks. */
  readonly headers: Readonly<Record<string, string>>
  /** Signs each request, where a header alone does not tell who asks. */
  readonly signing?: SigningKey | undefined
  /** The model that answers when nobody chose one; otherwise the first of the wire's list. */
  readonly model_id?: string | undefined
}

/** A key pair of Amazon's, for Signature Version 4. */
export interface SigningKey {
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly session_token?: string | undefined
  readonly region: string
  readonly service: string
}

export interface WireRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Asks a server for a page of JSON; with `json` it posts that. Throws when there is none. */
export type AskServer = (path: string, json?: unknown) => Promise<JsonRecord>

/** What a server says of one of its models, not yet checked. */
export interface ProbedModel {
  readonly model_id: unknown
  readonly name?: unknown
  readonly input?: readonly string[] | undefined
  readonly context_tokens?: number | undefined
  readonly output_tokens?: number | undefined
  readonly tools?: boolean | undefined
  readonly thinking?: readonly string[] | undefined
}

/** Where a server can be asked what its models can do, and how its answer is read. */
export interface ModelProbe extends WireRequest {
  readonly read: (ask: AskServer) => Promise<readonly ProbedModel[]>
}

/** How the tokens of a request are asked for before it is sent. */
export interface TokenCount {
  request(envelope: RequestEnvelope, connection: Connection): WireRequest
  body(envelope: RequestEnvelope, messages: readonly WireFragment[]): WireBody
  /** Where the figure stands in the answer. */
  read(answer: JsonRecord): unknown
}

/** Where the providers of the AI SDK look for what an API wants back: the SDK's name of the provider,
 *  and its option for each field of a seal. */
interface SdkSeals {
  readonly provider: string
  readonly options: Readonly<Partial<Record<keyof Omit<Seal, "api" | "model">, string>>>
}

interface WireBasics {
  /** The name of the API; a dialect of Chat Completions stands behind a slash. */
  readonly api: string
  /** Who speaks it, as a model is named: `provider_id/model_id`. */
  readonly provider_id: string
  readonly limits: ApiLimits
  /** The models known by name. The first is the default, and what is assumed of one not in the list. */
  readonly models: readonly Model[]
  /** The key of its provider in the public catalog of models; null where the catalog has none. */
  readonly catalog: string | null
  readonly sdk_seals: SdkSeals | null
  /** A tool as it is defined to the model. */
  readonly encodeTool: (tool: ToolDefinition) => object
  /** Total: what the wire has no place for is described in its place. `model` decides whether seals
   *  are sent back, and where models behind one API differ; without it, as the oldest takes it. */
  readonly encode: (message: PromptMessage, model?: string) => WireFragment
  readonly body: (envelope: RequestEnvelope, messages: readonly WireFragment[]) => WireBody
  /** Neighbours as one fragment, so that a long history is few of them: `body` says the same with
   *  the fold as with what was folded. Null where each message is looked at by itself. */
  readonly fold: ((messages: readonly WireFragment[]) => WireFragment) | null
}

/** A wire API that is asked over HTTP. Everything the product asks of it stands in one file; nothing
 *  may be left out. All of it is pure but `frames`, which waits for bytes. `test/provider/wires.test.ts`
 *  asks every wire of the table for what is promised here. */
export interface RemoteWire<State extends StreamProgress = StreamProgress, Frame = unknown>
  extends WireBasics {
  readonly runs: "remote"
  /** Whoever can be asked here, by what stands in the environment. */
  readonly setup: (environment: ProviderEnvironment) => readonly Connection[]
  readonly request: (envelope: RequestEnvelope, connection: Connection) => WireRequest
  /** Null where the API cannot be asked. */
  readonly count: TokenCount | null
  /** Null where there is nothing to be asked about models. */
  readonly probe: (connection: Connection) => ModelProbe | null
  readonly start: (model: string) => State
  readonly frames: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Frame>
  // As methods, so that the table may hold wires of different states: what `start` and `frames` gave
  // is all that they are given.
  /** Pure and total: what it does not know says nothing. */
  step(state: State, frame: Frame): Step<State>
  /** The stream is over and nobody gave a last event: what was left open, and how it ended. */
  close(state: State): readonly ModelEvent[]
  /** The API's way of saying no, in the JSON of an answer that is not 200. */
  readonly readRefusal: (body: JsonRecord) => RefusalFacts
  readonly example: WireExample
}

/** What the tests ask a wire with. */
export interface WireExample {
  /** Sets it up. `base_url_variable` names where it is. */
  readonly environment: ProviderEnvironment
  readonly base_url_variable: string
  /** A whole answer that says "Hello." and ends. */
  readonly answer: { readonly type: string; readonly bytes: string | Uint8Array }
  readonly refusal: { readonly body: JsonRecord; readonly facts: RefusalFacts }
}

/** A model inside this process: the engine answers for it. */
export interface InProcessWire extends WireBasics {
  readonly runs: "in-process"
}

export type Wire = RemoteWire | InProcessWire

export function defineWire<State extends StreamProgress, Frame>(
  wire: Omit<RemoteWire<State, Frame>, "runs">,
): RemoteWire<State, Frame> {
  return { runs: "remote", ...wire }
}

export function defineInProcessWire(wire: Omit<InProcessWire, "runs">): InProcessWire {
  return { runs: "in-process", ...wire }
}

export type ModelTraits = Partial<Omit<Model, "provider_id" | "model_id" | "name" | "api">>

/** Models of one provider: what they share, then an id, a name and what is different for each. */
export function knownModels(
  wire: Pick<Model, "provider_id" | "api">,
  shared: ModelTraits,
  rows: readonly (readonly [model_id: string, name: string, more?: ModelTraits])[],
): Model[] {
  return rows.map(([model_id, name, more]) => ({
    ...wire,
    model_id,
    name,
    context_tokens: 128_000,
    output_tokens: 16_384,
    input: TEXT,
    tools: true,
    thinking: [],
    layers: [],
    ...shared,
    ...more,
  }))
}

export const TEXT: readonly Modality[] = ["text"]
export const SIGHTED: readonly Modality[] = ["text", "image", "pdf"]
export const HEARS: readonly Modality[] = ["text", "audio"]
export const EVERY_SENSE: readonly Modality[] = ["text", "image", "pdf", "audio", "video"]

/** Anthropic's models, wherever they are asked. */
export const CLAUDE: ModelTraits = {
  context_tokens: 200_000,
  output_tokens: 64_000,
  input: SIGHTED,
  thinking: ["effort"],
}
export const BUDGETED: ModelTraits = { thinking: ["off", "budget"] }
export const LONG_CONTEXT: ModelTraits = { context_tokens: 1_000_000, output_tokens: 128_000 }

export const MEGABYTE = 1024 * 1024

/** Where an API documents no limit, what a request can carry in practice. Configurable, as every
 *  limit is. */
export const UNDOCUMENTED = { request: 64 * MEGABYTE, media: 20 * MEGABYTE }

/** Bytes that so many characters of base64 carry. */
export function decodedBytes(characters: number): number {
  return Math.floor(characters / 4) * 3
}

export function urlOf(base_url: string, path: string): string {
  return `${base_url.replace(/\/+$/, "")}${path}`
}

/** Headers of a request of JSON that is answered by server-sent events. */
export const EVENT_HEADERS = { "content-type": "application/json", accept: "text/event-stream" }

export function bearer(api_key: string | undefined): Readonly<Record<string, string>> {
  return api_key ? { authorization: `Bearer ${api_key}` } : {}
}
