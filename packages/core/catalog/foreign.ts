import {
  type CommandArgument,
  commandName,
  type EntityCommand,
  type McpCommand,
  oneLine,
} from "./command.ts"
import { MAX_ARGUMENTS, MAX_COMMANDS_PER_FILE, MAX_HINT_CHARACTERS } from "./limits.ts"
import { type ArgumentValues, missingArguments, valuesOf } from "./values.ts"

/** A prompt as an MCP server lists it. */
interface McpPrompt {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly arguments?:
    | readonly {
        readonly name: string
        readonly description?: string | undefined
        readonly required?: boolean | undefined
      }[]
    | undefined
}

/** The prompts of a server as commands. What a server says is shown, never believed: it takes no
 *  built-in's name, and its text reaches nobody's shell. */
export function mcpCommands(server: string, prompts: readonly McpPrompt[]): McpCommand[] {
  return prompts.slice(0, MAX_COMMANDS_PER_FILE).flatMap((prompt) => {
    const name = commandName(`${server}:${prompt.name}`)
    if (name === undefined) return []
    const description = oneLine(prompt.description ?? prompt.title ?? "")
    const declared = (prompt.arguments ?? []).slice(0, MAX_ARGUMENTS).map(mcpArgument)
    return [
      {
        kind: "mcp",
        name,
        server,
        prompt: prompt.name,
        source: { tool: server, scope: "mcp", owner: `mcp:${server}` },
        trust: "untrusted",
        ...(description === "" ? {} : { description }),
        ...(declared.length === 0 ? {} : { arguments: declared }),
      },
    ]
  })
}

function mcpArgument(argument: NonNullable<McpPrompt["arguments"]>[number]): CommandArgument {
  const description = oneLine(argument.description ?? "", MAX_HINT_CHARACTERS)
  return {
    name: argument.name,
    type: "string",
    ...(argument.required ? { required: true } : {}),
    ...(description === "" ? {} : { description }),
  }
}

type McpArguments =
  | { readonly type: "values"; readonly values: Readonly<Record<string, string>> }
  | { readonly type: "missing"; readonly missing: readonly CommandArgument[] }

/** What to ask the server with: `key=value`, `--key=value` and quotes are understood, and the last
 *  argument takes what is left. */
export function mcpArguments(command: McpCommand, given: ArgumentValues): McpArguments {
  const declared = command.arguments ?? []
  const values = valuesOf(given, declared, "mcp")
  const missing = missingArguments(values, declared)
  if (missing.length > 0) return { type: "missing", missing }
  const names = new Set(declared.map(({ name }) => name))
  return {
    type: "values",
    values: Object.fromEntries([...values.named].filter(([name]) => names.has(name))),
  }
}

/** A slash command as an entity's definition has it (EA-011). */
interface EntityCommandDefinition {
  readonly name: string
  readonly description?: string | undefined
  readonly arguments?:
    | readonly {
        readonly name: string
        readonly type: CommandArgument["type"]
        readonly required?: boolean | undefined
        readonly description?: string | undefined
      }[]
    | undefined
}

export function entityCommands(
  owner: string,
  definitions: readonly EntityCommandDefinition[],
): EntityCommand[] {
  return definitions.map((definition) => ({
    kind: "entity",
    name: definition.name,
    source: { tool: "compositor", scope: "entity", owner },
    trust: "trusted",
    ...(definition.description === undefined ? {} : { description: definition.description }),
    ...(definition.arguments === undefined ? {} : { arguments: [...definition.arguments] }),
  }))
}
