import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages"
import { describe, expect, it } from "vitest"
import type { ModelEvent, Thinking } from "../../packages/core/model/prompt.ts"
import { anthropicMessages } from "../../packages/core/wires/anthropic-messages.ts"
import { anthropicStart, stepAnthropic } from "../../packages/core/wires/anthropic-stream.ts"
import { assistant, media, textBlock, user } from "../build.ts"
import { connect } from "./connect.ts"
import { bodyOf, ENVELOPE, show } from "./contract.ts"
import { envelope, FILES, toolTurn } from "./corpus.ts"
import { exchangeContract, sse, stepIsTotal } from "./exchange.contract.ts"

const provider = connect(anthropicMessages, { ANTHROPIC_API_KEY: "secret-key" })
const API = "anthropic-messages"
const START = anthropicStart("")

describe("anthropic-messages: body", () => {
  it("[CMP-030] [CMP-101] [CMP-110] carries images and PDFs natively, in their order, and describes the rest", async () =>
    expect(await bodyOf(provider, { ...ENVELOPE, model: "claude-x" }, [FILES])).toEqual({
      model: "claude-x",
      max_tokens: 100,
      system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: 'say "hi"\n' },
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "AAAA" },
            },
            {
              type: "text",
              text: "[image: b.heic, image/heic, 3 bytes. Not shown: the anthropic-messages API has no place for it.]",
            },
            {
              type: "document",
              source: { type: "base64", media_type: "application/pdf", data: "AAAA" },
              title: "plan.pdf",
            },
            {
              type: "text",
              text: "[document: t.csv, text/csv, 3 bytes. Not shown: the anthropic-messages API has no place for it.]",
            },
            {
              type: "text",
              text: "[document: l.docx, application/vnd.openxmlformats-officedocument.wordprocessingml.document, 3 bytes. Not shown: the anthropic-messages API has no place for it.]",
            },
            {
              type: "text",
              text: "[document: z.zip, application/zip, 3 bytes. Not shown: the anthropic-messages API has no place for it.]",
            },
            {
              type: "text",
              text: "[audio: s.wav, audio/wav, 3 bytes. Not shown: the anthropic-messages API has no place for it.]",
            },
            {
              type: "text",
              text: "[video: f.mp4, video/mp4, 3 bytes. Not shown: the anthropic-messages API has no place for it.]",
            },
          ],
        },
      ],
      stream: true,
      cache_control: { type: "ephemeral" },
    } satisfies MessageCreateParamsStreaming))

  it("[VIS-002] carries thoughts, calls and results with media, results first", async () => {
    const turn = toolTurn({ api: API, model: "claude-x", signature: "sig" })
    expect(await bodyOf(provider, envelope("claude-x", "high"), turn)).toEqual({
      model: "claude-x",
      max_tokens: 100,
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
      tools: [
        {
          name: "read_image",
          description: "Look at an image.",
          input_schema: {
            type: "object",
            properties: { path: { type: "string" } },
            required: ["path"],
          },
        },
        {
          name: "my_tool_aKDklb4fJ",
          description: "Do it.",
          input_schema: { type: "object" },
        },
      ],
      system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: [{ type: "text", text: "look" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "I should look.", signature: "sig" },
            { type: "text", text: "Looking. \n" },
            {
              type: "tool_use",
              id: "IsHXae1DH",
              name: "read_image",
              input: { path: "a.png" },
            },
            { type: "tool_use", id: "abcDEF123", name: "my_tool_aKDklb4fJ", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "IsHXae1DH",
              content: [
                { type: "text", text: "2 x 2" },
                {
                  type: "image",
                  source: { type: "base64", media_type: "image/png", data: "AAAA" },
                },
                {
                  type: "document",
                  source: { type: "base64", media_type: "application/pdf", data: "AAAA" },
                  title: "plan.pdf",
                },
              ],
            },
            {
              type: "tool_result",
              tool_use_id: "abcDEF123",
              content: [
                { type: "text", text: "no such thing" },
                {
                  type: "text",
                  text: "[audio: s.wav, audio/wav, 3 bytes. Not shown: the anthropic-messages API has no place for it.]",
                },
              ],
              is_error: true,
            },
            {
              type: "text",
              text: "and hurry",
              cache_control: { type: "ephemeral" },
            },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "Done." }] },
        { role: "user", content: [{ type: "text", text: "thanks" }] },
      ],
      stream: true,
      cache_control: { type: "ephemeral" },
    } satisfies MessageCreateParamsStreaming)
  })

  it("leaves out a blank system prompt and blank text, and never sends an empty message", async () =>
    expect(
      await bodyOf(provider, { ...ENVELOPE, system: " " }, [
        user(textBlock(" "), textBlock("a")),
        user(),
        assistant(textBlock("\n")),
        user(textBlock("\n")),
      ]),
    ).toEqual({
      model: "some-model",
      max_tokens: 100,
      messages: [
        { role: "user", content: [{ type: "text", text: "a" }] },
        {
          role: "user",
          content: [
            { type: "text", text: "(empty message)", cache_control: { type: "ephemeral" } },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "(empty message)" }] },
        { role: "user", content: [{ type: "text", text: "(empty message)" }] },
      ],
      stream: true,
      cache_control: { type: "ephemeral" },
    } satisfies MessageCreateParamsStreaming))

  it("sends thoughts back only to who thought them, and never as the last word", async () => {
    const seal = { api: API, model: "claude-x", signature: "sig" }
    const hidden = { api: API, model: "claude-x", encrypted: "xyz" }
    const thought = { type: "reasoning", text: "hm", seal } as const
    const redacted = { type: "reasoning", text: "", seal: hidden } as const
    const said = {
      role: "assistant",
      blocks: [thought, redacted, textBlock("yes"), thought],
    } as const
    const contents = async (model: string) =>
      JSON.parse(await show(provider.encode(said, model))).content
    const text = { type: "text", text: "yes" }
    expect(await contents("claude-x")).toEqual([
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "redacted_thinking", data: "xyz" },
      text,
    ])
    expect(await contents("claude-y")).toEqual([text])
  })

  it("cuts a title to what the API takes", async () => {
    const long = media("x".repeat(600), "application/pdf", 1)
    const body = await show(provider.encode(user({ type: "document", media: long })))
    expect(JSON.parse(body).content[0].title).toHaveLength(500)
  })

  it("marks the tools where there is no system prompt", async () => {
    const body = await bodyOf(provider, { ...envelope("claude-x"), system: "" }, [
      user(textBlock("hi")),
    ])
    expect(body).toMatchObject({
      tools: [{ name: "read_image" }, { cache_control: { type: "ephemeral" } }],
    })
    expect(body).not.toHaveProperty("tools.0.cache_control")
  })

  it.each<[Thinking, number, object | undefined]>([
    [{ type: "off" }, 100, { type: "disabled" }],
    [{ type: "budget", tokens: 4000 }, 8000, { type: "enabled", budget_tokens: 4000 }],
    [{ type: "budget", tokens: 9000 }, 8000, { type: "enabled", budget_tokens: 7999 }],
    [{ type: "budget", tokens: 4000 }, 1000, undefined],
  ])("says %j within %d tokens as the API takes it", async (thinking, max_tokens, expected) => {
    const about = { ...ENVELOPE, thinking, max_tokens }
    const body = (await bodyOf(provider, about, [user(textBlock("hi"))])) as { thinking?: object }
    expect(body.thinking).toEqual(expected)
  })
})

