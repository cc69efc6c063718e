import type { Part } from "../parts/table.ts"
import type { Command, CommandArgument, StructuredCommand } from "../catalog/command.ts"
import type { CommandActions } from "./command-actions.ts"
import type { QueueEffect } from "./queue-effect.ts"

/** What stands behind a command. */
export interface CommandCall {
  /** All of it as one text. */
  readonly typed: string
  /** The arguments that were given by their names, as a form does. */
  readonly named: Readonly<Record<string, string>>
}

/** Everything the product asks of a built-in command. Its file is the only place that knows it by name:
 *  add the file to the table, and it is listed, completed, explained and carried out on every surface. */
export type CommandDefinition = QueuedCommand | AtOnceCommand | ComposingCommand

interface CommandDescription {
  /** What is typed behind the slash. */
  readonly name: string
  /** Other names for it. */
  readonly aliases: readonly string[]
  /** One line for lists, completion and help. */
  readonly about: string
  readonly arguments: readonly CommandArgument[]
  /** A line that a person could type; tests send it. */
  readonly example: string
}

/** A command that acts on its session. It waits in the queue like a message; `perform` says what is to
 *  happen in its turn, as data. */
interface QueuedCommand extends CommandDescription {
  readonly when: "queued"
  perform(call: CommandCall): QueueEffect
}

/** A command that answers with a text at once and leaves no message behind. */
export interface AtOnceCommand extends CommandDescription {
  readonly when: "at-once"
  /** Whether it may change something: then a preview of the message does not perform it. */
  readonly changes: boolean
  perform(call: CommandCall, actions: CommandActions): Promise<string>
}

/** A command that stands for parts of the message it is typed in. */
export interface ComposingCommand extends CommandDescription {
  readonly when: "composes"
  /** The kind of part it stands for, as lists of commands say it. */
  readonly produces: StructuredCommand["produces"]
  perform(call: CommandCall, actions: CommandActions): Promise<readonly Part[]>
}

/** Define a built-in command. Every field is required: what it does not have is written as empty. */
export function defineCommand<Definition extends CommandDefinition>(
  definition: Definition,
): Definition {
  return definition
}

const SOURCE = { tool: "compositor", scope: "builtin", owner: "builtin" } as const

/** The definition as it stands in the catalog beside commands of other owners. */
export function toCatalogCommand(definition: CommandDefinition): Command {
  const { name, about, aliases, arguments: declared } = definition
  const common = {
    name,
    description: about,
    source: SOURCE,
    trust: "trusted" as const,
    ...(aliases.length === 0 ? {} : { aliases: [...aliases] }),
    ...(declared.length === 0 ? {} : { arguments: [...declared] }),
  }
  return definition.when === "composes"
    ? { kind: "structured", ...common, produces: definition.produces }
    : { kind: "action", ...common, runs: definition.when }
}

export function optionalArgument(name: string, description: string): CommandArgument {
  return { name, type: "string", description }
}

export function requiredArgument(name: string, description: string): CommandArgument {
  return { name, type: "string", description, required: true }
}
