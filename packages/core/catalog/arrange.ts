import type { Command, CommandScope } from "./command.ts"

/** A command under the name it is typed by. */
export interface NamedCommand {
  readonly name: string
  readonly command: Command
  /** Why it is not typed by its own name; absent when it is. */
  readonly because?: string
}

/** A command that cannot be typed at all. */
export interface Hidden {
  readonly command: Command
  readonly by: Command
  readonly because: string
}

export interface Arrangement {
  readonly entries: readonly NamedCommand[]
  readonly hidden: readonly Hidden[]
  /** Everything that can be typed: names first, then the other spellings people know. */
  readonly byName: ReadonlyMap<string, NamedCommand>
}

const PRECEDENCE: readonly CommandScope[] = [
  "builtin",
  "entity",
  "project",
  "user",
  "bundled",
  "named",
  "remote",
  "mcp",
]

/** Give every command a name of its own. The first to have a name keeps it: built-ins before all
 *  others, then the entity's, the project's, the user's; among equals the order given. A later one
 *  is renamed in sight (`gemini:review`); only a skill of the same name is hidden (SKL-002). */
export function arrange(commands: readonly Command[]): Arrangement {
  const byName = new Map<string, NamedCommand>()
  const entries: NamedCommand[] = []
  const hidden: Hidden[] = []
  for (const command of inPrecedence(commands)) {
    const other = byName.get(command.name)
    if (other && isSameSkill(command, other.command)) {
      hidden.push({ command, by: other.command, because: hiddenBecause(command, other.command) })
      continue
    }
    const entry = other ? renamed(command, other, byName) : { name: command.name, command }
    entries.push(entry)
    for (const name of [entry.name, ...ownAliases(command)])
      if (!byName.has(name)) byName.set(name, entry)
  }
  addSpellings(entries, byName)
  return { entries, hidden, byName }
}

// Stable, and a command before a skill of the same scope.
function inPrecedence(commands: readonly Command[]): Command[] {
  return [...commands].sort((left, right) => rank(left) - rank(right))
}

function rank({ source, kind }: Command): number {
  return 2 * PRECEDENCE.indexOf(source.scope) + (kind === "skill" ? 1 : 0)
}

function isSameSkill(command: Command, other: Command): boolean {
  return command.kind === "skill" && other.kind === "skill"
}

function hiddenBecause(command: Command, by: Command): string {
  const same = command.digest !== undefined && command.digest === by.digest
  return `the skill ${command.name} of ${placeOf(by)} was found first${same ? ", with the same content" : ""}`
}

function renamed(
  command: Command,
  other: NamedCommand,
  taken: ReadonlyMap<string, NamedCommand>,
): NamedCommand {
  const because =
    other.command.source.scope === "builtin"
      ? `/${command.name} is built in, and nothing hides a built-in`
      : `/${command.name} is taken by ${placeOf(other.command)}`
  return { name: freeName(command, taken), command, because }
}

function placeOf({ source, name }: Command): string {
  return source.path ?? `${source.owner} (/${name})`
}

function freeName(command: Command, taken: ReadonlyMap<string, NamedCommand>): string {
  const [first = command.name, ...others] = longNames(command)
  const free = [first, ...others].find((name) => !taken.has(name))
  if (free !== undefined) return free
  for (let number = 2; ; number += 1)
    if (!taken.has(`${first}~${number}`)) return `${first}~${number}`
}

/** Names that say where a command comes from, the shortest first. */
function longNames({ kind, name, source }: Command): string[] {
  if (kind === "mcp") return [`mcp:${name}`]
  if (kind === "skill") return [`skill:${name}`, `${source.tool}:${name}`]
  return [`${source.tool}:${name}`, `${source.scope}:${source.tool}:${name}`]
}

function ownAliases(command: Command): readonly string[] {
  return command.aliases ?? []
}

/** The other ways people know to type the same command. None takes a name from another. */
function addSpellings(entries: readonly NamedCommand[], byName: Map<string, NamedCommand>): void {
  for (const entry of entries)
    for (const spelling of spellings(entry.command))
      if (!byName.has(spelling)) byName.set(spelling, entry)
}

function spellings(command: Command): string[] {
  const { kind, name, source } = command
  if (kind === "mcp") {
    const { server, prompt } = command
    return [`mcp:${server}:${prompt}`, `${server}.${prompt}`, `mcp__${server}__${prompt}`]
  }
  const known = [...longNames(command), `${source.scope}:${name}`]
  return source.tool === "codex" ? [...known, `prompts:${name}`] : known
}
