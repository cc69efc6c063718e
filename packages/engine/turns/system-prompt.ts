import { createHash } from "node:crypto"
import type { ToolDefinition } from "compositor-core/model/prompt"
import type { Tool } from "../tools/tool.ts"
import { ASSISTANT } from "../agents/agent.ts"

/** A text that many turns share, kept once by its digest (DBG-004). */
export interface Document {
  readonly digest: string
  readonly body: string
}

/** What a system prompt is made of, in the order in which it is said (SES-050). The tool catalog
 *  comes last: every API has a place of its own for it, behind these words. */
export interface PromptSections {
  readonly manifest: string
  readonly instructions?: string
  readonly skills?: string
  readonly environment?: string
}

export function systemPrompt(sections: PromptSections = { manifest: ASSISTANT.prompt }): Document {
  const { manifest, instructions = "", skills = "", environment = "" } = sections
  const said = [manifest, instructions, skills, environment].map((section) => section.trim())
  return document(said.filter((section) => section !== "").join("\n\n"))
}

export interface ToolCatalog extends Document {
  readonly tools: readonly ToolDefinition[]
}

/** The tools a turn may call, as they are told, in their order. */
export function toolCatalog(tools: readonly Tool[] = []): ToolCatalog {
  const known = CATALOGS.get(tools)
  if (known) return known
  const definitions = tools.map(({ id, description, parameters }) => ({
    name: id,
    description,
    parameters: withoutDialect(parameters),
  }))
  const catalog = { ...document(JSON.stringify(definitions)), tools: definitions }
  CATALOGS.set(tools, catalog)
  return catalog
}

// Which draft of JSON Schema it is written in tells a model nothing, and some APIs refuse the word.
function withoutDialect(parameters: Tool["parameters"]): Tool["parameters"] {
  const { $schema: _, ...told } = parameters
  return told
}

// A host offers the same list in every turn.
const CATALOGS = new WeakMap<readonly Tool[], ToolCatalog>()

function document(body: string): Document {
  return { digest: `sha256:${createHash("sha256").update(body).digest("hex")}`, body }
}
