import type { Command } from "../catalog/command.ts"
import { archiveCommand } from "./archive.ts"
import { branchCommand } from "./branch.ts"
import { clearCommand } from "./clear.ts"
import { compactCommand } from "./compact.ts"
import { type CommandDefinition, toCatalogCommand } from "./define-command.ts"
import { helpCommand } from "./help.ts"
import { memoryCommand } from "./memory.ts"
import { modelCommand } from "./model.ts"
import { readCommand } from "./read.ts"
import { rewindCommand } from "./rewind.ts"
import { searchCommand } from "./search.ts"
import { xrayCommand } from "./xray.ts"

/** The commands that are always there, and that nothing hides (CMP-045), in the order of lists. */
export const BUILT_IN_COMMANDS: readonly CommandDefinition[] = [
  branchCommand,
  compactCommand,
  archiveCommand,
  rewindCommand,
  clearCommand,
  modelCommand,
  memoryCommand,
  helpCommand,
  xrayCommand,
  searchCommand,
  readCommand,
]

/** The same as a catalog lists them. */
export const BUILTINS: readonly Command[] = BUILT_IN_COMMANDS.map(toCatalogCommand)

/** The built-in command of a name; undefined where a name is none. */
export function findBuiltInCommand(name: string): CommandDefinition | undefined {
  return BUILT_IN_COMMANDS.find((command) => command.name === name)
}
