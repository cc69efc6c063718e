import { join } from "node:path"
import type { Author, MemoryScope } from "compositor-core/contract/memory"
import { Memory, type MemoryAnswer } from "./memory.ts"
import type { MemoryProposal } from "compositor-core/contract/memory"
import { memoryIndex } from "./memory-index.ts"
import type { StoredMessage, StoredPart } from "compositor-core/message/row"
import { judgeNow } from "../policy/judge.ts"
import type { IngressPolicy } from "../policy/policy.ts"
import { digestOf, projectOf } from "../skills/files.ts"
import type { TrustStore } from "../skills/trust.ts"
import type { Store } from "../store/store.ts"
import type { MemoryOutcome, MemoryAccess, MemoryToolDependencies } from "./memory-tools.ts"
import type { ToolRuntime } from "../tools/tool.ts"

interface MemoriesDependencies {
  readonly data: string
  /** `memory` of `config.json`. */
  readonly settings: {
    readonly memory: { readonly user?: string | undefined; readonly project: "data" | "shared" }
  }
  readonly home: string
  readonly trust: TrustStore
  readonly store: Pick<Store, "history" | "turn" | "message">
  readonly policy: (workspace_root: string | null) => IngressPolicy
  /** Whose session it is; null for the operator's. */
  readonly ownerOf: (session_id: string) => Promise<string | null | undefined>
}

interface MemoryLocation {
  /** Null for a draft that has no session yet. */
  readonly session_id: string | null
  readonly workspace_root: string | null
}

/** The memories of the user and of each project: files, in the places that the settings name. */
export class Memories {
  readonly #rooms: MemoriesDependencies

  constructor(rooms: MemoriesDependencies) {
    this.#rooms = rooms
  }

