import { expand } from "compositor-core/catalog/expand"
import { type Skill, skillCommand } from "compositor-core/catalog/skill"
import type { Transcriber } from "compositor-files/formats/transcriber"
import { sandboxFault } from "compositor-files/sandbox/sandbox"
import { shrink } from "compositor-files/kinds/shrink"
import { skillMarker } from "compositor-core/model/marker"
import { type HiddenSettings, viewOf } from "../policy/hidden.ts"
import { judgeNow } from "../policy/judge.ts"
import type { IngressPolicy } from "../policy/policy.ts"
import { projectOf, TextFiles } from "../skills/files.ts"
import {
  type Instructions,
  printInstructions,
  projectInstructions,
} from "../skills/instructions.ts"
import type { Trust } from "../skills/trust.ts"
import type { MemoryToolDependencies } from "../memory/memory-tools.ts"
import type { Tool } from "../tools/tool.ts"
import type { Agent } from "../agents/agent.ts"
import type { PromptSections } from "./system-prompt.ts"
import type { TurnLocation } from "./turn-context.ts"
import { mkdir } from "node:fs/promises"
import { formatOf } from "compositor-files/formats/formats"
import {
  type DeclaredRoute,
  declareRoute,
  type SentFile,
} from "compositor-core/file/declared-route"
import type { Sources } from "../loading/load.ts"
import type { Reach, FileRoute, RoutedFile } from "compositor-core/file/route"
import { type ModelChoice, showModelChoice } from "compositor-core/message/message"
import type { Capabilities } from "compositor-core/model/capabilities"
import type { Knowledge } from "compositor-core/wires/layers"

interface AgentToolsetDependencies {
  skills(workspace_root: string | null): Promise<ReadonlyMap<string, Skill>>
  /** What of a project's files is the user's word. */
  readonly trust: Trust
  /** What may come in from a workspace. */
  policy(workspace_root: string): IngressPolicy
  /** What a search does not show. */
  readonly hidden: HiddenSettings
  readonly home: string
  readonly memory?: MemoryToolDependencies | undefined
  /** Who turns speech into text, where someone does. */
  readonly transcriber?: Transcriber | undefined
  /** What a session is told of its memories when it starts (UX-037). */
  memory_index?(place: TurnLocation): Promise<string>
}

/** So many are remembered; the one not asked for longest goes first. */
const MAX_REMEMBERED = 1000

/** What the house gives its agents to work with: the built-in tools, and what the system prompt says
 *  of the project, its skills and the place. For one session the words stay the same (SKL-003). */
export class AgentToolset {
  readonly #rooms: AgentToolsetDependencies
  readonly #files = new TextFiles()
  readonly #tools = new Map<string | null, Promise<readonly Tool[]>>()
  readonly #sections = new Map<string, Promise<Omit<PromptSections, "manifest">>>()

  constructor(rooms: AgentToolsetDependencies) {
    this.#rooms = rooms
  }

