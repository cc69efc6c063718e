import { type Catalog, vocabulary } from "compositor-core/catalog/catalog"
import type { Command, CommandArgument } from "compositor-core/catalog/command"
import { takesKeys } from "compositor-core/catalog/values"
import type { SlashCommandNode } from "compositor-core/compose/node"
import { parse } from "compositor-core/compose/parse"
import { BARE_VOCABULARY } from "compositor-core/compose/vocabulary"

/** The argument that is being typed behind a command. */
export interface ArgumentAt {
  readonly command: Command
  /** The name that the command is typed by. */
  readonly name: string
  readonly from: number
  readonly query: string
  /** What was typed behind the command before it. */
  readonly typed: string
  /** Absent where the command declares no more. */
  readonly argument?: CommandArgument
  /** Arguments that can still be given by `name=`. */
  readonly keys: readonly CommandArgument[]
}

/** Which argument of which command stands at the end of this text, if any. Arguments go on to the end
 *  of their line: below it, prose begins. */
export function argumentAt(
  before: string,
  catalog: Pick<Catalog, "names">,
): ArgumentAt | undefined {
  const node = lastCommand(before, catalog)
  const command = node && catalog.names().get(node.name)?.command
  if (!node || !command) return undefined
  const typed = before.slice(node.end)
  if (typed === "" || typed.includes("\n")) return undefined
  const words = typed.trimStart().split(/[ \t]+/)
  const last = words.pop() ?? ""
  const declared = command.arguments ?? []
  const open = withoutGiven(declared, words, command)
  const keyed = keyIn(last, command, declared)
  const about = { command, name: node.name, typed: typed.slice(0, typed.length - last.length) }
  if (keyed) return { ...about, ...keyed, from: before.length - keyed.query.length, keys: [] }
  const at = words.filter((word) => keyIn(word, command, declared) === undefined).length
  const argument = open[at]
  const keys = hasKeys(command) && open.length > 1 ? open.slice(at) : []
  const from = before.length - last.length
  return { ...about, from, query: last, ...(argument ? { argument } : {}), keys }
}

/** What can be chosen for it without asking anybody. */
export function valuesFor({ options, type }: CommandArgument): readonly string[] {
  return options ?? (type === "boolean" ? ["true", "false"] : [])
}

function lastCommand(
  before: string,
  catalog: Pick<Catalog, "names">,
): SlashCommandNode | undefined {
  const { commands } = vocabulary(catalog)
  const lead = before.length - before.trimStart().length
  return parse(before, { ...BARE_VOCABULARY, commands }).findLast(
    (node): node is SlashCommandNode => {
      if (node.kind !== "slash_command") return false
      const kind = commands.get(node.name as string)
      return kind !== undefined && (kind !== "action" || node.start === lead)
    },
  )
}

function withoutGiven(
  declared: readonly CommandArgument[],
  words: readonly string[],
  command: Command,
): CommandArgument[] {
  const given = new Set(words.map((word) => keyIn(word, command, declared)?.argument.name))
  return declared.filter(({ name }) => !given.has(name))
}

const KEY_VALUE = /^(?:--)?([^=\s]{1,64})=(.*)$/s

function keyIn(word: string, command: Command, declared: readonly CommandArgument[]) {
  const [, key, query = ""] = (hasKeys(command) && KEY_VALUE.exec(word)) || []
  const argument = declared.find(({ name }) => name === key)
  return argument && { argument, query }
}

function hasKeys(command: Command): boolean {
  return "dialect" in command && takesKeys(command.dialect)
}
