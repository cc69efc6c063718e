import type { Policy } from "compositor-core/lower/policy"
import type { BlobStore } from "compositor-files/blobs/blobs"
import type { Capabilities } from "compositor-core/model/capabilities"
import type { Knowledge } from "compositor-core/wires/layers"
import { type Model, thinkingFor } from "compositor-core/model/models"
import type { Effort, Thinking } from "compositor-core/model/prompt"
import { PermissionRule, scratchRule } from "../policy/permissions.ts"
import type { ToolBefore } from "../policy/watchdog.ts"
import type { RequestEnvelope } from "compositor-core/wires/define-wire"
import type { Provider } from "../providers/provider.ts"
import type { Instructions } from "../skills/instructions.ts"
import type { WrittenFile } from "../skills/trust.ts"
import type { Claim, Store, TurnKey } from "../store/store.ts"
import type { Tool, ToolRuntime } from "../tools/tool.ts"
import { type Agent, ASSISTANT, toolsOf } from "../agents/agent.ts"
import { CompactionConfig, type CompactionSettings } from "./compaction.ts"
import type { MessageUser } from "./steps.ts"
import type { ConverseOptions, TurnHandler } from "./turn-handler.ts"
import { reachOf } from "./agent-toolset.ts"
import type { PromptHistory } from "./prompt-history.ts"
import {
  type Document,
  type PromptSections,
  systemPrompt,
  type ToolCatalog,
  toolCatalog,
} from "./system-prompt.ts"
import type { Scopes } from "compositor-files/workspace/scope"
import type { ScratchFolders } from "compositor-files/workspace/scratch"
import type { Sources } from "../loading/load.ts"
import { attachedFile } from "./attached-file.ts"
import type { RequestSettingsDependencies } from "./request-settings.ts"
import type { ModelChoice } from "compositor-core/message/message"

/** Where a turn runs: what the host knows of its session. */
export interface TurnLocation {
  readonly session_id: string
  readonly workspace_root: string | null
  readonly agent: Agent
}

/** What a turn needs of the house. */
export interface TurnDependencies {
  readonly store: Store
  readonly blobs: BlobStore
  readonly history: PromptHistory
  readonly providers: ReadonlyMap<string, Provider>
  readonly models: Pick<Knowledge, "find" | "capabilities">
  readonly owner: string
  /** By their type; a session whose agent is not here is the assistant's. */
  readonly agents: ReadonlyMap<string, Agent>
  /** Who is not among them but may answer there. */
  agent?: ((type: string, workspace_root: string | null) => Promise<Agent | undefined>) | undefined
  /** The tools that the host offers; the same list as long as they are the same tools. */
  tools(place: TurnLocation): Promise<readonly Tool[]>
  /** What the system prompt says beside the manifest (SES-050). */
  sections(place: TurnLocation): Promise<Omit<PromptSections, "manifest">>
  /** What the project's files say now of how to work in it. */
  instructions(place: Pick<TurnLocation, "workspace_root">): Promise<readonly Instructions[]>
  /** Hears of a file that was written over by a call to which a person said yes. */
  wrote?: ((change: WrittenFile) => Promise<void>) | undefined
  /** The project's layer of the permission rules. */
  rules(place: TurnLocation): Promise<readonly PermissionRule[]>
  /** The world as the session's tools reach it. */
  runtime(place: TurnLocation, rules: readonly PermissionRule[]): HostRuntime
  /** The host's own look at every call (WDG-001). */
  readonly before?: ToolBefore | undefined
  /** The host's own look at every user's message that fires (SES-011). */
  readonly message_user?: MessageUser | undefined
  /** Nobody is there to be asked. */
  readonly headless: boolean
  /** When and how a conversation is summarised. */
  readonly compaction: CompactionConfig
  /** Who handles a claimed message in a model's stead; without, the model answers. */
  handler?: ((claim: Pick<Claim, "turn">) => Promise<TurnHandler | undefined>) | undefined
}

type HostRuntime = Omit<
  ToolRuntime,
  "session_id" | "turn_id" | "call_id" | "workspace_root" | "signal" | "blobs" | "capabilities"
>

