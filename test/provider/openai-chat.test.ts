import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions"
import { describe, expect, it } from "vitest"
import type { ModelEvent, Thinking } from "../../packages/core/model/prompt.ts"
import { chatStart, stepChat } from "../../packages/core/wires/chat-stream.ts"
import { chatServers, openaiChat } from "../../packages/core/wires/openai-chat.ts"
import { DIALECTS, type ChatDialect } from "../../packages/core/wires/openai-dialects.ts"
import { assistant, textBlock, user } from "../build.ts"
import { connect } from "./connect.ts"
import { bodyOf, ENVELOPE, show } from "./contract.ts"
import { envelope, FILES, film, picture, sound, toolTurn } from "./corpus.ts"
import { exchangeContract, type Recording, sse, stepIsTotal } from "./exchange.contract.ts"

function speaking(name: string) {
  const dialect = DIALECTS.find((known) => known.name === name)
  if (!dialect) throw new Error(`nobody speaks ${name}`)
  return { dialect, provider: connectDialect(dialect, "http://localhost/v1", "secret-key") }
}

function connectDialect(dialect: ChatDialect, base_url: string, api_key?: string) {
  const wire = [openaiChat, ...chatServers].find(({ api }) => api === dialect.api)
  if (!wire) throw new Error(`no wire speaks ${dialect.name}`)
  return connect(wire, {
    COMPOSITOR_OPENAI_DIALECT: dialect.name,
    COMPOSITOR_OPENAI_BASE_URL: base_url,
    COMPOSITOR_OPENAI_API_KEY: api_key,
  })
}

describe("openai-chat: body", () => {
  const { provider } = speaking("openai")

  it("[CMP-030] carries images, PDFs and audio natively, and describes the rest", async () =>
    expect(await bodyOf(provider, { ...ENVELOPE, model: "gpt-x" }, [FILES])).toEqual({
      model: "gpt-x",
      max_completion_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: "developer", content: "Be kind." },
        {
          role: "user",
          content: [
            { type: "text", text: 'say "hi"\n' },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
            {
              type: "text",
              text: "[image: b.heic, image/heic, 3 bytes. Not shown: the openai-chat API has no place for it.]",
            },
            {
              type: "file",
              file: { filename: "plan.pdf", file_data: "data:application/pdf;base64,AAAA" },
            },
            {
              type: "text",
              text: "[document: t.csv, text/csv, 3 bytes. Not shown: the openai-chat API has no place for it.]",
            },
            {
              type: "text",
              text: "[document: l.docx, application/vnd.openxmlformats-officedocument.wordprocessingml.document, 3 bytes. Not shown: the openai-chat API has no place for it.]",
            },
            {
              type: "text",
              text: "[document: z.zip, application/zip, 3 bytes. Not shown: the openai-chat API has no place for it.]",
            },
            { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
            {
              type: "text",
              text: "[video: f.mp4, video/mp4, 3 bytes. Not shown: the openai-chat API has no place for it.]",
            },
          ],
        },
      ],
    } satisfies ChatCompletionCreateParamsStreaming))

  it("[VIS-002] hoists the media of results into a message of the user's", async () => {
    const seal = { api: "openai-chat", model: "gpt-x" }
    expect(await bodyOf(provider, envelope("gpt-x", "high"), toolTurn(seal))).toEqual({
      model: "gpt-x",
      max_completion_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
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
        { role: "developer", content: "Be kind." },
        { role: "user", content: [{ type: "text", text: "look" }] },
        {
          role: "assistant",
          content: "Looking. \n",
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
          content:
            "2 x 2\n\n[a.png, image/png: shown after this result]\n\n[plan.pdf, application/pdf: shown after this result]",
        },
        {
          role: "tool",
          tool_call_id: "abcDEF123",
          content: "Error: no such thing\n\n[s.wav, audio/wav: shown after this result]",
        },
        {
          role: "user",
          content: [
            { type: "text", text: "[a.png, from read_image]" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
            { type: "text", text: "[plan.pdf, from read_image]" },
            {
              type: "file",
              file: { filename: "plan.pdf", file_data: "data:application/pdf;base64,AAAA" },
            },
            { type: "text", text: "[s.wav, from my.tool]" },
            { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
            { type: "text", text: "and hurry" },
          ],
        },
        { role: "assistant", content: "Done." },
        { role: "user", content: [{ type: "text", text: "thanks" }] },
      ],
    } satisfies ChatCompletionCreateParamsStreaming)
  })

  it("never sends an empty message", async () =>
    expect(
      await bodyOf(provider, { ...ENVELOPE, system: " " }, [
        user(),
        assistant(),
        {
          role: "assistant",
          blocks: [{ type: "tool-call", id: "abcDEF123", name: "a", input: "no object" }],
        },
        {
          role: "user",
          blocks: [
            { type: "tool-result", id: "abcDEF123", name: "a", is_error: false, blocks: [] },
          ],
        },
      ]),
    ).toMatchObject({
      messages: [
        { role: "user", content: [{ type: "text", text: "(empty message)" }] },
        { role: "assistant", content: "(empty message)" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ function: { name: "a", arguments: '{"input":"no object"}' } }],
        },
        { role: "tool", content: "(no output)" },
      ],
    }))
})

