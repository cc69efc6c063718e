import type { StoredMessage } from "../message/row.ts"
import type { CommandActions } from "./command-actions.ts"
import { type CommandCall, defineCommand } from "./define-command.ts"

export const exportCommand = defineCommand({
  name: "export",
  aliases: [],
  about: "Show this conversation as Markdown",
  arguments: [],
  when: "at-once",
  changes: false,
  perform: exportConversation,
  example: "/export",
})

async function exportConversation(
  _: CommandCall,
  { readHistory }: Pick<CommandActions, "readHistory">,
): Promise<string> {
  const messages = await readHistory()
  return messages.length === 0 ? "Nothing was said yet." : messages.map(writeMessage).join("\n\n")
}

function writeMessage({ role, parts }: StoredMessage): string {
  const texts = parts.flatMap(({ data }) => (typeof data.text === "string" ? [data.text] : []))
  return [`## ${role}`, ...texts].join("\n\n")
}
