/** What both protocols say on their wires: JSON-RPC, as a tool server's client speaks it. */
interface RpcMessage {
  readonly id?: unknown
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
}

export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024

export function request(id: number, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params })
}

export function notification(method: string): string {
  return JSON.stringify({ jsonrpc: "2.0", method })
}

export const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "compositor", version: "1" },
}

export function readMessage(text: string): RpcMessage | undefined {
  if (text.length > MAX_MESSAGE_BYTES) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? (value as RpcMessage) : undefined
  } catch {
    return undefined
  }
}

/** The JSON that a tool's answer carries as text. */
export function toolAnswer(result: unknown): unknown {
  const { content } = (result ?? {}) as { content?: readonly { text?: unknown }[] }
  const text = content?.[0]?.text
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}
