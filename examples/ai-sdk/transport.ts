// `useChat({ transport: new CompositorTransport(client, session) })`: a session behind the AI SDK's own
// hook. The server keeps the history; what the hook sends along of it is not sent again.

import type { ChatTransport, UIMessage, UIMessageChunk } from "ai"
import { type AnswerEvent, answerTo, ask } from "../../packages/client/answer.ts"
import type { AnyPart, Client, SendBody } from "../../packages/client/client.ts"
import { fromUIMessages } from "../../packages/core/interop/from-ui-messages.ts"
import { toolNameOf } from "../../packages/core/message/tool-part.ts"

type Sending = Parameters<ChatTransport<UIMessage>["sendMessages"]>[0]

export class CompositorTransport implements ChatTransport<UIMessage> {
  readonly #client: Client
  readonly #session: string

  constructor(client: Client, session: string) {
    this.#client = client
    this.#session = session
  }

  async sendMessages({ trigger, messages, abortSignal }: Sending) {
    if (trigger === "regenerate-message") await this.#again()
    const body = bodyOf(messages)
    const stop = () => void this.#client.abort(this.#session).catch(() => undefined)
    abortSignal?.addEventListener("abort", stop, { once: true })
    return streamOf(ask(this.#client, this.#session, body, abortSignal))
  }

  /** A turn that is under way, from where it stands; null when nothing is. */
  async reconnectToStream() {
    const status = await this.#client.status(this.#session)
    if (status.state === "idle" || status.state === "error" || !status.message_id) return null
    const message = { id: status.message_id, session_id: this.#session }
    return streamOf(answerTo(this.#client, message, { after: 0 }))
  }

  // The last message goes back into the composer's place and is sent anew.
  async #again() {
    const rewind: AnyPart = { type: "command", id: "/rewind", args: { raw: "1" } }
    for await (const _ of ask(this.#client, this.#session, { parts: [rewind] }));
  }
}

/** The last message, as every surface sends it: what was typed, and what goes along. */
function bodyOf(messages: readonly UIMessage[]): SendBody {
  const last = messages.findLast(({ role }) => role === "user")
  const [message] = fromUIMessages(last ? [last] : []).value
  const parts = (message?.parts ?? []) as readonly AnyPart[]
  const typed = parts.filter(({ type }) => type === "text")
  const rest = parts.filter(({ type }) => type !== "text")
  // The hook puts files in front of the one text that was typed with them.
  if (typed.length !== 1) return { parts }
  return { source: String(typed[0]?.text), ...(rest.length > 0 ? { parts: rest } : {}) }
}

function streamOf(answer: AsyncGenerator<AnswerEvent>): ReadableStream<UIMessageChunk> {
  const chunks = chunksOf(answer)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })
}

/** An answer in the SDK's own chunks: each request of the turn is a step. */
export async function* chunksOf(
  answer: AsyncIterable<AnswerEvent>,
): AsyncGenerator<UIMessageChunk, void, void> {
  yield { type: "start" }
  const open = new Map<string, "text" | "reasoning">()
  const announced = new Set<string>()
  let stepping = false
  for await (const event of answer) {
    switch (event.type) {
      case "message":
        yield* closed(open)
        if (stepping) yield { type: "finish-step" }
        yield { type: "start-step" }
        stepping = true
        break
      case "text":
      case "reasoning":
        if (!open.has(event.part_id)) yield { type: `${event.type}-start`, id: event.part_id }
        open.set(event.part_id, event.type)
        yield { type: `${event.type}-delta`, id: event.part_id, delta: event.text }
        break
      case "call":
        yield* callChunks(event.call, announced)
        break
      case "waiting":
        break
      case "end":
        yield* closed(open)
        if (stepping) yield { type: "finish-step" }
        yield* ending(event.turn)
    }
  }
}

function* closed(open: Map<string, "text" | "reasoning">): Generator<UIMessageChunk> {
  for (const [id, type] of open) yield { type: `${type}-end`, id }
  open.clear()
}

type Call = Extract<AnswerEvent, { type: "call" }>["call"]

function* callChunks(call: Call, announced: Set<string>): Generator<UIMessageChunk> {
  const { tool_call_id: toolCallId, state, input, output, error_text } = call
  const toolName = toolNameOf(call.type) ?? call.type
  const about = { toolCallId, dynamic: true, providerExecuted: true } as const
  if (state === "input-streaming") return
  if (!announced.has(toolCallId)) {
    announced.add(toolCallId)
    yield { type: "tool-input-available", toolName, input, ...about }
  }
  if (state === "output-available")
    yield { type: "tool-output-available", output: output?.data, ...about }
  if (state === "output-error")
    yield { type: "tool-output-error", errorText: error_text ?? "failed", ...about }
}

type Turn = Extract<AnswerEvent, { type: "end" }>["turn"]

function* ending({ state, error }: Turn): Generator<UIMessageChunk> {
  if (state === "aborted") yield { type: "abort" }
  else if (error) yield { type: "error", errorText: error.message }
  else yield { type: "finish", finishReason: "stop" }
}
