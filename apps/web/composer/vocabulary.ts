import type { ListedCommand } from "compositor-client/client"
import {
  BARE_VOCABULARY,
  type CommandKind,
  type Vocabulary,
} from "compositor-core/compose/vocabulary"

/** The words of a catalog, as the parser wants them. */
export function vocabularyOf(commands: readonly ListedCommand[]): Vocabulary {
  const known = new Map<string, CommandKind>()
  const servers = new Set<string>()
  for (const { name, command } of commands) {
    const { kind } = command
    for (const alias of command.aliases ?? []) known.set(alias, kind)
    known.set(name, kind)
    if (command.kind === "mcp") servers.add(command.server)
  }
  return { ...BARE_VOCABULARY, commands: known, servers: [...servers] }
}
