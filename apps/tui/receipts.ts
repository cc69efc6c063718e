import type { LowerAnswer } from "compositor-client/client"
import type { SessionScreen } from "./desk.ts"
import { bodyOf, type ComposedDraft } from "./draft-desk.ts"

/** What the model would see of what is composed now. */
export async function xray(desk: SessionScreen, composed: ComposedDraft) {
  const message = bodyOf(composed)
  if (!("source" in message) && message.parts.length === 0)
    return desk.say("notice", "Type something: its x-ray shows what the model would see.")
  const session_id = desk.view?.session.id
  const about = session_id === undefined ? {} : { session_id }
  const seen = await desk.client.lower({ message, ...about, with_body: false })
  desk.say("xray", `${receiptLines(seen)}\nEsc closes it`)
}

/** What would become of each part, one line for each: "does the model see my file?" (BEY-01). */
function receiptLines({ receipts, model, tokens, context }: LowerAnswer): string {
  const rows = receipts.map(({ type, outcome, tokens, reason }) =>
    [outcome.padEnd(12), type.padEnd(16), `${tokens} tokens`.padEnd(14), reason].join(" "),
  )
  const { used_tokens, limit_tokens } = context
  const total = `${model}: ${tokens} tokens; ${used_tokens} of ${limit_tokens} used with the history`
  return [...rows, total].join("\n")
}
