/** JSON-RPC as it travels: one object on each line. */
export type RpcObject = { readonly [name: string]: unknown }

export interface RpcFault {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export const PARSE_ERROR = -32700
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603

export function isObject(value: unknown): value is RpcObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A prompt that says `content: "…"` says what `prompt: [{ type: "text", … }]` says (ATT-001); any other
 *  message is given back as it is. */
export function normaliseMessage<Message>(message: Message): Message {
  if (!isObject(message) || message.method !== "session/prompt") return message
  const { params } = message
  if (!isObject(params) || params.prompt !== undefined || typeof params.content !== "string")
    return message
  const { content, ...rest } = params
  return { ...message, params: { ...rest, prompt: [{ type: "text", text: content }] } }
}

export function answerOf(id: unknown, error: RpcFault): RpcObject {
  return { jsonrpc: "2.0", id: id ?? null, error }
}