/** One turn's conversation: who is asked, as whom, with which tools. */
export interface TurnContext {
  readonly claim: Claim
  readonly place: TurnLocation
  readonly provider: Provider
  readonly model: Model
  readonly capabilities: Capabilities
  readonly thinking: Thinking | undefined
  readonly tools: readonly Tool[]
  readonly rules: readonly PermissionRule[]
  readonly system: Document
  readonly catalog: ToolCatalog
  readonly policy: Policy
  readonly headless: boolean
  readonly signal: AbortSignal
  /** A handler asked: the turn is not over when the model is done. */
  readonly asked?: ConverseOptions
}

type OpenedTurn =
  | { readonly type: "talk"; readonly talk: TurnContext }
  | { readonly type: "nobody"; readonly error: { code: string; message: string } }

/** All that stays the same from a turn's first step to its last. */
export async function openTurnContext(
  rooms: TurnDependencies,
  claim: Claim,
  signal: AbortSignal,
): Promise<OpenedTurn> {
  const choice = claim.turn.model
  const model = rooms.models.find(choice)
  const provider = rooms.providers.get(choice.provider_id)
  if (!model || !provider) {
    const message = `${choice.provider_id} is not set up here, so ${choice.model_id} cannot answer`
    return { type: "nobody", error: { code: "unknown_model", message } }
  }
  const capabilities = rooms.models.capabilities(model)
  const place = await placeOf(rooms, claim)
  const { agent } = place
  const tools = toolsOf(agent, await rooms.tools(place), {
    tools: capabilities.tools,
    read_only: claim.read_only,
  })
  const sections = await rooms.sections(place)
  const thinking = thinkingOf(model, choice)
  const talk: TurnContext = {
    claim,
    place,
    provider,
    model,
    capabilities,
    thinking,
    tools,
    rules: [...agent.permissions, ...(await rooms.rules(place)), ...sessionRules(claim)],
    system: systemPrompt({ manifest: agent.prompt, ...sections }),
    catalog: toolCatalog(tools),
    policy: turnPolicy(agent, tools, thinking),
    headless: rooms.headless || claim.headless,
    signal,
  }
  return { type: "talk", talk }
}

async function placeOf(
  rooms: TurnDependencies,
  { turn, workspace_root }: Claim,
): Promise<TurnLocation> {
  const agent = await findTurnAgent(rooms, turn.agent, workspace_root)
  return { session_id: turn.session_id, workspace_root, agent }
}

/** Who answers in a session that names this type; one that nobody knows is the assistant. */
export async function findTurnAgent(
  { agents, agent }: Pick<TurnDependencies, "agents" | "agent">,
  type: string,
  workspace_root: string | null,
): Promise<Agent> {
  const known = agents.get(type) ?? (await agent?.(type, workspace_root))
  return known ?? agents.get(ASSISTANT.type) ?? ASSISTANT
}

// Rows may come from elsewhere: a rule that is none says nothing.
function sessionRules({ permissions }: Claim): PermissionRule[] {
  return permissions.flatMap((rule) => {
    const parsed = PermissionRule.safeParse(rule)
    return parsed.success && parsed.data.source === "session" ? [parsed.data] : []
  })
}

export function turnPolicy(
  agent: Agent,
  tools: readonly Tool[],
  thinking: Thinking | undefined,
): Policy {
  const claimed = tools.flatMap(({ id, consumes }) => consumes.map((kind) => [kind, id] as const))
  return {
    file_refs: "auto",
    reach: reachOf(tools, agent.skills),
    ...(claimed.length > 0 ? { claimed: Object.fromEntries(claimed) } : {}),
    ...(agent.lower ? { custom: agent.lower } : {}),
    ...(thinking?.type === "budget" ? { thinking_budget: true } : {}),
  }
}

/** What every write of a turn must carry. */
export function keyOf({ claim }: Pick<TurnContext, "claim">): TurnKey {
  return { turn_id: claim.turn.id, fence: claim.turn.fence }
}

/** What a host may say about how its turns run. */
export interface TurnOptions {
  /** Beside the built-in assistant, or in its stead. */
  readonly agents?: readonly Agent[] | undefined
  readonly tools?: TurnDependencies["tools"] | readonly Tool[] | undefined
  readonly sections?: TurnDependencies["sections"] | undefined
  readonly instructions?: TurnDependencies["instructions"] | undefined
  readonly wrote?: TurnDependencies["wrote"]
  readonly rules?: TurnDependencies["rules"] | undefined
  /** Who else may answer in a workspace, by type: the agents of its files. */
  readonly agent?: TurnDependencies["agent"]
  readonly before?: ToolBefore | undefined
  /** The hook `message.user`: told of each user's message that fires, before the model (SES-011). */
  readonly message_user?: MessageUser | undefined
  readonly headless?: boolean | undefined
  /** When and how a conversation is summarised (SES-030). */
  readonly compaction?: CompactionSettings | undefined
  readonly handler?: TurnDependencies["handler"]
}

