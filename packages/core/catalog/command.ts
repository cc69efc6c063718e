import { z } from "zod"
import { MAX_COMMAND_NAME_CHARACTERS, MAX_DESCRIPTION_CHARACTERS } from "./limits.ts"

/** Which tool's rules a body is read by. `plain` has no slots and appends what was typed; `skill`
 *  and `mcp` have none and append nothing. */
export const CommandDialect = z.enum([
  "compositor",
  "claude",
  "opencode",
  "codex",
  "gemini",
  "pi",
  "continue",
  "continue-v1",
  "goose",
  "copilot",
  "plain",
  "skill",
  "mcp",
])
export type CommandDialect = z.infer<typeof CommandDialect>

export const CommandArgument = z.object({
  name: z.string(),
  type: z.enum(["string", "number", "boolean"]),
  required: z.boolean().optional(),
  description: z.string().optional(),
  /** Taken when nothing was given, so the argument is never asked for. */
  default: z.string().optional(),
  options: z.array(z.string()).optional(),
  /** The value names a file, whose content is meant. */
  file: z.boolean().optional(),
})
export type CommandArgument = z.infer<typeof CommandArgument>

export const CommandScope = z.enum([
  "builtin",
  "entity",
  "project",
  "user",
  "bundled",
  "named",
  "remote",
  "mcp",
])
export type CommandScope = z.infer<typeof CommandScope>

export const CommandSource = z.object({
  /** Whose file it is: claude, opencode, gemini …; `compositor` for our own. */
  tool: z.string(),
  scope: CommandScope,
  /** The layer that brought it, and may take it away. */
  owner: z.string(),
  path: z.string().optional(),
  /** The line of that file at which the body begins. */
  line: z.int().optional(),
})
export type CommandSource = z.infer<typeof CommandSource>

const common = {
  /** Without the slash. */
  name: z.string(),
  aliases: z.array(z.string()).optional(),
  description: z.string().optional(),
  arguments: z.array(CommandArgument).optional(),
  argument_hint: z.string().optional(),
  source: CommandSource,
  trust: z.enum(["trusted", "untrusted"]),
  /** `sha256:` of the file it came from. */
  digest: z.string().optional(),
  /** What its file asks for beside the text: model, agent, tools. Shown, never obeyed here. */
  hints: z.record(z.string(), z.unknown()).optional(),
}
const template = { dialect: CommandDialect, body: z.string() }

const ActionCommand = z.object({
  ...common,
  kind: z.literal("action"),
  /** `queued` acts on the session when its row fires; `at-once` only shows something. */
  runs: z.enum(["queued", "at-once"]),
})
export const StructuredCommand = z.object({
  ...common,
  kind: z.literal("structured"),
  produces: z.discriminatedUnion("type", [
    z.object({ type: z.literal("text"), intent: z.string() }),
    z.object({ type: z.literal("file-ref") }),
  ]),
})
export const TemplateCommand = z.object({ ...common, kind: z.literal("template"), ...template })
export const SkillCommand = z.object({
  ...common,
  kind: z.literal("skill"),
  skill: z.string(),
  ...template,
})
export const McpCommand = z.object({
  ...common,
  kind: z.literal("mcp"),
  server: z.string(),
  prompt: z.string(),
})
/** What an entity declares; its handler gives it meaning. */
export const EntityCommand = z.object({ ...common, kind: z.literal("entity") })

export const Command = z.discriminatedUnion("kind", [
  ActionCommand,
  StructuredCommand,
  TemplateCommand,
  SkillCommand,
  McpCommand,
  EntityCommand,
])
export type Command = z.infer<typeof Command>
export type CommandKind = Command["kind"]
type ActionCommand = z.infer<typeof ActionCommand>
export type StructuredCommand = z.infer<typeof StructuredCommand>
export type TemplateCommand = z.infer<typeof TemplateCommand>
export type SkillCommand = z.infer<typeof SkillCommand>
export type McpCommand = z.infer<typeof McpCommand>
export type EntityCommand = z.infer<typeof EntityCommand>

/** A name that can be typed after a slash: no white space, nothing invisible. A file name is
 *  brought into that shape; what is empty then is no name. */
export function commandName(text: string): string | undefined {
  const name = text
    .normalize("NFC")
    .trim()
    .replace(/^[/@]+/, "")
    .replace(/\s+/g, "-")
    .replace(INVISIBLE, "")
  return name === "" || name.length > MAX_COMMAND_NAME_CHARACTERS ? undefined : name
}

/** Controls, unassigned, surrogates and the format characters that reorder or hide text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}]/gu

/** Text a stranger wrote, fit to be shown in one line of a list. */
export function oneLine(text: string, maxCharacters = MAX_DESCRIPTION_CHARACTERS): string {
  const line = text.replace(/\s+/g, " ").replace(INVISIBLE, "").trim()
  if (line.length <= maxCharacters) return line
  return `${line
    .slice(0, maxCharacters - 1)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd()}…`
}
