import type { PartData } from "../parts/define-part.ts"
import type { StoredMessage } from "../message/row.ts"
import type { JsonObject } from "../acp/json.ts"

/** A message as the codecs take it and give it: what a row says, without where it is kept. */
export interface Message {
  readonly id: string
  readonly role: "user" | "assistant" | "system"
  readonly metadata: JsonObject
  readonly parts: readonly PartData[]
}

export function messageOf({ id, role, metadata, parts }: StoredMessage): Message {
  return { id, role, metadata, parts: parts.map(({ type, data }) => ({ ...data, type })) }
}
