import type { BlobStore } from "compositor-files/blobs/blobs"
import type { Scopes } from "compositor-files/workspace/scope"
import type { ScratchFolders } from "compositor-files/workspace/scratch"
import type { Sources } from "../lower/load.ts"
import type { Knowledge } from "compositor-core/model/layers"
import { scratchRule } from "../policy/permissions.ts"
import type { ToolBefore } from "../policy/watchdog.ts"
import type { Provider } from "../providers/provider.ts"
import type { Store } from "../store/store.ts"
import type { Tool } from "../tools/tool.ts"
import { type Agent, ASSISTANT } from "../agents/agent.ts"
import { attachedFile } from "./attached-file.ts"
import { CompactionConfig, type CompactionSettings } from "./compaction.ts"
import type { MessageUser } from "./message-hook.ts"
import type { MannerRooms } from "./request-settings.ts"
import type { PromptHistory } from "./prompt-history.ts"
import type { TurnRooms } from "./turn-context.ts"

/** What a host may say about how its turns run. */
export interface TurnOptions {
  /** Beside the built-in assistant, or in its stead. */
  readonly agents?: readonly Agent[] | undefined
  readonly tools?: TurnRooms["tools"] | readonly Tool[] | undefined
  readonly sections?: TurnRooms["sections"] | undefined
  readonly instructions?: TurnRooms["instructions"] | undefined
  readonly wrote?: TurnRooms["wrote"]
  readonly rules?: TurnRooms["rules"] | undefined
  /** Who else may answer in a workspace, by type: the agents of its files. */
  readonly agent?: TurnRooms["agent"]
  readonly before?: ToolBefore | undefined
  /** The hook `message.user`: told of each user's message that fires, before the model (SES-011). */
  readonly message_user?: MessageUser | undefined
  readonly headless?: boolean | undefined
  /** When and how a conversation is summarised (SES-030). */
  readonly compaction?: CompactionSettings | undefined
  readonly handler?: TurnRooms["handler"]
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
export function equipped<Options extends TurnOptions>(
  options: Options,
  house: Required<Pick<TurnOptions, "tools" | "sections" | "agent" | "instructions" | "wrote">>,
): Options {
  const { tools = house.tools, sections = house.sections, agent = house.agent } = options
  const { instructions = house.instructions, wrote = house.wrote } = options
  return { ...options, tools, sections, agent, instructions, wrote }
}

/** Who answers, with which tools, and what the system prompt says. */
export function mannerRooms({
  agents = [],
  tools = [],
  sections,
  instructions,
  agent,
}: TurnOptions): MannerRooms {
  return {
    agent,
    agents: new Map([ASSISTANT, ...agents].map((agent) => [agent.type, agent])),
    tools: typeof tools === "function" ? tools : async () => tools,
    sections: sections ?? (async () => ({})),
    instructions: instructions ?? (async () => []),
  }
}

/** What turns need, out of what a house has and its host says. */
export function turnRooms(house: House, options: TurnOptions): TurnRooms {
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
    ...mannerRooms(options),
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
