import type { CommandActions } from "./command-actions.ts"
import { type CommandCall, defineCommand } from "./define-command.ts"

export const xrayCommand = defineCommand({
  name: "xray",
  aliases: [],
  about: "Show what the model saw of the last message",
  arguments: [],
  when: "at-once",
  changes: false,
  perform: showReceipts,
  example: "/xray",
})

async function showReceipts(
  _: CommandCall,
  { readLastReceipts }: Pick<CommandActions, "readLastReceipts">,
): Promise<string> {
  const last = await readLastReceipts()
  if (!last) return "No model has been asked here yet."
  const lines = last.receipts.map(({ type, outcome, tokens, reason }) =>
    [outcome, type, `${tokens} tokens`, reason].join("  "),
  )
  return [`${last.model.model_id} was shown:`, ...lines].join("\n")
}
