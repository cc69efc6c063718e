import { homedir, platform } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Skill } from "compositor-core/catalog/skill"
import { transcriberOf } from "compositor-files/formats/transcriber"
import { timeOfId } from "compositor-core/message/id"
import { admitWords } from "../policy/judge.ts"
import type { HiddenSettings } from "../policy/hidden.ts"
import type { IngressPolicy } from "../policy/policy.ts"
import { type Agent, ASSISTANT } from "../agents/agent.ts"
import type { TurnOptions, TurnLocation, TurnDependencies } from "../turns/turn-context.ts"
import { AgentToolset } from "../turns/agent-toolset.ts"
import { isInstructionFile } from "../skills/instructions.ts"
import { type Trust, TrustStore } from "../skills/trust.ts"
import type { Store } from "../store/store.ts"
import type { ServerPartDependencies } from "../submit/server-parts.ts"
import type { Submission } from "../submit/submit.ts"
import type { WorkspacesOptions } from "../workspaces/workspaces.ts"
import type { Tool } from "../tools/tool.ts"
import { AgentFiles } from "../agents/agent-files.ts"
import { SessionServers } from "../mcp/session-servers.ts"
import { WorkspaceServers } from "../mcp/workspace-servers.ts"
import { Memories } from "../memory/memories.ts"
import { RemoteSkills } from "../skills/remote-skills.ts"
import type { EngineSettings } from "./settings.ts"
import { offeredTools } from "../tools/tool-search.ts"
import { Triggers } from "../triggers/triggers.ts"
import { wakeupTools } from "../triggers/wakeup-tools.ts"
import type { PromptSections } from "../turns/system-prompt.ts"

/** What a house lives with beside the corridor that messages walk. */
export interface Integrations {
  readonly memories: Memories
  readonly mcp: WorkspaceServers
  /** Servers that one session was given, for as long as it is open. */
  readonly given: SessionServers
  readonly agents: AgentFiles
  readonly triggers: Triggers
  readonly turns: Required<Pick<TurnOptions, "tools" | "sections" | "agent" | "wrote">> &
    Pick<TurnDependencies, "instructions">
  readonly workspaces: Pick<
    WorkspacesOptions,
    "layers" | "refreshed" | "completion_sources" | "bundled" | "skill_paths" | "remote_skills"
  >
  /** Load the tools that work in a workspace, before a turn asks for them. */
  ready(workspace_root: string | null): Promise<unknown>
  /** What servers give to a message; absent where there are none. */
  readonly servers: ((workspace_root: string | null) => ServerPartDependencies) | undefined
  close(): Promise<void>
}

interface IntegrationDependencies {
  readonly data: string
  readonly settings: EngineSettings
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly store: Store
  readonly owner: string
  /** Whose session it is; null for the operator's. */
  readonly ownerOf: (session_id: string) => Promise<string | null | undefined>
  /** `bare` has the built-in tools and nothing that lives by itself: no servers, no clock, no memory
   *  in the prompt, no skills and agents beside those of the workspace. */
  readonly extent: "bare" | "full"
  readonly agents: readonly Agent[]
  readonly hidden: HiddenSettings
  /** Another judge of what a repository's files may do. */
  readonly trust?: Trust | undefined
  readonly skills: (workspace_root: string | null) => Promise<ReadonlyMap<string, Skill>>
  readonly policy: (workspace_root: string | null) => IngressPolicy
  readonly submit: (submission: Submission) => Promise<unknown>
  /** A server, which also fetches what its settings name; a command that soon ends does not. */
  readonly fires?: boolean | undefined
  /** Who else knows names that can be typed, beside the servers. */
  readonly completion_sources?: WorkspacesOptions["completion_sources"]
  readonly log?: ((message: string) => void) | undefined
}

/** The skills that come with the package. */
const BUNDLED = fileURLToPath(new URL("../../../skills", import.meta.url))

