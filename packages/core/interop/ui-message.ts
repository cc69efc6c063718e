import type { Json, JsonObject } from "../acp/json.ts"

/** Messages as the AI SDK (7) shows them to a client: the parts of them that we write. Ours are all
 *  values of its own type, and pass its validator. */
export interface UIMessage {
  id: string
  role: "user" | "assistant" | "system"
  metadata: JsonObject
  parts: UIPart[]
}

export type UIPart = UIText | UIFile | UIData | UICall

interface UIText {
  type: "text" | "reasoning"
  text: string
  providerMetadata?: ProviderMetadata
}

export interface UIFile {
  type: "file"
  mediaType: string
  filename: string
  url: string
  providerMetadata?: ProviderMetadata
}

/** The projection of every part that the SDK has no part for (decision 8). */
interface UIData {
  type: `data-${string}`
  data: JsonObject
}

export type UICall = ({ type: `tool-${string}` } | { type: "dynamic-tool"; toolName: string }) & {
  toolCallId: string
  callProviderMetadata: ProviderMetadata
} & (
    | { state: "input-streaming"; input?: unknown }
    | { state: "input-available"; input: unknown }
    | { state: "output-available"; input: unknown; output: unknown }
    | { state: "output-error"; input: unknown; errorText: string }
  )

export type ProviderMetadata = Record<string, { [name: string]: Json | undefined }>

/** Under this name a part carries what the SDK's own part has no field for. */
export const MARK = "compositor"

/** A part whose type cannot be told from its projection is carried whole in one of these. */
export const WHOLE_PART = "data-part"

/** Types that are stored with the SDK's prefix already (PER-008). */
const STORED_AS_DATA: ReadonlySet<string> = new Set(["data-compaction"])

/** The stored type that a `data-<type>` part stands for. */
export function storedType(projected: string): string {
  return STORED_AS_DATA.has(projected) ? projected : projected.slice("data-".length)
}
