import type { PromptMessage } from "../model/prompt.ts"
import type { Envelope } from "./define-wire.ts"
import { messageFragment } from "./fragment.ts"
import { type Body, concatenate, type Fragment, join, withList } from "./body.ts"

/** The prompt itself as JSON, for models that run inside this process: media stay handles. */
export function encodePlain(message: PromptMessage): Fragment {
  return messageFragment([message])
}

export function decodePlain(message: Fragment): PromptMessage {
  const bytes = message.pieces.filter((piece) => piece instanceof Uint8Array)
  return JSON.parse(new TextDecoder().decode(concatenate(bytes))) as PromptMessage
}

export function plainBody(envelope: Envelope, messages: readonly Fragment[]): Body {
  return withList(envelope, "messages", join(messages, ","))
}
