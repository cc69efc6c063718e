import type { ToolCallBlock, ToolDefinition } from "../model/prompt.ts"
import { assemble, type WireBody, type WireFragment, join, withList } from "./body.ts"
import { callId, toolName } from "./names.ts"
import { inputText } from "./speech.ts"

// What OpenAI's Chat Completions and Mistral's have in common.

/** A request whose first message is the system prompt, unless there is none. */
export function chatBody(
  head: object,
  system: { readonly role: string; readonly content: string },
  messages: readonly WireFragment[],
): WireBody {
  const first = system.content.trim() === "" ? [] : [assemble(JSON.stringify(system))]
  const said = messages.length > 0 ? [join(messages, ",")] : []
  return withList(head, "messages", join([...first, ...said], ","))
}

export function encodeChatCall({ id, name, input }: ToolCallBlock): object {
  const made = { name: toolName(name), arguments: inputText(input) }
  return { id: callId(id), type: "function", function: made }
}

export function encodeChatTool({ name, description, parameters }: ToolDefinition): object {
  const schema = { type: "object", ...parameters }
  return { type: "function", function: { name: toolName(name), description, parameters: schema } }
}
