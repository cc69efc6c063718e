import type { PromptMessage } from "../model/prompt.ts"
import type { Envelope, Fragment } from "./provider.ts"
import { fragment, joinFragments } from "./wire.ts"

/** The prompt itself as JSON, for models that run inside this process: media stay handles. */
export function encodePlain(message: PromptMessage): Fragment {
  return fragment(JSON.stringify(message))
}

export function decodePlain(message: Fragment): PromptMessage {
  const bytes = message.pieces.filter((piece) => piece instanceof Uint8Array)
  return JSON.parse(Buffer.concat(bytes).toString("utf8")) as PromptMessage
}

export function plainBody(envelope: Envelope, messages: readonly Fragment[]): Fragment {
  const head = JSON.stringify(envelope).slice(0, -1)
  return fragment(`${head},"messages":[`, joinFragments(messages, ","), "]}")
}
