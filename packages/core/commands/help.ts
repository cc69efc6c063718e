import type { CommandActions } from "./command-actions.ts"
import { type CommandCall, defineCommand, optionalArgument } from "./define-command.ts"

export const helpCommand = defineCommand({
  name: "help",
  aliases: [],
  about: "Show the commands and what they do",
  arguments: [optionalArgument("command", "the command to explain")],
  when: "at-once",
  changes: false,
  perform: explainCommands,
  example: "/help",
})

async function explainCommands(
  { typed }: CommandCall,
  { listCommands }: Pick<CommandActions, "listCommands">,
): Promise<string> {
  const asked = typed.replace(/^\//, "")
  const found = listCommands().filter(({ name }) => asked === "" || name === asked)
  if (found.length === 0) return `There is no command /${asked} here.`
  return found.map(({ name, description = "" }) => `/${name}  ${description}`).join("\n")
}
