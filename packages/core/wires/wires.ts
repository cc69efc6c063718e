import type { ApiLimits } from "../model/capabilities.ts"
import { anthropicMessages } from "./anthropic-messages.ts"
import { bedrockConverse } from "./bedrock-converse.ts"
import type { Wire } from "./define-wire.ts"
import { geminiGenerateContent } from "./gemini-generatecontent.ts"
import { mirrorWire } from "./mirror.ts"
import { mistralChat } from "./mistral-chat.ts"
import { chatServers, openaiChat } from "./openai-chat.ts"
import { openaiResponses } from "./openai-responses.ts"
import { scriptedWire } from "./scripted.ts"

/** Every wire API. Everybody else asks this table, and nobody knows an API by its name. Among the
 *  vendors whose keys are there, the first one answers when nobody chose a model. */
export const WIRES: readonly Wire[] = [
  mirrorWire,
  scriptedWire,
  anthropicMessages,
  openaiResponses,
  openaiChat,
  geminiGenerateContent,
  mistralChat,
  bedrockConverse,
  ...chatServers,
]

const BY_API: ReadonlyMap<string, Wire> = new Map(WIRES.map((wire) => [wire.api, wire]))

export function findWire(api: string): Wire | undefined {
  return BY_API.get(api)
}

/** What each API carries, by its name. */
export const API_LIMITS: Readonly<Record<string, ApiLimits>> = Object.fromEntries(
  WIRES.map(({ api, limits }) => [api, limits]),
)
