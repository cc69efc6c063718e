// A provider behind a loopback address that answers by plan and keeps every body it was sent, whole.
// It speaks Anthropic Messages (`/v1/messages`) and Chat Completions (`/chat/completions`).

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import type { Environment } from "./product.ts"

// oxlint-disable-next-line typescript/no-explicit-any
export type Body = any

export interface ModelAnswer {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly input: object }[]
  /** Another status than 200, with the text as the body's error. */
  readonly status?: number
  /** What must happen before it answers (or, with a text, before it ends its answer). */
  readonly after?: Promise<unknown>
}

/** What the model says, by what it was sent and the how-manieth request this is (from 1). */
export type Plan = (body: Body, count: number) => ModelAnswer | string

export interface Model {
  /** Every request's body, in order. */
  readonly bodies: Body[]
  /** The same as the text that came over the wire. */
  readonly texts: string[]
  /** Variables that lead the product here. */
  readonly environment: Environment
}

/** `anthropic/claude-sonnet-4-5` sends typed blocks and tools. */
export const ANTHROPIC = "anthropic/claude-sonnet-4-5"
/** A gateway of Chat Completions. */
export const COMPATIBLE = "openai-compatible/default"

export async function startModel(plan: Plan = () => "ok"): Promise<Model> {
  const bodies: Body[] = []
  const texts: string[] = []
  const answerRequest = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await readText(request)
    if (request.method !== "POST" || !/messages|completions/.test(request.url ?? ""))
      return void response.writeHead(404, { "content-type": "application/json" }).end("{}")
    const body = JSON.parse(text)
    if (/count_tokens/.test(request.url ?? ""))
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ input_tokens: Math.ceil(text.length / 4) }))
    bodies.push(body)
    texts.push(text)
    const planned = plan(body, bodies.length)
    const answer = typeof planned === "string" ? { text: planned } : planned
    await speak(response, answer, /completions/.test(request.url ?? ""), bodies.length)
  }
  const server = createServer((request, response) => void answerRequest(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    bodies,
    texts,
    environment: {
      ANTHROPIC_API_KEY: "sk-ant-loopback",
      ANTHROPIC_BASE_URL: url,
      COMPOSITOR_OPENAI_BASE_URL: `${url}/v1`,
      COMPOSITOR_OPENAI_API_KEY: "loopback",
    },
  }
}

/** The words of the newest message that a person or a tool sent, in one string. */
export function newestWords(body: Body): string {
  const content = body.messages.at(-1)?.content
  return typeof content === "string" ? content : JSON.stringify(content)
}

/** Was the newest message the result of a tool? */
export function isToolResult(body: Body): boolean {
  const newest = body.messages.at(-1)
  if (newest.role === "tool") return true
  // oxlint-disable-next-line typescript/no-explicit-any
  return [newest.content].flat().some((block: any) => block.type === "tool_result")
}

/** Calls these tools one after the other, one a step, then says that it is done. */
export function callInTurn(...calls: readonly { name: string; input: object }[]): Plan {
  let next = 0
  return (body) => {
    if (!isToolResult(body)) next = 0
    const call = calls[next++]
    return call ? { calls: [call] } : "done"
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

async function speak(
  response: ServerResponse,
  answer: ModelAnswer,
  isChat: boolean,
  count: number,
): Promise<void> {
  const { text = "", status = 200, after } = answer
  if (status !== 200) {
    await after
    response.writeHead(status, { "content-type": "application/json" })
    response.end(
      JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: text } }),
    )
    return
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  const [head, tail] = isChat ? chatEvents(answer, count) : anthropicEvents(answer, count)
  response.write(head)
  await after
  response.end(tail)
}

function anthropicEvents({ text, calls = [] }: ModelAnswer, count: number): [string, string] {
  const frame = (event: { type: string }) =>
    `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
  const blocks = [
    ...(text === undefined || text === ""
      ? []
      : [{ start: { type: "text", text: "" }, delta: { type: "text_delta", text } }]),
    ...calls.map(({ name, input }, at) => ({
      start: { type: "tool_use", id: `toolu_${count}_${at}`, name, input: {} },
      delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
    })),
  ]
  const start = {
    type: "message_start",
    message: { id: `m${count}`, usage: { input_tokens: 10, output_tokens: 1 } },
  }
  const content = blocks.flatMap(({ start, delta }, index) => [
    { type: "content_block_start", index, content_block: start },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ])
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn"
  const end = [
    { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ]
  return [[start, ...content].map(frame).join(""), end.map(frame).join("")]
}

function chatEvents({ text, calls = [] }: ModelAnswer, count: number): [string, string] {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: `c${count}`, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const tool_calls = calls.map(({ name, input }, index) => ({
    index,
    id: `call_${count}_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }))
  const head = [
    chunk({ role: "assistant", content: text ?? "" }),
    ...(calls.length > 0 ? [chunk({ tool_calls })] : []),
  ]
  return [head.join(""), `${chunk({}, calls.length > 0 ? "tool_calls" : "stop")}data: [DONE]\n\n`]
}
