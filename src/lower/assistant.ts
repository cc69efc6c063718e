import type { Block } from "../model/prompt.ts"

interface AssistantPart {
  readonly type: string
  readonly text?: unknown
}

/** What an assistant said, as it is sent back: its text. Reasoning stays with us, and text that
 *  ends in white space is refused by some APIs. */
export function lowerAssistant(parts: readonly AssistantPart[]): Block[] {
  return parts.flatMap(({ type, text }): Block[] => {
    if (type !== "text" || typeof text !== "string") return []
    const said = text.toWellFormed().trimEnd()
    return said === "" ? [] : [{ type: "text", text: said }]
  })
}