describe("openai-chat: dialects", () => {
  it.each(DIALECTS.filter(({ name }) => name !== "openai").map(({ name }) => [name]))(
    "%s says words alone as one string, and lets no user speak twice in a row",
    async (name) => {
      const { dialect, provider } = speaking(name)
      const body = await bodyOf(provider, envelope("m"), [
        user(textBlock("a"), textBlock("b")),
        ...toolTurn({ api: dialect.api, model: "m" }),
      ])
      expect(body).toMatchObject({
        max_tokens: 100,
        messages: [
          { role: "system", content: "Be kind." },
          { role: "user", content: "a\n\nb" },
          { role: "assistant", content: "(no answer)" },
          { role: "user", content: "look" },
          { role: "assistant", content: "Looking. \n" },
          { role: "tool", content: expect.any(String) },
          { role: "tool", content: expect.any(String) },
          { role: "user" },
          { role: "assistant", content: "Done." },
          { role: "user", content: "thanks" },
        ],
      })
    },
  )

  it.each<[string, object | undefined]>([
    ["ollama", { reasoning: "I should look." }],
    ["llama-cpp", { reasoning_content: "I should look." }],
    ["vllm", { reasoning_content: "I should look." }],
    ["lm-studio", undefined],
    ["plain", undefined],
  ])("%s is sent its thoughts back as it gives them", async (name, expected) => {
    const { dialect, provider } = speaking(name)
    const [, thought] = toolTurn({ api: dialect.api, model: "m" })
    if (!thought) throw new Error("there is no thought")
    const message = JSON.parse(await show(provider.encode(thought, "m")))
    const { role: _, content: __, tool_calls: ___, ...rest } = message
    expect(rest).toEqual(expected ?? {})
  })

  it.each<[string, object[]]>([
    ["ollama", [{ type: "image_url" }, { type: "input_audio" }, { type: "text" }]],
    [
      "llama-cpp",
      [
        { type: "image_url" },
        { type: "input_audio" },
        { type: "input_video", input_video: { data: "AAAA" } },
      ],
    ],
    [
      "vllm",
      [
        { type: "image_url" },
        { type: "input_audio" },
        { type: "video_url", video_url: { url: "data:video/mp4;base64,AAAA" } },
      ],
    ],
    ["lm-studio", [{ type: "image_url" }, { type: "text" }, { type: "text" }]],
    ["plain", [{ type: "image_url" }, { type: "text" }, { type: "text" }]],
  ])("%s takes the media it has a place for", async (name, expected) => {
    const { provider } = speaking(name)
    const message = JSON.parse(await show(provider.encode(user(picture, sound, film))))
    expect(message.content).toMatchObject(expected)
  })

  it.each<[string, Thinking, string | undefined]>([
    ["openai", { type: "off" }, "none"],
    ["ollama", { type: "effort", effort: "low" }, "low"],
    ["vllm", { type: "budget", tokens: 10 }, undefined],
    ["llama-cpp", { type: "effort", effort: "low" }, undefined],
  ])("%s is told %j as it takes it", async (name, thinking, expected) => {
    const { provider } = speaking(name)
    const about = { ...ENVELOPE, thinking }
    const body = await bodyOf(provider, about, [user(textBlock("a"))])
    expect((body as { reasoning_effort?: string }).reasoning_effort).toBe(expected)
  })

  it("asks without a key where there is none", async () => {
    const { dialect } = speaking("ollama")
    const provider = connectDialect(dialect, "http://localhost/v1")
    expect(provider).toMatchObject({ id: "ollama", api: "openai-chat/ollama" })
  })
})

