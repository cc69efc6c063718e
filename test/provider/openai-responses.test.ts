import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses"
import { describe, expect, it } from "vitest"
import type { ModelEvent, Thinking } from "../../packages/core/model/prompt.ts"
import { openaiResponses } from "../../packages/core/wires/openai-responses.ts"
import { responsesStart, stepResponses } from "../../packages/core/wires/responses-stream.ts"
import { assistant, textBlock, user } from "../build.ts"
import { connect } from "./connect.ts"
import { bodyOf, ENVELOPE, show } from "./contract.ts"
import { envelope, FILES, picture, toolTurn } from "./corpus.ts"
import { exchangeContract, sse, stepIsTotal } from "./exchange.contract.ts"

const provider = connect(openaiResponses, { OPENAI_API_KEY: "secret-key" })
const API = "openai-responses"

describe("openai-responses: body", () => {
  it("[CMP-030] carries images, PDFs and office files natively, and describes the rest", async () =>
    expect(await bodyOf(provider, { ...ENVELOPE, model: "gpt-x" }, [FILES])).toEqual({
      model: "gpt-x",
      instructions: "Be kind.",
      max_output_tokens: 100,
      store: false,
      stream: true,
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: 'say "hi"\n' },
            { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" },
            {
              type: "input_text",
              text: "[image: b.heic, image/heic, 3 bytes. Not shown: the openai-responses API has no place for it.]",
            },
            {
              type: "input_file",
              filename: "plan.pdf",
              file_data: "data:application/pdf;base64,AAAA",
            },
            { type: "input_file", filename: "t.csv", file_data: "data:text/csv;base64,AAAA" },
            {
              type: "input_file",
              filename: "l.docx",
              file_data:
                "data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,AAAA",
            },
            {
              type: "input_text",
              text: "[document: z.zip, application/zip, 3 bytes. Not shown: the openai-responses API has no place for it.]",
            },
            {
              type: "input_text",
              text: "[audio: s.wav, audio/wav, 3 bytes. Not shown: the openai-responses API has no place for it.]",
            },
            {
              type: "input_text",
              text: "[video: f.mp4, video/mp4, 3 bytes. Not shown: the openai-responses API has no place for it.]",
            },
          ],
        },
      ],
    } satisfies ResponseCreateParamsStreaming))

  it("[VIS-002] carries thoughts, calls and results with media as items in their order", async () => {
    const seal = { api: API, model: "gpt-x", id: "item_1", encrypted: "xyz", phase: "commentary" }
    expect(await bodyOf(provider, envelope("gpt-x", "high"), toolTurn(seal))).toEqual({
      model: "gpt-x",
      instructions: "Be kind.",
      max_output_tokens: 100,
      reasoning: { effort: "high", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      tools: [
        {
          type: "function",
          name: "read_image",
          description: "Look at an image.",
          parameters: {
            type: "object",
            properties: { path: { type: "string" } },
            required: ["path"],
          },
          strict: false,
        },
        {
          type: "function",
          name: "my_tool_aKDklb4fJ",
          description: "Do it.",
          parameters: { type: "object" },
          strict: false,
        },
      ],
      store: false,
      stream: true,
      input: [
        { role: "user", content: [{ type: "input_text", text: "look" }] },
        {
          type: "reasoning",
          id: "item_1",
          summary: [{ type: "summary_text", text: "I should look." }],
          encrypted_content: "xyz",
        },
        {
          type: "message",
          id: "item_1",
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", text: "Looking. \n", annotations: [] }],
          phase: "commentary",
        },
        {
          type: "function_call",
          call_id: "IsHXae1DH",
          name: "read_image",
          arguments: '{"path":"a.png"}',
        },
        {
          type: "function_call",
          call_id: "abcDEF123",
          name: "my_tool_aKDklb4fJ",
          arguments: "{}",
        },
        {
          type: "function_call_output",
          call_id: "IsHXae1DH",
          output: [
            { type: "input_text", text: "2 x 2" },
            { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" },
            {
              type: "input_file",
              filename: "plan.pdf",
              file_data: "data:application/pdf;base64,AAAA",
            },
          ],
        },
        {
          type: "function_call_output",
          call_id: "abcDEF123",
          output:
            "Error: no such thing\n\n[audio: s.wav, audio/wav, 3 bytes. Not shown: the openai-responses API has no place for it.]",
        },
        { role: "user", content: [{ type: "input_text", text: "and hurry" }] },
        { role: "assistant", content: "Done." },
        { role: "user", content: [{ type: "input_text", text: "thanks" }] },
      ],
    } satisfies ResponseCreateParamsStreaming)
  })

  it("never sends an empty message, an empty result or a failure that is not said", async () => {
    const result = { type: "tool-result", id: "abcDEF123", name: "a", is_error: true } as const
    expect(
      await bodyOf(provider, { ...ENVELOPE, system: "" }, [
        user(),
        assistant(),
        { role: "user", blocks: [{ ...result, is_error: false, blocks: [] }] },
        { role: "user", blocks: [{ ...result, blocks: [picture] }] },
      ]),
    ).toMatchObject({
      input: [
        { role: "user", content: [{ type: "input_text", text: "(empty message)" }] },
        { role: "assistant", content: "(empty message)" },
        { type: "function_call_output", output: "(no output)" },
        {
          type: "function_call_output",
          output: [{ type: "input_text", text: "Error:" }, { type: "input_image" }],
        },
      ],
    })
  })

  it("sends a message of another model as plain words, without its id", async () => {
    const seal = { api: API, model: "gpt-x", id: "msg_1" }
    const said = { role: "assistant", blocks: [{ type: "text", text: "yes", seal }] } as const
    expect(JSON.parse(await show(provider.encode(said, "gpt-y")))).toEqual({
      role: "assistant",
      content: "yes",
    })
  })

  it.each<[Thinking | undefined, object | undefined]>([
    [undefined, undefined],
    [{ type: "off" }, { effort: "none" }],
    [
      { type: "effort", effort: "low" },
      { effort: "low", summary: "auto" },
    ],
  ])("says %j as the API takes it", async (thinking, expected) => {
    const about = { ...ENVELOPE, ...(thinking ? { thinking } : {}) }
    const body = (await bodyOf(provider, about, [user(textBlock("a"))])) as { reasoning?: object }
    expect(body.reasoning).toEqual(expected)
  })
})