/** Put together what the host gives its sessions to work with. */
export function openIntegrations(rooms: IntegrationDependencies): Integrations {
  const home = rooms.environment.HOME ?? homedir()
  const pins = new TrustStore(join(rooms.data, "trust"))
  const trust = rooms.trust ?? pins
  const memories = new Memories({ ...rooms, home, trust: pins })
  const { data, environment } = rooms
  const mcp = new WorkspaceServers({ data, home, environment, trust })
  const agents = new AgentFiles({ home, trust, given: [ASSISTANT, ...rooms.agents] })
  const triggers = new Triggers({ ...rooms, ...listening(rooms.store, mcp) })
  const parts = { memories, mcp, given: new SessionServers(), agents, triggers }
  const isFull = rooms.extent === "full"
  const { paths, urls } = rooms.settings.skills
  const remote = new RemoteSkills({ ...rooms, urls: isFull ? urls : [] })
  if (rooms.fires) remote.start()
  const given = rooms.completion_sources ?? (() => [])
  const { ready, ...turns } = isFull
    ? fullTurns(rooms, { home, trust, pins }, parts)
    : bareTurns(rooms, { home, trust, pins })
  return {
    ...parts,
    turns,
    ready,
    workspaces: isFull
      ? {
          bundled: BUNDLED,
          skill_paths: paths,
          remote_skills: remote.folders,
          layers: (root) => mcp.layers(root),
          refreshed: () => mcp.refresh(),
          completion_sources: (root) => [...mcp.sources(root), ...given(root)],
        }
      : { completion_sources: given },
    servers: isFull ? (root) => mcp.servers(root) : undefined,
    close: async () => {
      await triggers.stop()
      await remote.close()
      await mcp.close()
      await parts.given.close()
    },
  }
}

type Turns = Integrations["turns"] & Pick<Integrations, "ready">

/** Whose word counts of what lies in a workspace. */
interface Trusting {
  readonly home: string
  readonly trust: Trust
  readonly pins: TrustStore
}

/** An edit of a trusted file of instructions to which a person said yes keeps its trust (TRU-004). */
function keepTrust(pins: TrustStore): Turns["wrote"] {
  return async (change) => {
    if (isInstructionFile(change.path)) await pins.keep(change)
  }
}

function bareTurns(rooms: IntegrationDependencies, { home, trust, pins }: Trusting): Turns {
  const { skills, hidden, settings, environment, policy } = rooms
  const transcriber = transcriberOf(settings.files.transcriber, environment)
  const bench = new AgentToolset({ skills, hidden, home, transcriber, trust, policy })
  return {
    instructions: (place) => bench.instructions(place),
    wrote: keepTrust(pins),
    ready: (workspace_root) => bench.tools({ workspace_root }),
    tools: (place) => bench.tools(place),
    sections: async (place) =>
      admitWords(policy(place.workspace_root), await bench.sections(place)),
    agent: async () => undefined,
  }
}

type Parts = Pick<Integrations, "memories" | "mcp" | "given" | "agents" | "triggers">

function fullTurns(
  rooms: IntegrationDependencies,
  { home, trust, pins }: Trusting,
  parts: Parts,
): Turns {
  const { skills, hidden, store, settings, environment, policy } = rooms
  const transcriber = transcriberOf(settings.files.transcriber, environment)
  const { memories, mcp, given, agents, triggers } = parts
  const bench = new AgentToolset({
    skills,
    hidden,
    home,
    transcriber,
    trust,
    policy,
    memory: memories.tools,
    memory_index: (place) => memories.index(place),
  })
  const wakeups = wakeupTools(triggers)
  const lists = new Lists()
  const kept = new PromptSectionCache(store, async (place) => {
    // Instructions, skills and notes are files that anyone may have written into (BEY-04).
    const said = await admitWords(policy(place.workspace_root), await bench.sections(place))
    return { ...said, environment: [placeWords(place), said.environment ?? ""].join("\n") }
  })
  return {
    tools: async (place) => {
      const own = await bench.tools(place)
      const served = await given.tools(place.session_id, await mcp.tools(place.workspace_root))
      return lists.of(own, served, () => [...own, ...wakeups, ...offeredTools(served)])
    },
    sections: (place) => kept.of(place),
    instructions: (place) => bench.instructions(place),
    wrote: keepTrust(pins),
    agent: async (type, workspace_root) =>
      admitWords(policy(workspace_root), (await agents.find(type, workspace_root))?.agent),
    ready: (workspace_root) => bench.tools({ workspace_root }),
  }
}

