import type { CommandPart } from "compositor-core/parts/command"
import type { Command } from "compositor-core/catalog/command"
import { BUILTINS } from "compositor-core/commands/table"

/** The built-in command behind a surface's own button. Nobody typed it, so it means the built-in one
 *  even in a session whose agent gives commands a meaning of its own. */
export function findButtonCommand({ id, raw }: CommandPart): Command | undefined {
  if (raw !== undefined) return undefined
  return BUILTINS.find(({ kind, name }) => kind === "action" && `/${name}` === id)
}
