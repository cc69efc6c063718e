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
  return listCommands()
    .filter(({ name }) => asked === "" || name === asked)
    .map(({ name, description = "" }) => `/${name}  ${description}`)
    .join("\n")
}