interface House {
  readonly store: Store
  readonly blobs: BlobStore
  readonly history: PromptHistory
  readonly providers: ReadonlyMap<string, Provider>
  readonly models: Pick<Knowledge, "find" | "capabilities">
  readonly owner: string
  readonly scratch: ScratchFolders
  readonly scopes: Pick<Scopes, "resolve">
  ingress(workspace_root: string | null): NonNullable<Sources["ingress"]>
  /** Words without their secrets. */
  clean(workspace_root: string | null): <Words>(words: Words) => Promise<Words>
}

/** The options with what the house itself has where a host says nothing. */
export function withTools<Options extends TurnOptions>(
  options: Options,
  house: Required<Pick<TurnOptions, "tools" | "sections" | "agent" | "instructions" | "wrote">>,
): Options {
  const { tools = house.tools, sections = house.sections, agent = house.agent } = options
  const { instructions = house.instructions, wrote = house.wrote } = options
  return { ...options, tools, sections, agent, instructions, wrote }
}

/** Who answers, with which tools, and what the system prompt says. */
export function requestSettingsDependencies({
  agents = [],
  tools = [],
  sections,
  instructions,
  agent,
}: TurnOptions): RequestSettingsDependencies {
  return {
    agent,
    agents: new Map([ASSISTANT, ...agents].map((agent) => [agent.type, agent])),
    tools: typeof tools === "function" ? tools : async () => tools,
    sections: sections ?? (async () => ({})),
    instructions: instructions ?? (async () => []),
  }
}

/** What turns need, out of what a house has and its host says. */
export function turnDependencies(house: House, options: TurnOptions): TurnDependencies {
  const { store, blobs, history, providers, models, owner, scratch, scopes } = house
  const { rules, before, message_user, headless = false, handler, wrote } = options
  const compaction = CompactionConfig.parse(options.compaction ?? {})
  return {
    store,
    blobs,
    history,
    providers,
    models,
    owner,
    ...requestSettingsDependencies(options),
    rules: async (place) => [
      scratchRule(scratch.pathOf(place.session_id)),
      ...((await rules?.(place)) ?? []),
    ],
    runtime: ({ session_id, workspace_root, agent }, rules) => ({
      scratch: () => scratch.open(session_id, agent.scratch),
      scratch_dir: async () => (await scratch.open(session_id, agent.scratch)).path,
      ingress: house.ingress(workspace_root),
      clean: house.clean(workspace_root),
      scope: (id) => scopes.resolve(session_id, id),
      attached: (id) => attachedFile(store, session_id, id),
      rules,
    }),
    before,
    wrote,
    message_user,
    headless,
    compaction,
    handler,
  }
}

/** No answer is longer, whatever a model could write. */
const MAX_OUTPUT_TOKENS = 32_000

/** What a request says beside its messages. */
export function envelopeOf(
  model: Model,
  said: {
    readonly system: Document
    readonly catalog?: ToolCatalog
    readonly thinking?: Thinking | undefined
  },
): RequestEnvelope {
  const { system, catalog, thinking } = said
  return {
    model: model.model_id,
    system: system.body,
    max_tokens: Math.min(model.output_tokens, MAX_OUTPUT_TOKENS),
    ...(catalog && catalog.tools.length > 0 ? { tools: catalog.tools } : {}),
    ...(thinking ? { thinking } : {}),
  }
}

/** How much a choice of model asks it to think: its variant, where that is an effort. */
export function thinkingOf(model: Model, { variant }: ModelChoice): Thinking | undefined {
  return isWish(variant) ? thinkingFor(model, variant) : undefined
}

const WISHES: ReadonlySet<string> = new Set(["off", "low", "medium", "high", "max"])

function isWish(variant: string | undefined): variant is Effort | "off" {
  return variant !== undefined && WISHES.has(variant)
}
