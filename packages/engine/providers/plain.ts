import type { PromptMessage } from "compositor-core/model/prompt"
import type { Body, Envelope, Fragment } from "./provider.ts"
import { messageFragment } from "./fragment.ts"
import { join, withList } from "./wire.ts"

/** The prompt itself as JSON, for models that run inside this process: media stay handles. */
export function encodePlain(message: PromptMessage): Fragment {
  return messageFragment([message])
}

export function decodePlain(message: Fragment): PromptMessage {
  const bytes = message.pieces.filter((piece) => piece instanceof Uint8Array)
  return JSON.parse(Buffer.concat(bytes).toString("utf8")) as PromptMessage
}

export function plainBody(envelope: Envelope, messages: readonly Fragment[]): Body {
  return withList(envelope, "messages", join(messages, ","))
}
