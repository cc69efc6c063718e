// `useLocalRuntime(compositorAdapter(client, session))`: a session behind assistant-ui's components. The
// runtime shows what was said; the server keeps it.

import { type AnswerEvent, ask } from "../../packages/client/answer.ts"
import { attachment } from "../../packages/client/parts.ts"
import type { AnyPart, Client } from "../../packages/client/client.ts"
import { toolNameOf } from "../../packages/core/message/tool-part.ts"

/** What of assistant-ui's `ChatModelAdapter` is spoken here. */
export interface Adapter {
  run(options: RunOptions): AsyncGenerator<RunResult, void>
}

export interface RunOptions {
  readonly messages: readonly ThreadMessage[]
  readonly abortSignal: AbortSignal
}

export interface ThreadMessage {
  readonly role: string
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly attachments?: readonly ThreadAttachment[]
}

export interface ThreadAttachment {
  readonly name: string
  readonly contentType?: string
  readonly file?: Blob
}

export type Shown =
  | { type: "text" | "reasoning"; text: string }
  | {
      type: "tool-call"
      toolCallId: string
      toolName: string
      args: unknown
      argsText: string
      result?: unknown
      isError?: boolean
    }

export interface RunResult {
  readonly content: readonly Shown[]
  readonly status?:
    | { readonly type: "complete"; readonly reason: "stop" }
    | {
        readonly type: "incomplete"
        readonly reason: "error" | "cancelled"
        readonly error?: string
      }
}

export function compositorAdapter(client: Client, session: string): Adapter {
  return {
    async *run({ messages, abortSignal }) {
      const last = messages.findLast(({ role }) => role === "user")
      const stop = () => void client.abort(session).catch(() => undefined)
      abortSignal.addEventListener("abort", stop, { once: true })
      const source = (last?.content ?? []).map(({ text = "" }) => text).join("\n")
      const parts = await Promise.all((last?.attachments ?? []).map((file) => partOf(client, file)))
      const body = { ...(source === "" ? {} : { source }), ...(parts.length > 0 ? { parts } : {}) }
      yield* shownIn(ask(client, session, body, abortSignal))
    },
  }
}

async function partOf(
  client: Client,
  { name, contentType = "", file }: ThreadAttachment,
): Promise<AnyPart> {
  if (!file) return attachment(name, contentType || "application/octet-stream", new Uint8Array())
  return (await client.upload(file, { name })).part
}

/** All that was said so far, each time something is new: that is what the runtime draws. */
async function* shownIn(answer: AsyncIterable<AnswerEvent>): AsyncGenerator<RunResult, void> {
  const shown = new Map<string, Shown>()
  for await (const event of answer) {
    if (event.type === "text" || event.type === "reasoning") {
      const before = shown.get(event.part_id)
      const text = before?.type === event.type ? before.text : ""
      shown.set(event.part_id, { type: event.type, text: text + event.text })
    }
    if (event.type === "call") shown.set(event.part_id, callOf(event.call))
    if (event.type === "end") yield { content: [...shown.values()], status: statusOf(event.turn) }
    else if (event.type !== "message") yield { content: [...shown.values()] }
  }
}

function callOf(call: Extract<AnswerEvent, { type: "call" }>["call"]): Shown {
  const { tool_call_id: toolCallId, type, input = {}, output, error_text } = call
  const toolName = toolNameOf(type) ?? type
  const about = { toolCallId, toolName, args: input, argsText: JSON.stringify(input) }
  if (error_text !== undefined)
    return { type: "tool-call", ...about, result: error_text, isError: true }
  return { type: "tool-call", ...about, ...(output ? { result: output.data } : {}) }
}

function statusOf({
  state,
  error,
}: Extract<AnswerEvent, { type: "end" }>["turn"]): NonNullable<RunResult["status"]> {
  if (state === "finished") return { type: "complete", reason: "stop" }
  if (error) return { type: "incomplete", reason: "error", error: error.message }
  return { type: "incomplete", reason: "cancelled" }
}