/** The same list for the same two: its digest is made once. */
class Lists {
  readonly #known = new WeakMap<readonly Tool[], WeakMap<readonly Tool[], readonly Tool[]>>()

  of(own: readonly Tool[], served: readonly Tool[], make: () => readonly Tool[]) {
    const within = this.#known.get(own) ?? new WeakMap<readonly Tool[], readonly Tool[]>()
    this.#known.set(own, within)
    const list = within.get(served) ?? make()
    within.set(served, list)
    return list
  }
}

// The day is the one on which the session began: a prompt that changed at midnight would be paid anew.
function placeWords({ session_id }: TurnLocation): string {
  const day = new Date(timeOfId(session_id)).toISOString().slice(0, 10)
  return `This session began on ${day} (UTC). The system is ${platform()}.`
}

function listening(store: Pick<Store, "session">, mcp: WorkspaceServers) {
  return {
    watch: async (about: Parameters<ConstructorParameters<typeof Triggers>[0]["watch"]>[0]) => {
      const session = await store.session(about.session_id)
      if (session) await mcp.watch(session.workspace_root, about.server, about)
    },
    unwatch: (key: string) => mcp.unwatch(key),
  }
}

/** So many are remembered; the one not asked for longest goes first. */
const MAX_REMEMBERED = 1000
/** The last answer is among so many messages, unless nothing was answered yet. */
const LOOKED_AT = 20

type Sections = Omit<PromptSections, "manifest">

/** What a session was told stays what it is told, in the next process and in its branches too: what was
 *  said last is taken from the store, and written anew only where nothing was said or the manifest is
 *  another (SKL-003). */
class PromptSectionCache {
  readonly #store: Pick<Store, "history" | "systemPrompt">
  readonly #write: (place: TurnLocation) => Promise<Sections>
  readonly #known = new Map<string, Promise<Sections>>()

  constructor(
    store: Pick<Store, "history" | "systemPrompt">,
    write: (place: TurnLocation) => Promise<Sections>,
  ) {
    this.#store = store
    this.#write = write
  }

  of(place: TurnLocation): Promise<Sections> {
    const key = JSON.stringify([place.session_id, place.agent.prompt])
    const sections = this.#known.get(key) ?? this.#find(place)
    this.#known.delete(key)
    this.#known.set(key, sections)
    // What could not be found out is asked again the next time.
    sections.catch(() => this.#known.delete(key))
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_REMEMBERED) break
      this.#known.delete(oldest)
    }
    return sections
  }

  async #find(place: TurnLocation): Promise<Sections> {
    const said = await this.#lastSaid(place.session_id)
    const rest = said === undefined ? undefined : behind(said, place.agent.prompt.trim())
    if (rest === undefined || UNFENCED.test(rest)) return this.#write(place)
    return { instructions: rest }
  }

  async #lastSaid(session_id: string): Promise<string | undefined> {
    const page = await this.#store.history(session_id, { limit: LOOKED_AT }).catch(() => undefined)
    const digests = (page?.messages ?? []).map(({ metadata }) => metadata.system_prompt_digest)
    const last = digests.findLast((digest) => typeof digest === "string")
    return last === undefined ? undefined : ((await this.#store.systemPrompt(last)) ?? undefined)
  }
}

/** How instructions stood in a prompt before anybody was asked to trust them: such a prompt is not kept. */
const UNFENCED = /^Instructions from .*:\n(?!<project_instructions )/m

/** What stands behind the manifest, with a blank line between; undefined where another stands there. */
function behind(said: string, manifest: string): string | undefined {
  if (said === manifest) return ""
  return said.startsWith(`${manifest}\n\n`) ? said.slice(manifest.length + 2) : undefined
}
