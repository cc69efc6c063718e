import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { oneLine } from "compositor-core/catalog/command"
import type { Agent } from "./agent.ts"
import { projectOf, TextFiles } from "../skills/files.ts"
import type { Trust } from "../skills/trust.ts"

const FOLDER = join(".agents", "agents")
const MAX_FILES = 200
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/i

/** An agent and where it is from. One that came with a repository is named, and answers nobody before
 *  its file is trusted as it is. */
export interface ListedAgent {
  readonly type: string
  readonly description?: string
  readonly scope: "builtin" | "host" | "project" | "user"
  readonly trusted: boolean
  readonly path?: string
  readonly digest?: string
  readonly faults?: readonly string[]
  /** Absent where it is not to be used. */
  readonly agent?: Agent
}

interface AgentFilesDependencies {
  readonly home: string
  readonly trust: Trust
  /** The built-in assistant and what the host defines: no file takes their names. */
  readonly given: readonly Agent[]
}

/** The agents of each workspace: the host's own, then those of `.agents/agents/*.md`, the project's
 *  before the user's (decision 14). */
export class AgentFiles {
  readonly #rooms: AgentFilesDependencies
  readonly #files = new TextFiles()

  constructor(rooms: AgentFilesDependencies) {
    this.#rooms = rooms
  }

  async list(workspace_root: string | null): Promise<ListedAgent[]> {
    const byType = new Map(this.#given().map((agent) => [agent.type, agent]))
    for (const { folder, scope } of await this.#folders(workspace_root))
      for (const agent of await this.#read(folder, scope)) {
        const known = byType.get(agent.type)
        // What may not be used stands in nobody's way.
        if (!known || (known.agent === undefined && agent.agent)) byType.set(agent.type, agent)
      }
    return [...byType.values()]
  }

  async find(type: string, workspace_root: string | null): Promise<ListedAgent | undefined> {
    const given = this.#given().find((agent) => agent.type === type)
    return given ?? (await this.list(workspace_root)).find((agent) => agent.type === type)
  }

  #given(): ListedAgent[] {
    return this.#rooms.given.map((agent, at) => ({
      type: agent.type,
      scope: at === 0 ? "builtin" : "host",
      trusted: true,
      agent,
    }))
  }

  async #folders(workspace_root: string | null) {
    const { home } = this.#rooms
    const levels = workspace_root === null ? [] : (await projectOf(workspace_root, home)).levels
    const project = levels.map((level) => ({ folder: level, scope: "project" as const }))
    return [...project, { folder: home, scope: "user" as const }]
  }

  async #read(folder: string, scope: "project" | "user"): Promise<ListedAgent[]> {
    const names = await readdir(join(folder, FOLDER)).catch(() => [])
    const types = names
      .filter((name) => name.endsWith(".md"))
      .map((name) => name.slice(0, -3))
      .filter((type) => NAME.test(type))
    const files = types.toSorted().slice(0, MAX_FILES)
    const read = await Promise.all(files.map((type) => this.#readFile(folder, scope, type)))
    return read.filter((agent) => agent !== undefined)
  }

  async #readFile(folder: string, scope: "project" | "user", type: string) {
    const path = join(folder, FOLDER, `${type}.md`)
    const file = await this.#files.read(path, scope === "project" ? folder : null)
    if (file.type === "refused") return undefined
    const { digest, realPath } = file
    const trusted = scope === "user" || (await this.#rooms.trust.isTrusted(realPath, digest))
    const { readAgent } = await import("./read-agent.ts")
    const { agent, description, faults } = readAgent(file.text, { type, path })
    const line = oneLine(description ?? "")
    const listed: ListedAgent = {
      type,
      scope,
      trusted,
      path,
      digest,
      ...(line === "" ? {} : { description: line }),
      ...(faults.length > 0 ? { faults } : {}),
      ...(trusted && agent ? { agent } : {}),
    }
    return listed
  }
}
