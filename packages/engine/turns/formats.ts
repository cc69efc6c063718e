import { mkdir } from "node:fs/promises"
import { formatOf } from "compositor-files/formats/formats"
import type { Transcriber } from "compositor-files/formats/transcriber"
import { shrink } from "compositor-files/kinds/shrink"
import {
  type DeclaredRoute,
  declareRoute,
  type SentFile,
} from "compositor-core/file/declared-route"
import type { Sources } from "../loading/load.ts"
import type { Reach, Route, RoutedFile } from "compositor-core/file/route"
import { type ModelChoice, showModelChoice } from "compositor-core/message/message"
import type { Capabilities } from "compositor-core/model/capabilities"
import type { Knowledge } from "compositor-core/model/layers"

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
): Route {
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

const EXTRACT: Route = { type: "extract" }
const NONE: Route = { type: "none" }