  /** The same list as long as the workspace is the same. */
  tools({ workspace_root }: Pick<TurnLocation, "workspace_root">): Promise<readonly Tool[]> {
    return remembered(this.#tools, workspace_root, () => this.#makeTools(workspace_root))
  }

  /** What the project's files say now of how to work in it. */
  async instructions({
    workspace_root,
  }: Pick<TurnLocation, "workspace_root">): Promise<readonly Instructions[]> {
    if (workspace_root === null) return []
    const { home, trust } = this.#rooms
    const { root } = await projectOf(workspace_root, home)
    const policy = this.#rooms.policy(workspace_root)
    const admit = (path: string, text: string) => {
      const judged = judgeNow(policy, { origin: "ref", path, text })
      if (judged.verdict === "deny") return undefined
      return judged.verdict === "redact" ? judged.text : text
    }
    return projectInstructions(workspace_root, root, { trust, home, admit, files: this.#files })
  }

  sections(place: TurnLocation): Promise<Omit<PromptSections, "manifest">> {
    return remembered(this.#sections, place.session_id, () => this.#write(place))
  }

  // Loaded with the first turn: a command that asks no model starts faster without them.
  async #makeTools(workspace_root: string | null): Promise<readonly Tool[]> {
    shellFault ??= sandboxFault()
    const { builtinTools } = await import("./builtin-tools.ts")
    const { memory, hidden, transcriber } = this.#rooms
    return builtinTools({
      hiding: (root) => viewOf(root, hidden),
      shell_fault: await shellFault,
      shrink,
      transcriber,
      skills: { load: (name, about) => this.#load(workspace_root, name, about.arguments) },
      memory,
    })
  }

  async #load(workspace_root: string | null, name: string, given = "") {
    const skill = (await this.#rooms.skills(workspace_root)).get(name)
    return skill && isOffered(skill) ? contentOf(skill, given) : undefined
  }

  async #write(place: TurnLocation): Promise<Omit<PromptSections, "manifest">> {
    const { workspace_root, agent } = place
    const [skills, memories, instructions] = await Promise.all([
      this.#rooms.skills(workspace_root),
      this.#rooms.memory_index?.(place),
      this.instructions(place),
    ])
    return {
      instructions: printInstructions(instructions.filter(({ trusted }) => trusted)),
      skills: indexOf([...skills.values()], agent),
      environment: [placeWords(workspace_root), memories ?? ""].join("\n\n"),
    }
  }
}

// It is the machine's, and takes a process to find out.
let shellFault: Promise<string | undefined> | undefined

function remembered<Key, Value>(
  known: Map<Key, Promise<Value>>,
  key: Key,
  make: () => Promise<Value>,
): Promise<Value> {
  const value = known.get(key) ?? make()
  known.delete(key)
  known.set(key, value)
  // What could not be made is made again the next time.
  value.catch(() => known.delete(key))
  for (const oldest of known.keys()) {
    if (known.size <= MAX_REMEMBERED) break
    known.delete(oldest)
  }
  return value
}

function isOffered({ trust, model_invocable }: Skill): boolean {
  return trust === "trusted" && model_invocable
}

/** A skill's body as its tool gives it out. What it would run stays as it is written: nobody has been
 *  shown it. */
function contentOf(skill: Skill, given: string): string | undefined {
  const expansion = expand(skillCommand(skill), given)
  if (expansion.type !== "parts") return undefined
  const text = expansion.parts.map((part) => (part.type === "text" ? part.text : part.raw)).join("")
  const { unused = "" } = expansion
  const said = unused === "" ? text : `${text}\n\nArguments: ${unused}`
  return skillMarker({ name: skill.name, text: said })
}

function indexOf(skills: readonly Skill[], agent: Agent): string {
  const offered = skills
    .filter(isOffered)
    .filter(({ name }) => agent.skills === "all" || agent.skills.includes(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  if (offered.length === 0) return ""
  const lines = offered.map(({ name, description }) => `- ${name}: ${oneLine(description)}`)
  return ["Skills (the skill tool loads one by its name):", ...lines].join("\n")
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim()
}

function placeWords(workspace_root: string | null): string {
  if (workspace_root === null) return ""
  return `The workspace is ${workspace_root}. Paths are relative to it.`
}

export type Formats = Required<Pick<Sources, "slice" | "shrink" | "routes" | "measure">>

/** So long a place of a file may take to be found. */
const SLICE_MS = 60_000

/** Who knows formats, for whoever loads parts. Readers and converters are loaded when they are first
 *  needed; what they make on the way lies in `folder`, and is gone afterwards. */
export function formatsIn(folder: string, transcriber?: Transcriber): Formats {
  const working = async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return { scratch: folder, signal: AbortSignal.timeout(SLICE_MS), transcriber }
  }
  return {
    shrink,
    routes: routeOf,
    async slice(file, place, want) {
      const { sliceFile } = await import("compositor-files/formats/slice")
      return sliceFile(file, place, want, await working())
    },
    async measure(file) {
      const { measureFile } = await import("compositor-files/formats/measure")
      return measureFile(file, await working())
    },
  }
}

/** Who says how a file reaches a model, when it is sent (decision 10). */
export function routeFor(known: Pick<Knowledge, "find" | "capabilities">, usual: ModelChoice) {
  return (file: SentFile, choice: ModelChoice | null): DeclaredRoute | undefined => {
    const asked = choice ?? usual
    const model = known.find(asked)
    if (!model) return undefined
    const capabilities = known.capabilities(model)
    return declareRoute(file, { model: showModelChoice(asked), capabilities, routes: routeOf })
  }
}

/** Who reads what the model does not: for text and images the tool that does it alone, else the skill
 *  of the format, else a tool that converts it, else the shell; and of these what the agent has. A
 *  model that calls no tools is given the text that can be taken out (BIN-001). */
export function routeOf(
  { name, mime, kind }: RoutedFile,
  capabilities?: Capabilities,
  reach?: Reach,
): FileRoute {
  const format = formatOf({ name, mime, kind: kind === "office" ? "binary" : kind })
  if (capabilities && !capabilities.tools) return format?.to.text ? EXTRACT : NONE
  const has = (tool: string) => reach === undefined || reach.tools.includes(tool)
  const skill = kind === "archive" ? "archive" : format?.skill
  if (kind === "text") return has("read") ? { type: "tool", name: "read" } : NONE
  if (skill && has("skill") && knows(skill, reach)) return { type: "skill", name: skill }
  if (kind === "image" && has("read_image")) return { type: "tool", name: "read_image" }
  const tool = kind === "archive" ? "extract" : "convert"
  if (reach && skill && has(tool)) return { type: "tool", name: tool }
  return (format || kind === "archive") && has("bash") ? { type: "shell" } : NONE
}

function knows(skill: string, reach: Reach | undefined): boolean {
  return reach === undefined || reach.skills === "all" || reach.skills.includes(skill)
}

/** The tools that matter for who reads a file. */
const READING_TOOLS = ["read", "read_image", "skill", "extract", "convert", "bash"]

/** What an agent with these tools and skills has to read files with. */
export function reachOf(tools: readonly { readonly id: string }[], skills: Reach["skills"]): Reach {
  const ids = tools.map(({ id }) => id)
  return { tools: READING_TOOLS.filter((id) => ids.includes(id)), skills }
}

const EXTRACT: FileRoute = { type: "extract" }
const NONE: FileRoute = { type: "none" }