describe("anthropic-messages: stream", () => {
  function plays(...events: readonly object[]): ModelEvent[] {
    let state = START
    return events.flatMap((event) => {
      const result = stepAnthropic(state, { event: "message", data: JSON.stringify(event) })
      state = result.state
      return result.events
    })
  }

  const stop = { type: "message_stop" }
  const closing = (stop_reason: string, usage: object) => ({
    type: "message_delta",
    delta: { stop_reason },
    usage,
  })

  it("tells a thought that is hidden by its seal alone", () =>
    expect(
      plays(
        { type: "content_block_start", content_block: { type: "redacted_thinking", data: "xyz" } },
        { type: "content_block_stop" },
      ),
    ).toEqual([{ type: "reasoning-end", seal: { api: API, model: "", encrypted: "xyz" } }]))

  it("tells a call whose input is no JSON, and one without input", () =>
    expect(
      plays(
        { type: "content_block_start", content_block: { type: "tool_use", id: "a", name: "one" } },
        { type: "content_block_delta", delta: { type: "input_json_delta", partial_json: '{"a' } },
        { type: "content_block_stop" },
        { type: "content_block_start", content_block: { type: "tool_use", id: "b", name: "two" } },
        { type: "content_block_stop" },
      ),
    ).toEqual([
      { type: "tool-call-start", id: "a", name: "one" },
      { type: "tool-call-delta", id: "a", text: '{"a' },
      { type: "tool-call-end", id: "a", name: "one", input: {}, invalid: '{"a' },
      { type: "tool-call-start", id: "b", name: "two" },
      { type: "tool-call-end", id: "b", name: "two", input: {} },
    ]))

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["tool_use", "tool-call"],
    ["refusal", "refusal"],
    ["something_new", "stop"],
  ])("ends for %s with %s", (reason, expected) =>
    expect(plays(closing(reason, { output_tokens: 1 }), stop).at(-1)).toEqual({
      type: "end",
      reason: expected,
    }),
  )

  stepIsTotal(START, (state, data) => stepAnthropic(state, { event: "message", data }), [
    "type",
    "message_start",
    "message",
    "usage",
    "content_block_start",
    "content_block",
    "tool_use",
    "thinking",
    "content_block_delta",
    "delta",
    "input_json_delta",
    "signature_delta",
    "text_delta",
    "content_block_stop",
    "message_delta",
    "error",
  ])
})