  /** What a session in this workspace remembers. A project is its repository, whichever of its
   *  folders a session works in. A principal has notes of its own, and its project is the folder it
   *  was given: what lies around that is others'. */
  async of(workspace_root: string | null, principal: string | null = null): Promise<Memory> {
    const { data, home, trust, policy } = this.#rooms
    const { memory } = this.#rooms.settings
    const admit = (text: string) => admitted(policy(workspace_root), text)
    const user = principal === null ? usersOwn(this.#rooms) : ownFolder(data, principal)
    const asked = join(principal === null ? data : ownRoot(data, principal), "memory-proposals")
    if (workspace_root === null)
      return new Memory({ user, trust, admit, proposals: { user: asked } })
    const { root } =
      principal === null ? await projectOf(workspace_root, home) : { root: workspace_root }
    const project = join(data, "memory", digestOf(Buffer.from(root)).slice("sha256:".length))
    return new Memory({
      user,
      project,
      proposals: { user: asked, project: join(project, "proposals") },
      shared: join(root, ".agents", "memory"),
      root,
      keep: memory.project === "shared" ? "shared" : "project",
      trust,
      admit,
    })
  }

  /** What a session is told of it when it starts (UX-037). */
  async index({ session_id, workspace_root }: MemoryLocation): Promise<string> {
    return memoryIndex(await (await this.in({ session_id, workspace_root })).list())
  }

  /** What whoever's session it is remembers there. */
  async in({ session_id, workspace_root }: MemoryLocation): Promise<Memory> {
    const owner = session_id === null ? null : await this.#rooms.ownerOf(session_id)
    return this.of(workspace_root, owner ?? null)
  }

  readonly tools: MemoryToolDependencies = { memory: (runtime) => this.#forTools(runtime) }

  // An agent's note says which message it answered, and is no copy of what the agent has read.
  async #forTools({ session_id, turn_id, workspace_root }: ToolRuntime): Promise<MemoryAccess> {
    const memory = await this.in({ session_id, workspace_root })
    const { store } = this.#rooms
    const asked = async (name: string, scope?: MemoryScope) => {
      const turn = await store.turn(turn_id)
      const message = turn && (await store.message(turn.session_id, turn.message_id))
      const via = message ? wokenBy(message) : undefined
      const author: Author = {
        by: "agent",
        session_id,
        ...(turn ? { message_id: turn.message_id } : {}),
        ...(via === undefined ? {} : { via }),
      }
      return { author, reason: await whyProposed(memory, { via, name, scope }) }
    }
    return {
      list: () => memory.list(),
      read: memory.read.bind(memory),
      delete: async (name, scope) => {
        const { author, reason } = await asked(name, scope)
        if (reason === undefined) return memory.delete(name, scope)
        return proposed(await memory.propose({ action: "delete", name, scope, author }, reason))
      },
      write: async (note) => {
        const { author, reason } = await asked(note.name, note.scope)
        const files = await filesRead(store, session_id)
        if (reason === undefined) return memory.write({ ...note, author, files })
        return proposed(await memory.propose({ action: "write", ...note, author, files }, reason))
      },
    }
  }
}

/** What woke a turn that no person's send began, or undefined: a person who sent something watches what
 *  comes of it. A trigger, another entity and an entity's own wake are nobody (UX-041). */
function wokenBy({ metadata }: StoredMessage): string | undefined {
  const { trigger, wake, inbox } = metadata as {
    trigger?: { source?: string }
    wake?: { type?: string }
    inbox?: { from?: string }
  }
  if (trigger) return trigger.source ?? "trigger"
  if (wake) return wake.type ?? "wake"
  return inbox?.from?.startsWith("agent:") ? inbox.from : undefined
}

/** Why a change waits for a person; undefined where it is made at once. */
async function whyProposed(
  memory: Memory,
  { via, name, scope }: { via: string | undefined; name: string; scope?: MemoryScope | undefined },
): Promise<string | undefined> {
  if (via !== undefined) return `Nobody watched the turn: it was woken by ${via}.`
  if (await memory.isUntrusted(name, scope))
    return "It is a file of a repository that nobody has trusted."
  return undefined
}

function proposed(answer: MemoryAnswer<MemoryProposal>): MemoryOutcome {
  return answer.type === "done" ? { type: "proposed", proposal: answer.value } : answer
}

function usersOwn({ home, settings }: MemoriesDependencies): string {
  return settings.memory.user ?? join(home, ".agents", "memory")
}

function ownRoot(data: string, principal: string): string {
  return join(data, "principals", ...principal.split(":"))
}

function ownFolder(data: string, principal: string): string {
  return join(ownRoot(data, principal), "memory")
}

/** Secrets are taken out, and a text that may not come in is not kept (BEY-04). */
function admitted(policy: IngressPolicy, text: string): string {
  const verdict = judgeNow(policy, { origin: "paste", text })
  if (verdict.verdict === "deny") return ""
  return verdict.verdict === "redact" ? verdict.text : text
}

const PAGE = 100
const MAX_FILES = 500
const READERS: ReadonlySet<string> = new Set(["tool-read", "tool-attach", "tool-web_fetch"])

/** What tools read in this session, the newest first. */
async function filesRead(store: Pick<Store, "history">, session_id: string): Promise<string[]> {
  const files: string[] = []
  let before: string | undefined
  do {
    const page = await store.history(session_id, { limit: PAGE, before })
    for (const { parts } of page.messages.toReversed()) files.push(...parts.flatMap(textsOf))
    before = page.next ?? undefined
  } while (before !== undefined && files.length < MAX_FILES)
  return files
}

function textsOf({ type, data, tool_state }: StoredPart): string[] {
  if (!READERS.has(type) || tool_state !== "output-available") return []
  const { output } = data as { output?: { data?: { content?: unknown }; blocks?: unknown } }
  const blocks: { text?: unknown }[] = Array.isArray(output?.blocks) ? output.blocks : []
  return [output?.data?.content, ...blocks.map(({ text }) => text)].filter(
    (text) => typeof text === "string",
  )
}
