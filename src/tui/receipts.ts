import type { LowerAnswer } from "../client/client.ts"

/** What would become of each part, one line for each: "does the model see my file?" (BEY-01). */
export function receiptLines({ receipts, model, tokens, context }: LowerAnswer): string {
  const rows = receipts.map(({ type, outcome, tokens, reason }) =>
    [outcome.padEnd(12), type.padEnd(16), `${tokens} tokens`.padEnd(14), reason].join(" "),
  )
  const { used_tokens, limit_tokens } = context
  const total = `${model}: ${tokens} tokens; ${used_tokens} of ${limit_tokens} used with the history`
  return [...rows, total].join("\n")
}