describe("openai-responses: stream", () => {
  function plays(...events: readonly object[]): ModelEvent[] {
    let state = responsesStart("gpt-x")
    return events.flatMap((event) => {
      const result = stepResponses(state, { event: "message", data: JSON.stringify(event) })
      state = result.state
      return result.events
    })
  }

  it("keeps the id and the phase of a message", () =>
    expect(
      plays({
        type: "response.output_item.done",
        item: { type: "message", id: "msg_1", phase: "final_answer" },
      }),
    ).toEqual([
      {
        type: "text-end",
        seal: { api: API, model: "gpt-x", id: "msg_1", phase: "final_answer" },
      },
    ]))

  it("does not seal a thought that cannot be sent back", () =>
    expect(
      plays({ type: "response.output_item.done", item: { type: "reasoning", id: "rs_1" } }),
    ).toEqual([{ type: "reasoning-end", seal: null }]))

  it.each([
    [{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length"],
    [{ status: "incomplete", incomplete_details: { reason: "content_filter" } }, "content-filter"],
    [{ status: "completed" }, "stop"],
  ])("ends %j with %s", (response, reason) =>
    expect(plays({ type: "response.completed", response })).toEqual([{ type: "end", reason }]),
  )

  it("ends a refusal as one", () =>
    expect(
      plays(
        { type: "response.refusal.delta", delta: "I will not" },
        { type: "response.completed", response: {} },
      ),
    ).toEqual([
      { type: "text-delta", text: "I will not" },
      { type: "end", reason: "refusal" },
    ]))

  it("passes on a response that failed, with its code", () =>
    expect(
      plays({
        type: "response.failed",
        response: { error: { code: "invalid_image", message: "it is broken" } },
      }),
    ).toEqual([
      { type: "error", code: "invalid_image", message: "it is broken", retryable: false },
    ]))

  stepIsTotal(
    responsesStart("gpt-x"),
    (state, data) => stepResponses(state, { event: "message", data }),
    [
      "type",
      "response.output_item.added",
      "response.output_item.done",
      "item",
      "function_call",
      "reasoning",
      "message",
      "response.function_call_arguments.delta",
      "output_index",
      "delta",
      "response.completed",
      "response.failed",
      "response",
      "usage",
      "error",
      "code",
    ],
  )
})

function added(output_index: number, item: object): object {
  return { type: "response.output_item.added", output_index, item }
}

function done(output_index: number, item: object): object {
  return { type: "response.output_item.done", output_index, item }
}

function said(output_index: number, ...words: readonly string[]): object[] {
  const item = { type: "message", id: "msg_1", role: "assistant", content: [] }
  return [
    added(output_index, item),
    ...words.map((delta) => ({ type: "response.output_text.delta", output_index, delta })),
    { type: "response.output_text.done", output_index, text: words.join("") },
    done(output_index, { ...item, status: "completed" }),
  ]
}

function called(output_index: number, call_id: string, name: string, json: readonly string[]) {
  const item = { type: "function_call", id: "fc_1", call_id, name, arguments: "" }
  return [
    added(output_index, item),
    ...json.map((delta) => ({
      type: "response.function_call_arguments.delta",
      output_index,
      delta,
    })),
    done(output_index, { ...item, arguments: json.join("") }),
  ]
}

const CREATED = { type: "response.created", response: { id: "resp_1", status: "in_progress" } }
const COMPLETED = {
  type: "response.completed",
  response: {
    status: "completed",
    usage: {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 7, cache_write_tokens: 3 },
      output_tokens: 30,
      output_tokens_details: { reasoning_tokens: 12 },
      total_tokens: 50,
    },
  },
}

exchangeContract(
  "openai-responses",
  (base_url) =>
    connect(openaiResponses, {
      OPENAI_API_KEY: "secret-key",
      OPENAI_BASE_URL: new URL("v1", base_url).href,
    }),
  {
    type: "text/event-stream",
    words: sse(CREATED, ...said(0, "Grü", "ße 😀"), COMPLETED),
    usage: { input: 10, output: 18, reasoning: 12, cache_read: 7, cache_write: 3 },
    thoughts: sse(
      CREATED,
      added(0, { type: "reasoning", id: "rs_1", summary: [] }),
      { type: "response.reasoning_summary_part.added", output_index: 0 },
      { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "hm, " },
      { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "hm" },
      done(0, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "xyz" }),
      ...said(1, "yes"),
      COMPLETED,
    ),
    seal: { api: API, model: "some-model", id: "rs_1", encrypted: "xyz" },
    calls: sse(
      CREATED,
      ...called(0, "call_1", "read_image", ['{"path":', '"a.png"}']),
      ...called(1, "call_2", "my_tool_aKDklb4fJ", ['{"n":1}']),
      COMPLETED,
    ),
    ids: ["call_1", "call_2"],
    fault: sse(CREATED, ...said(0, "Grü"), {
      type: "error",
      code: "server_error",
      message: "something broke",
      param: null,
    }),
    code: "server_error",
    refusal: {
      error: {
        message: "The image data you provided does not represent a valid image.",
        type: "invalid_request_error",
        param: "input[0].content[2].image_url",
        code: "invalid_value",
      },
    },
    path: "/v1/responses",
    headers: { authorization: "Bearer secret-key" },
  },
)
