import { connect } from "../provider/connect.ts"
import { anthropicMessages } from "../../packages/core/wires/anthropic-messages.ts"
import { listen, readRequest } from "../provider/loopback.ts"
import { openHouse, type HouseOptions } from "./house.ts"

export interface Spoken {
  readonly thinking?: { readonly text: string; readonly signature: string }
  readonly text?: string
  readonly call?: { readonly id: string; readonly name: string; readonly input: object }
}

export interface Refusal {
  readonly status: number
  readonly message: string
}

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any

/** A house whose model is behind a real server that speaks Anthropic's API. */
export async function anthropicHouse(
  answer: (body: Body, count: number) => Spoken | Refusal,
  options: HouseOptions = {},
) {
  const bodies: Body[] = []
  const base_url = await listen(async (request, response) => {
    const { body } = await readRequest(request)
    const json = JSON.parse(body.toString())
    bodies.push(json)
    const said = answer(json, bodies.length)
    if ("status" in said) {
      const error = { type: "invalid_request_error", message: said.message }
      response.writeHead(said.status, { "content-type": "application/json" })
      response.end(JSON.stringify({ type: "error", error }))
      return
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.end(eventsOf(said).map(frame).join(""))
  })
  const provider = connect(anthropicMessages, {
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_BASE_URL: base_url,
  })
  const house = await openHouse({ ...options, providers: new Map([["anthropic", provider]]) })
  return { house, bodies }
}

export const SONNET = { provider_id: "anthropic", model_id: "claude-sonnet-5-5" }
export const OPUS = { provider_id: "anthropic", model_id: "claude-opus-5-5" }

function frame(event: { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

function eventsOf({ thinking, text, call }: Spoken) {
  const blocks = [
    ...(thinking ? [thoughtEvents(thinking)] : []),
    ...(text === undefined ? [] : [wordEvents(text)]),
    ...(call ? [callEvents(call)] : []),
  ]
  return [
    { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: call ? "tool_use" : "end_turn" },
      usage: { output_tokens: 3 },
    },
    { type: "message_stop" },
  ]
}

function thoughtEvents({ text, signature }: NonNullable<Spoken["thinking"]>) {
  return {
    start: { type: "thinking", thinking: "" },
    deltas: [
      { type: "thinking_delta", thinking: text },
      { type: "signature_delta", signature },
    ],
  }
}

function wordEvents(text: string) {
  return { start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text }] }
}

function callEvents({ id, name, input }: NonNullable<Spoken["call"]>) {
  const partial_json = JSON.stringify(input)
  return {
    start: { type: "tool_use", id, name, input: {} },
    deltas: [{ type: "input_json_delta", partial_json }],
  }
}
