import type { SessionUpdate } from "@agentclientprotocol/sdk"
import { messageOf } from "compositor-core/interop/message"
import { toAcpBlocks } from "compositor-core/interop/to-acp-blocks"
import type { Delta, StoredMessage, StoredPart } from "compositor-core/message/row"
import { toolNameOf } from "compositor-core/message/tool-part"
import { announcedCall, toolCallOf, updateOf } from "./tool-calls.ts"

/** Turns what is told of an answer into updates, each thing once: text comes as it is said, and its row
 *  brings only what was not heard before (ACP-003). */
export class ChunkWriter {
  readonly #root: string | null
  /** How many characters of each part were sent. */
  readonly #sent = new Map<string, number>()
  /** Calls that were announced, with how they were last told. */
  readonly #calls = new Map<string, string>()

  constructor(root: string | null) {
    this.#root = root
  }

  /** A new turn begins: nothing more will be told of the last one. */
  begin() {
    this.#sent.clear()
    this.#calls.clear()
  }

  delta(delta: Delta): SessionUpdate[] {
    const { part_type, part_id, message_id, offset, text, tool_call_id } = delta
    const tool = toolNameOf(part_type)
    if (tool === undefined)
      return this.#say({ id: part_id, message_id, type: part_type, offset, text })
    if (tool_call_id === undefined || this.#calls.has(tool_call_id)) return []
    this.#calls.set(tool_call_id, "")
    return [{ sessionUpdate: "tool_call", ...announcedCall(tool_call_id, tool) }]
  }

  row({ id, message_id, type, data }: StoredPart): SessionUpdate[] {
    const { text } = data as { text?: unknown }
    if (typeof text === "string") return this.#say({ id, message_id, type, offset: 0, text })
    const call = toolCallOf(data, this.#root)
    if (!call) return []
    const told = JSON.stringify(call)
    const before = this.#calls.get(call.toolCallId)
    if (before === told) return []
    this.#calls.set(call.toolCallId, told)
    return before === undefined
      ? [{ sessionUpdate: "tool_call", ...call }]
      : [{ sessionUpdate: "tool_call_update", ...updateOf(call) }]
  }

  #say(piece: Piece): SessionUpdate[] {
    const sessionUpdate = CHUNKS[piece.type]
    const sent = this.#sent.get(piece.id) ?? 0
    const fresh = piece.text.slice(Math.max(0, sent - piece.offset))
    if (sessionUpdate === undefined || fresh === "" || piece.offset > sent) return []
    this.#sent.set(piece.id, sent + fresh.length)
    const content = { type: "text", text: fresh } as const
    return [{ sessionUpdate, content, messageId: piece.message_id }]
  }
}

interface Piece {
  readonly id: string
  readonly message_id: string
  readonly type: string
  readonly offset: number
  readonly text: string
}

const CHUNKS: Readonly<Record<string, "agent_message_chunk" | "agent_thought_chunk">> = {
  text: "agent_message_chunk",
  reasoning: "agent_thought_chunk",
}

/** A stored message as the updates that showed it. */
export function replayMessage(message: StoredMessage, root: string | null): SessionUpdate[] {
  if (message.role === "user") return messageUpdates(message, root)
  const writer = new ChunkWriter(root)
  return message.parts.flatMap((part) => writer.row(part))
}

/** What a person said, without what it was resolved to. */
export function messageUpdates(message: StoredMessage, root: string | null): SessionUpdate[] {
  const said = messageOf(message).parts.filter((part) => !("derived_from" in part))
  const options = root === null ? {} : { root }
  return toAcpBlocks(said, options).value.map((content) => ({
    sessionUpdate: "user_message_chunk",
    content,
    messageId: message.id,
  }))
}
