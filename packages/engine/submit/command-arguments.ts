import type { CommandPart } from "compositor-core/parts/command"
import type { Command, CommandArgument } from "compositor-core/catalog/command"
import type { CommandCall } from "compositor-core/commands/define-command"
import type { ArgumentValues } from "compositor-core/catalog/values"
import { Refusal } from "compositor-core/message/refusal"

/** What stands behind the command, with the names of what it refers to in place of references. */
export function typedArguments(part: CommandPart): string {
  const { raw, text } = part.args
  if (typeof raw === "string") return (typeof text === "string" ? text : raw).trim()
  return Object.values(part.args).map(String).join(" ")
}

/** The command as it was typed, or as it would have been. */
export function rawOf(part: CommandPart): string {
  if (typeof part.raw === "string") return part.raw
  return `${part.id} ${typedArguments(part)}`.trim()
}

/** What a built-in command is given. */
export function readCommandCall(part: CommandPart): CommandCall {
  const { raw, text: _, ...named } = part.args
  return { typed: typedArguments(part), named: strings(raw === undefined ? part.args : named) }
}

export function argumentValues(part: CommandPart): ArgumentValues {
  const { raw, ...rest } = part.args
  if (raw === undefined) return strings(rest)
  const { text: _, ...named } = rest
  return Object.keys(named).length === 0 ? typedArguments(part) : strings(named)
}

function strings(record: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)]))
}

/** Nothing was typed behind a command that needs something. */
export function refuseMissing(command: Command, part: CommandPart, at: number) {
  const needed = (command.arguments ?? []).filter((argument) => argument.required)
  if (needed.length > 0 && typedArguments(part).trim() === "")
    throw refuseMissingArguments(command, needed, at)
}

/** A command lacks what it needs: the answer lists it, so that it can be asked for (BEY-05). */
export function refuseMissingArguments(
  command: Command,
  needed: readonly CommandArgument[],
  at: number,
): Refusal {
  const names = needed.map(({ name }) => name).join(", ")
  return new Refusal(
    "missing_arguments",
    `/${command.name} needs ${names}`,
    needed.map(({ name, type, description }) => ({
      path: `/parts/${at}/args/${name}`,
      message: [`${name} (${type}) is needed`, description].filter(Boolean).join(": "),
    })),
  )
}
