import { join } from "node:path"
import { Memory, type NewMemory } from "../memory/memory.ts"
import { memoryIndex } from "../memory/memory-index.ts"
import type { StoredPart } from "../message/row.ts"
import { judge } from "../policy/judge.ts"
import type { IngressPolicy } from "../policy/policy.ts"
import { digestOf } from "../skill/files.ts"
import { projectOf } from "../skill/levels.ts"
import type { TrustStore } from "../skill/trust.ts"
import type { Store } from "../store/store.ts"
import type { MemoryToolRooms } from "../tool/memory.ts"
import type { ToolRuntime } from "../tool/tool.ts"
import type { HouseSettings } from "./settings.ts"

export interface MemoriesRooms {
  readonly data: string
  readonly settings: HouseSettings
  readonly home: string
  readonly trust: TrustStore
  readonly store: Pick<Store, "history" | "turn">
  readonly policy: (workspace_root: string | null) => IngressPolicy
  /** Whose session it is; null for the operator's. */
  readonly ownerOf: (session_id: string) => Promise<string | null | undefined>
}

export interface MemoryPlace {
  /** Null for a draft that has no session yet. */
  readonly session_id: string | null
  readonly workspace_root: string | null
}

/** The memories of the user and of each project: files, in the places that the settings name. */
export class Memories {
  readonly #rooms: MemoriesRooms

  constructor(rooms: MemoriesRooms) {
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
    if (workspace_root === null) return new Memory({ user, trust, admit })
    const { root } =
      principal === null ? await projectOf(workspace_root, home) : { root: workspace_root }
    return new Memory({
      user,
      project: join(data, "memory", digestOf(Buffer.from(root)).slice("sha256:".length)),
      shared: join(root, ".agents", "memory"),
      root,
      keep: memory.project === "shared" ? "shared" : "project",
      trust,
      admit,
    })
  }

  /** What a session is told of it when it starts (UX-037). */
  async index({ session_id, workspace_root }: MemoryPlace): Promise<string> {
    return memoryIndex(await (await this.in({ session_id, workspace_root })).list())
  }

  /** What whoever's session it is remembers there. */
  async in({ session_id, workspace_root }: MemoryPlace): Promise<Memory> {
    const owner = session_id === null ? null : await this.#rooms.ownerOf(session_id)
    return this.of(workspace_root, owner ?? null)
  }

  readonly tools: MemoryToolRooms = { memory: (runtime) => this.#forTools(runtime) }

  // An agent's note says which message it answered, and is no copy of what the agent has read.
  async #forTools({ session_id, turn_id, workspace_root }: ToolRuntime) {
    const memory = await this.in({ session_id, workspace_root })
    const { store } = this.#rooms
    return {
      list: () => memory.list(),
      read: memory.read.bind(memory),
      delete: memory.delete.bind(memory),
      write: async (note: NewMemory) => {
        const message_id = (await store.turn(turn_id))?.message_id
        const author = { ...note.author, ...(message_id === undefined ? {} : { message_id }) }
        return memory.write({ ...note, author, files: await filesRead(store, session_id) })
      },
    }
  }
}

function usersOwn({ home, settings }: MemoriesRooms): string {
  return settings.memory.user ?? join(home, ".agents", "memory")
}

function ownFolder(data: string, principal: string): string {
  return join(data, "principals", ...principal.split(":"), "memory")
}

/** Secrets are taken out, and a text that may not come in is not kept (BEY-04). */
function admitted(policy: IngressPolicy, text: string): string {
  const verdict = judge(policy, { origin: "paste", text })
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
  const blocks = (Array.isArray(output?.blocks) ? output.blocks : []) as { text?: unknown }[]
  return [output?.data?.content, ...blocks.map(({ text }) => text)].filter(
    (text) => typeof text === "string",
  )
}
