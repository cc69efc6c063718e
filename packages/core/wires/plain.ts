import type { PromptMessage } from "../model/prompt.ts"
import type { RequestEnvelope } from "./define-wire.ts"
import { messageFragment } from "./fragment.ts"
import { type WireBody, concatenate, type WireFragment, join, withList } from "./body.ts"

/** The prompt itself as JSON, for models that run inside this process: media stay handles. */
export function encodePlain(message: PromptMessage): WireFragment {
  return messageFragment([message])
}

export function decodePlain(message: WireFragment): PromptMessage {
  const bytes = message.pieces.filter((piece) => piece instanceof Uint8Array)
  return JSON.parse(new TextDecoder().decode(concatenate(bytes)))
}

export function plainBody(envelope: RequestEnvelope, messages: readonly WireFragment[]): WireBody {
  return withList(envelope, "messages", join(messages, ","))
}