const START_EVENT = {
  type: "message_start",
  message: {
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 7,
      cache_creation_input_tokens: 3,
      output_tokens: 1,
    },
  },
}

function block(index: number, content_block: object, ...deltas: readonly object[]): object[] {
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]
}

function said(index: number, ...words: readonly string[]): object[] {
  const deltas = words.map((text) => ({ type: "text_delta", text }))
  return block(index, { type: "text", text: "" }, ...deltas)
}

function called(index: number, id: string, name: string, ...json: readonly string[]): object[] {
  const deltas = json.map((partial_json) => ({ type: "input_json_delta", partial_json }))
  return block(index, { type: "tool_use", id, name, input: {} }, ...deltas)
}

function ended(stop_reason: string): object[] {
  const usage = { output_tokens: 30, output_tokens_details: { thinking_tokens: 12 } }
  return [{ type: "message_delta", delta: { stop_reason }, usage }, { type: "message_stop" }]
}

exchangeContract(
  "anthropic-messages",
  (base_url) =>
    connect(anthropicMessages, { ANTHROPIC_API_KEY: "secret-key", ANTHROPIC_BASE_URL: base_url }),
  {
    type: "text/event-stream",
    words: sse(START_EVENT, { type: "ping" }, ...said(0, "Grü", "ße 😀"), ...ended("end_turn")),
    usage: { input: 10, output: 18, reasoning: 12, cache_read: 7, cache_write: 3 },
    thoughts: sse(
      START_EVENT,
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "hm, " },
        { type: "thinking_delta", thinking: "hm" },
        { type: "signature_delta", signature: "sig" },
      ),
      ...said(1, "yes"),
      ...ended("end_turn"),
    ),
    seal: { api: API, model: "some-model", signature: "sig" },
    calls: sse(
      START_EVENT,
      ...called(0, "toolu_1", "read_image", "", '{"path":', '"a.png"}'),
      ...called(1, "toolu_2", "my_tool_aKDklb4fJ", '{"n":1}'),
      ...ended("tool_use"),
    ),
    ids: ["toolu_1", "toolu_2"],
    fault: sse(START_EVENT, ...said(0, "Grü"), {
      type: "error",
      error: { type: "overloaded_error", message: "Overloaded" },
    }),
    code: "overloaded_error",
    refusal: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "messages.0.content.2.image.source.base64.data: Could not process image",
      },
    },
    path: "/v1/messages",
    headers: { "x-api-key": "secret-key", "anthropic-version": "2023-06-01" },
  },
)
