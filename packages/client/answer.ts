import type { MessageRow, StoredMessage, StoredPart, Turn } from "compositor-core/message/row"
import { readToolPart, type ToolPart } from "compositor-core/message/tool-part"
import type { Client } from "./client.ts"
import { type FollowEvent, follow } from "./events.ts"

/** What an answer says, as it is said. */
export type AnswerEvent =
  /** A model was asked, and what it says follows. */
  | { readonly type: "message"; readonly message_id: string }
  | { readonly type: "text" | "reasoning"; readonly part_id: string; readonly text: string }
  /** A call of a tool, each time something about it is new. */
  | { readonly type: "call"; readonly part_id: string; readonly call: ToolPart }
  /** Somebody must say something before it goes on: `client.calls` says it. */
  | { readonly type: "waiting"; readonly turn: Turn }
  /** The last event. */
  | { readonly type: "end"; readonly turn: Turn }

export interface AnswerOptions {
  /** From where the session's stream is read: a page's `stream_next_offset` from before the sending. */
  readonly after: number
  readonly signal?: AbortSignal
}

/** The answer to a message, whenever its turn comes. It ends with the turn; leaving it early stops
 *  nothing but the listening. */
export async function* answerTo(
  client: Client,
  message: Pick<StoredMessage, "id" | "session_id">,
  { after, signal }: AnswerOptions,
): AsyncGenerator<AnswerEvent, void, void> {
  const listener = new Listener(message.id)
  const stop = new AbortController()
  const leave = () => stop.abort()
  if (signal?.aborted) return
  signal?.addEventListener("abort", leave)
  try {
    const options = { after, signal: stop.signal }
    for await (const event of follow(client, message.session_id, options)) {
      for (const said of listener.hear(event)) {
        yield said
        if (said.type === "end") return
      }
    }
  } finally {
    signal?.removeEventListener("abort", leave)
    leave()
  }
}

/** Say something and hear the answer: the stream is read from before it was sent. */
export async function* ask(
  client: Client,
  session: string,
  body: Parameters<Client["send"]>[1],
  signal?: AbortSignal,
): AsyncGenerator<AnswerEvent, void, void> {
  const { stream_next_offset: after } = await client.messages(session, { limit: 1 })
  const { message } = await client.send(session, body, signal)
  if (message) yield* answerTo(client, message, { after, ...(signal ? { signal } : {}) })
}

class Listener {
  readonly #message_id: string
  readonly #told = new Map<string, number>()
  readonly #calls = new Map<string, string>()
  readonly #answers = new Set<string>()
  #turn_id: string | undefined

  constructor(message_id: string) {
    this.#message_id = message_id
  }

  hear(event: FollowEvent): AnswerEvent[] {
    if (event.type === "delta") {
      const { turn_id, part_id, part_type, offset, text, message_id } = event.delta
      if (turn_id !== this.#turn_id) return []
      const begun = this.#begin(message_id)
      return [...begun, ...this.#say({ id: part_id, type: part_type, offset, text })]
    }
    if (event.type !== "row" || event.row.value === null) return []
    const value: unknown = event.row.value
    if (event.row.type === "turn") return this.#turn(value as Turn)
    if (event.row.type === "message") return this.#message(value as MessageRow)
    return event.row.type === "part" ? this.#part(value as StoredPart) : []
  }

  #turn(turn: Turn): AnswerEvent[] {
    if (turn.message_id !== this.#message_id) return []
    this.#turn_id = turn.id
    if (turn.ended_at !== null) return [{ type: "end", turn }]
    return turn.waiting.length > 0 ? [{ type: "waiting", turn }] : []
  }

  #message({ id, role, metadata }: MessageRow): AnswerEvent[] {
    const ours = role === "assistant" && metadata.turn_id === this.#turn_id
    return ours && this.#turn_id !== undefined ? this.#begin(id) : []
  }

  #begin(message_id: string): AnswerEvent[] {
    if (this.#answers.has(message_id)) return []
    this.#answers.add(message_id)
    return [{ type: "message", message_id }]
  }

  #part({ id, message_id, type, data }: StoredPart): AnswerEvent[] {
    if (!this.#answers.has(message_id)) return []
    const { text } = data as { text?: unknown }
    if (typeof text === "string") return this.#say({ id, type, offset: 0, text })
    const call = readToolPart(data)
    const told = JSON.stringify(call)
    if (!call || this.#calls.get(id) === told) return []
    this.#calls.set(id, told)
    return [{ type: "call", part_id: id, call }]
  }

  // A row has all of a text; what was not streamed before is told from it.
  #say(piece: { id: string; type: string; offset: number; text: string }): AnswerEvent[] {
    const { id, type, offset, text } = piece
    if (type !== "text" && type !== "reasoning") return []
    const told = this.#told.get(id) ?? 0
    const fresh = text.slice(Math.max(0, told - offset))
    if (fresh === "" || offset > told) return []
    this.#told.set(id, told + fresh.length)
    return [{ type, part_id: id, text: fresh }]
  }
}
