import type { Catalog } from "./catalog.ts"
import type { Command } from "./command.ts"
import type { CommandFileFinding } from "./finding.ts"
import { trapsOf } from "./traps.ts"

/** What a person should know about their commands: what could not be read or had to be repaired,
 *  what hides or renames what, where a dialect misleads, and what would run a shell. */
export function doctor(
  catalog: Pick<Catalog, "list" | "hidden" | "findings">,
): CommandFileFinding[] {
  const entries = catalog.list()
  const hidden = catalog.hidden()
  const owners = new Map(entries.map(({ name, command }) => [name, command]))
  const findings = [
    ...catalog.findings(),
    ...entries.flatMap(({ command, name, because }) =>
      because && !(isOurs(command) && isOurs(owners.get(command.name)))
        ? [about(command, "note", `${because}; this one is typed as /${name}`)]
        : [],
    ),
    ...hidden.map(({ command, because }) => about(command, "warning", because)),
    ...[...entries, ...hidden].flatMap(({ command }) => trapsOf(command)),
  ]
  return findings.sort(byPlace)
}

function about(
  { source, name }: Command,
  level: CommandFileFinding["level"],
  message: string,
): CommandFileFinding {
  return { level, rule: "shadowed", path: source.path ?? `/${name}`, line: 1, message }
}

/** Two commands that we brought both are nobody's to mend. */
function isOurs(command: Command | undefined): boolean {
  return command?.source.scope === "builtin" || command?.source.scope === "bundled"
}

const LEVELS: readonly CommandFileFinding["level"][] = ["error", "warning", "note"]

function byPlace(left: CommandFileFinding, right: CommandFileFinding): number {
  return (
    LEVELS.indexOf(left.level) - LEVELS.indexOf(right.level) ||
    compare(left.path, right.path) ||
    left.line - right.line
  )
}

function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