describe("openai-chat: stream", () => {
  function plays(...chunks: readonly (object | string)[]): ModelEvent[] {
    let state = chatStart({ api: null, model: "m" }, "seed")
    return chunks.flatMap((chunk) => {
      const data = typeof chunk === "string" ? chunk : JSON.stringify(chunk)
      const result = stepChat(state, { event: "message", data })
      state = result.state
      return result.events
    })
  }

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["model_length", "length"],
    ["tool_calls", "tool-call"],
    ["content_filter", "content-filter"],
  ])("ends for %s with %s", (finish_reason, reason) =>
    expect(plays({ choices: [{ delta: {}, finish_reason }] }, "[DONE]")).toEqual([
      { type: "end", reason },
    ]),
  )

  it("ends a refusal as one", () =>
    expect(
      plays(
        { choices: [{ delta: { refusal: "I will not" } }] },
        { choices: [{ delta: {}, finish_reason: "stop" }] },
        "[DONE]",
      ),
    ).toEqual([
      { type: "text-delta", text: "I will not" },
      { type: "end", reason: "refusal" },
    ]))

  it("gives calls an id where the server gives none, and takes input that is JSON already", () => {
    const made = { function: { name: "a", arguments: { x: 1 } } }
    const events = plays(
      { choices: [{ delta: { tool_calls: [made, made] } }] },
      { choices: [{ delta: {}, finish_reason: "stop" }] },
      "[DONE]",
    )
    const ids = events.flatMap((event) => (event.type === "tool-call-end" ? event.id : []))
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(events.at(-1)).toEqual({ type: "end", reason: "tool-call" })
  })

  it("makes an error of an end that nobody told, even after calls", () =>
    expect(
      plays({ choices: [{ delta: { tool_calls: [{ id: "a", function: {} }] } }] }, "[DONE]"),
    ).toMatchObject([{ type: "tool-call-start" }, { type: "error", code: "stream-truncated" }]))

  const start = chatStart({ api: null, model: "m" }, "seed")
  stepIsTotal(start, (state, data) => stepChat(state, { event: "message", data }), [
    "choices",
    "delta",
    "content",
    "type",
    "text",
    "thinking",
    "reasoning_content",
    "tool_calls",
    "function",
    "arguments",
    "index",
    "finish_reason",
    "usage",
    "error",
  ])
})

/** As each server sends it: they differ in where thoughts are, and in who gives ids. */
function recorded(dialect: ChatDialect): Recording {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  })
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 30,
    prompt_tokens_details: { cached_tokens: 7, cache_write_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 12 },
  }
  const closing = (reason: string) => [
    ...sse(chunk({}, reason), { id: "chatcmpl-1", choices: [], usage }),
    "data: [DONE]\n\n",
  ]
  const opening = chunk({ role: "assistant", content: "" })
  const thoughts = dialect.thoughts ?? "reasoning_content"
  const { api } = dialect
  return {
    type: "text/event-stream",
    words: [
      ...sse(opening, chunk({ content: "Grü" }), chunk({ content: "ße 😀" })),
      ...closing("stop"),
    ],
    usage: { input: 10, output: 18, reasoning: 12, cache_read: 7, cache_write: 3 },
    thoughts: [
      ...sse(
        opening,
        chunk({ [thoughts]: "hm, " }),
        chunk({ [thoughts]: "hm" }),
        chunk({ content: "yes" }),
      ),
      ...closing("stop"),
    ],
    seal: dialect.thoughts ? { api, model: "some-model" } : null,
    calls: [
      ...sse(
        opening,
        chunk({
          tool_calls: [
            { index: 0, id: "call_1", type: "function", function: { name: "read_image" } },
          ],
        }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"path":' } }] }),
        chunk({
          tool_calls: [
            { index: 0, function: { arguments: '"a.png"}' } },
            {
              index: 1,
              id: "call_2",
              type: "function",
              function: { name: "my_tool_aKDklb4fJ", arguments: '{"n":1}' },
            },
          ],
        }),
      ),
      ...closing("tool_calls"),
    ],
    ids: ["call_1", "call_2"],
    fault: sse(opening, chunk({ content: "Grü" }), {
      error: { message: "the server is overloaded", type: "server_error", code: null },
    }),
    code: "server_error",
    refusal: {
      error: {
        message: "Invalid image.",
        type: "invalid_request_error",
        param: `messages.[1].content.[2].image_url`,
        code: "invalid_image_format",
      },
    },
    path: "/v1/chat/completions",
    headers: { authorization: "Bearer secret-key" },
  }
}

for (const dialect of DIALECTS)
  exchangeContract(
    `openai-chat (${dialect.name})`,
    (url) => connectDialect(dialect, new URL("v1", url).href, "secret-key"),
    recorded(dialect),
  )
