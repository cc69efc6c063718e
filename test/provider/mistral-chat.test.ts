import { describe, expect, it } from "vitest"
import type { Thinking } from "../../packages/core/model/prompt.ts"
import { mistralChat } from "../../packages/core/wires/mistral-chat.ts"
import { assistant, textBlock, user } from "../build.ts"
import { connect } from "./connect.ts"
import { bodyOf, ENVELOPE } from "./contract.ts"
import { envelope, FILES, toolTurn } from "./corpus.ts"
import { exchangeContract, sse } from "./exchange.contract.ts"

const provider = connect(mistralChat, { MISTRAL_API_KEY: "secret-key" })
const API = "mistral-chat"

describe("mistral-chat: body", () => {
  it("[CMP-030] carries images, PDFs and audio natively, and describes the rest", async () =>
    expect(await bodyOf(provider, { ...ENVELOPE, model: "mistral-x" }, [FILES])).toEqual({
      model: "mistral-x",
      max_tokens: 100,
      stream: true,
      messages: [
        { role: "system", content: "Be kind." },
        {
          role: "user",
          content: [
            { type: "text", text: 'say "hi"\n' },
            { type: "image_url", image_url: "data:image/png;base64,AAAA" },
            {
              type: "text",
              text: "[image: b.heic, image/heic, 3 bytes. Not shown: the mistral-chat API has no place for it.]",
            },
            {
              type: "document_url",
              document_url: "data:application/pdf;base64,AAAA",
              document_name: "plan.pdf",
            },
            {
              type: "text",
              text: "[document: t.csv, text/csv, 3 bytes. Not shown: the mistral-chat API has no place for it.]",
            },
            {
              type: "text",
              text: "[document: l.docx, application/vnd.openxmlformats-officedocument.wordprocessingml.document, 3 bytes. Not shown: the mistral-chat API has no place for it.]",
            },
            {
              type: "text",
              text: "[document: z.zip, application/zip, 3 bytes. Not shown: the mistral-chat API has no place for it.]",
            },
            { type: "input_audio", input_audio: "AAAA" },
            {
              type: "text",
              text: "[video: f.mp4, video/mp4, 3 bytes. Not shown: the mistral-chat API has no place for it.]",
            },
          ],
        },
      ],
    }))

  it("[VIS-002] carries media in results, and lets no user speak right after a tool", async () => {
    const seal = { api: API, model: "mistral-x" }
    expect(await bodyOf(provider, envelope("mistral-x", "high"), toolTurn(seal))).toEqual({
      model: "mistral-x",
      max_tokens: 100,
      stream: true,
      reasoning_effort: "high",
      tools: [
        {
          type: "function",
          function: {
            name: "read_image",
            description: "Look at an image.",
            parameters: {
              type: "object",
              properties: { path: { type: "string" } },
              required: ["path"],
            },
          },
        },
        {
          type: "function",
          function: {
            name: "my_tool_aKDklb4fJ",
            description: "Do it.",
            parameters: { type: "object" },
          },
        },
      ],
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: [{ type: "text", text: "look" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: [{ type: "text", text: "I should look." }] },
            { type: "text", text: "Looking. \n" },
          ],
          tool_calls: [
            {
              id: "IsHXae1DH",
              type: "function",
              function: { name: "read_image", arguments: '{"path":"a.png"}' },
            },
            {
              id: "abcDEF123",
              type: "function",
              function: { name: "my_tool_aKDklb4fJ", arguments: "{}" },
            },
          ],
        },
        {
          role: "tool",
          tool_call_id: "IsHXae1DH",
          name: "read_image",
          content: [
            { type: "text", text: "2 x 2" },
            { type: "image_url", image_url: "data:image/png;base64,AAAA" },
            {
              type: "document_url",
              document_url: "data:application/pdf;base64,AAAA",
              document_name: "plan.pdf",
            },
          ],
        },
        {
          role: "tool",
          tool_call_id: "abcDEF123",
          name: "my_tool_aKDklb4fJ",
          content: [
            { type: "text", text: "Error:" },
            { type: "text", text: "no such thing" },
            { type: "input_audio", input_audio: "AAAA" },
          ],
        },
        { role: "assistant", content: "(reading the results)" },
        { role: "user", content: [{ type: "text", text: "and hurry" }] },
        { role: "assistant", content: "Done." },
        { role: "user", content: [{ type: "text", text: "thanks" }] },
      ],
    })
  })

  it("puts a word between a tool and a user whose message comes later", async () =>
    expect(
      await bodyOf(provider, { ...ENVELOPE, system: "" }, [
        user(),
        {
          role: "assistant",
          blocks: [{ type: "tool-call", id: "abcDEF123", name: "a", input: {} }],
        },
        {
          role: "user",
          blocks: [
            {
              type: "tool-result",
              id: "abcDEF123",
              name: "a",
              is_error: true,
              blocks: [textBlock("no")],
            },
          ],
        },
        user(textBlock("stop")),
        assistant(),
      ]),
    ).toEqual({
      model: "some-model",
      max_tokens: 100,
      stream: true,
      messages: [
        { role: "user", content: [{ type: "text", text: "(empty message)" }] },
        {
          role: "assistant",
          content: "",
          tool_calls: [
            { id: "abcDEF123", type: "function", function: { name: "a", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "abcDEF123", name: "a", content: "Error: no" },
        { role: "assistant", content: "(reading the results)" },
        { role: "user", content: [{ type: "text", text: "stop" }] },
        { role: "assistant", content: "(empty message)" },
      ],
    }))

  it.each<[Thinking, string]>([
    [{ type: "off" }, "none"],
    [{ type: "effort", effort: "low" }, "high"],
  ])("says %j as the API takes it", async (thinking, reasoning_effort) =>
    expect(await bodyOf(provider, { ...ENVELOPE, thinking }, [user(textBlock("a"))])).toMatchObject(
      { reasoning_effort },
    ),
  )
})

function chunk(delta: object, finish_reason: string | null = null): object {
  return {
    id: "cmpl-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  }
}

function closing(reason: string): string[] {
  const usage = {
    prompt_tokens: 17,
    completion_tokens: 30,
    prompt_tokens_details: { cached_tokens: 7 },
  }
  return [...sse({ ...chunk({ content: "" }, reason), usage }), "data: [DONE]\n\n"]
}

function thinking(text: string, more: object = {}): object {
  const chunks = [{ type: "thinking", thinking: [{ type: "text", text }], ...more }]
  return chunk({ content: chunks })
}

exchangeContract(
  "mistral-chat",
  (base_url) => connect(mistralChat, { MISTRAL_API_KEY: "secret-key", MISTRAL_BASE_URL: base_url }),
  {
    type: "text/event-stream",
    words: [
      ...sse(
        chunk({ role: "assistant", content: "" }),
        chunk({ content: "Grü" }),
        chunk({ content: [{ type: "text", text: "ße 😀" }] }),
      ),
      ...closing("stop"),
    ],
    usage: { input: 10, output: 30, reasoning: 0, cache_read: 7, cache_write: 0 },
    thoughts: [
      ...sse(thinking("hm, "), thinking("hm", { signature: "sig" }), chunk({ content: "yes" })),
      ...closing("stop"),
    ],
    seal: { api: API, model: "some-model", signature: "sig" },
    calls: [
      ...sse(
        chunk({
          content: "",
          tool_calls: [
            {
              id: "aaaaaaaaa",
              index: 0,
              function: { name: "read_image", arguments: '{"path":"a.png"}' },
            },
            {
              id: "bbbbbbbbb",
              index: 1,
              function: { name: "my_tool_aKDklb4fJ", arguments: '{"n":1}' },
            },
          ],
        }),
      ),
      ...closing("tool_calls"),
    ],
    ids: ["aaaaaaaaa", "bbbbbbbbb"],
    fault: sse(chunk({ content: "Grü" }), {
      error: { message: "Service unavailable.", type: "internal_server_error" },
    }),
    code: "internal_server_error",
    refusal: {
      object: "error",
      message: "Image at messages[1].content[2] could not be loaded",
      type: "invalid_request_file",
      code: "3310",
    },
    path: "/v1/chat/completions",
    headers: { authorization: "Bearer secret-key" },
  },
)
