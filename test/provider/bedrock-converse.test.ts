import { describe, expect, it } from "vitest"
import type { Thinking } from "../../packages/core/model/prompt.ts"
import { bedrockConverse } from "../../packages/core/wires/bedrock-converse.ts"
import { bedrockStart, stepBedrock } from "../../packages/core/wires/bedrock-stream.ts"
import { assistant, textBlock, user } from "../build.ts"
import { connect } from "./connect.ts"
import { bodyOf, ENVELOPE, show } from "./contract.ts"
import { envelope, FILES, picture, plan, toolTurn } from "./corpus.ts"
import { eventMessage } from "./event-stream.ts"
import { exchangeContract, stepIsTotal } from "./exchange.contract.ts"

const provider = connect(bedrockConverse, {
  AWS_REGION: "eu-central-1",
  AWS_BEARER_TOKEN_BEDROCK: "secret-key",
})
const API = "bedrock-converse"
const CLAUDE = "global.anthropic.claude-opus-4-8"

describe("bedrock-converse: body", () => {
  it("[CMP-030] carries images, documents, audio and video natively, under names of its own", async () =>
    expect(await bodyOf(provider, { ...ENVELOPE, model: CLAUDE }, [FILES])).toEqual({
      system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
      inferenceConfig: { maxTokens: 100 },
      messages: [
        {
          role: "user",
          content: [
            { text: 'say "hi"\n' },
            { image: { format: "png", source: { bytes: "AAAA" } } },
            {
              text: "[image: b.heic, image/heic, 3 bytes. Not shown: the bedrock-converse API has no place for it.]",
            },
            {
              document: {
                format: "pdf",
                name: "document-1",
                source: { bytes: "AAAA" },
                citations: { enabled: true },
              },
            },
            { document: { format: "csv", name: "document-2", source: { bytes: "AAAA" } } },
            { document: { format: "docx", name: "document-3", source: { bytes: "AAAA" } } },
            {
              text: "[document: z.zip, application/zip, 3 bytes. Not shown: the bedrock-converse API has no place for it.]",
            },
            { audio: { format: "wav", source: { bytes: "AAAA" } } },
            { video: { format: "mp4", source: { bytes: "AAAA" } } },
            { cachePoint: { type: "default" } },
          ],
        },
      ],
    }))

  it("[VIS-002] carries thoughts, calls and results with media; audio follows its result", async () => {
    const seal = { api: API, model: CLAUDE, signature: "sig" }
    expect(await bodyOf(provider, envelope(CLAUDE, "high"), toolTurn(seal))).toEqual({
      system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }],
      inferenceConfig: { maxTokens: 100 },
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: "read_image",
              description: "Look at an image.",
              inputSchema: {
                json: {
                  type: "object",
                  properties: { path: { type: "string" } },
                  required: ["path"],
                },
              },
            },
          },
          {
            toolSpec: {
              name: "my_tool_aKDklb4fJ",
              description: "Do it.",
              inputSchema: { json: { type: "object" } },
            },
          },
          { cachePoint: { type: "default" } },
        ],
      },
      additionalModelRequestFields: { thinking: { type: "adaptive" } },
      outputConfig: { effort: "high" },
      messages: [
        { role: "user", content: [{ text: "look" }] },
        {
          role: "assistant",
          content: [
            {
              reasoningContent: { reasoningText: { text: "I should look.", signature: "sig" } },
            },
            { text: "Looking. \n" },
            {
              toolUse: { toolUseId: "IsHXae1DH", name: "read_image", input: { path: "a.png" } },
            },
            { toolUse: { toolUseId: "abcDEF123", name: "my_tool_aKDklb4fJ", input: {} } },
          ],
        },
        {
          role: "user",
          content: [
            {
              toolResult: {
                toolUseId: "IsHXae1DH",
                content: [
                  { text: "2 x 2" },
                  { image: { format: "png", source: { bytes: "AAAA" } } },
                  {
                    document: { format: "pdf", name: "document-1", source: { bytes: "AAAA" } },
                  },
                ],
              },
            },
            {
              toolResult: {
                toolUseId: "abcDEF123",
                content: [{ text: "no such thing\n\n[s.wav, audio/wav: shown after this result]" }],
                status: "error",
              },
            },
            { text: "[s.wav, from my.tool]" },
            { audio: { format: "wav", source: { bytes: "AAAA" } } },
            { text: "and hurry" },
            { cachePoint: { type: "default" } },
          ],
        },
        { role: "assistant", content: [{ text: "Done." }] },
        { role: "user", content: [{ text: "thanks" }, { cachePoint: { type: "default" } }] },
      ],
    })
  })

  it("numbers documents through the whole request, also the same one twice", async () => {
    const messages = [user(plan), assistant(textBlock("a")), user(plan, picture, plan)]
    const body = JSON.stringify(await bodyOf(provider, ENVELOPE, messages))
    expect(body.match(/document-\d/g)).toEqual(["document-1", "document-2", "document-3"])
    const many = Array.from({ length: 12 }, () => user(plan, textBlock("b")))
    const long = provider.body(
      ENVELOPE,
      many.map((message) => provider.encode(message)),
    )
    expect(Buffer.byteLength(await show(long))).toBe(long.size)
    expect(await show(long)).toContain('"document-12"')
  })

  it("gives a message of documents words, and lets the two sides take turns from the user on", async () =>
    expect(
      await bodyOf(provider, { ...ENVELOPE, system: "" }, [
        assistant(textBlock("I went on")),
        user(plan),
        user(plan, picture),
        assistant(),
      ]),
    ).toEqual({
      inferenceConfig: { maxTokens: 100 },
      messages: [
        { role: "user", content: [{ text: "(empty message)" }] },
        { role: "assistant", content: [{ text: "I went on" }] },
        {
          role: "user",
          content: [
            { document: { format: "pdf", name: "document-1", source: { bytes: "AAAA" } } },
            { text: "(The documents are above.)" },
            { document: { format: "pdf", name: "document-2", source: { bytes: "AAAA" } } },
            { image: { format: "png", source: { bytes: "AAAA" } } },
            { text: "(The documents are above.)" },
          ],
        },
        { role: "assistant", content: [{ text: "(empty message)" }] },
      ],
    }))

  it("defines the tools of its history where it offers none", async () => {
    const body = await bodyOf(provider, ENVELOPE, toolTurn(undefined))
    expect(body).toMatchObject({
      toolConfig: {
        tools: [
          { toolSpec: { name: "read_image", inputSchema: { json: { type: "object" } } } },
          { toolSpec: { name: "my_tool_aKDklb4fJ", inputSchema: { json: { type: "object" } } } },
        ],
      },
    })
  })

  it.each<[string, Thinking, object]>([
    [CLAUDE, { type: "off" }, { thinking: { type: "disabled" } }],
    [
      CLAUDE,
      { type: "budget", tokens: 2000 },
      { thinking: { type: "enabled", budget_tokens: 2000 } },
    ],
    [
      "global.amazon.nova-2-lite-v1:0",
      { type: "effort", effort: "max" },
      { reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } },
    ],
    ["global.amazon.nova-2-lite-v1:0", { type: "off" }, { reasoningConfig: { type: "disabled" } }],
  ])("tells %s to think (%j) in its own fields", async (model, thinking, fields) =>
    expect(
      await bodyOf(provider, { ...ENVELOPE, model, thinking, max_tokens: 5000 }, [
        user(textBlock("a")),
      ]),
    ).toMatchObject({ additionalModelRequestFields: fields }),
  )

  it("says nothing of caches and thoughts to a model that knows none", async () =>
    expect(
      await bodyOf(
        provider,
        { ...ENVELOPE, model: "deepseek.v3.2", thinking: { type: "effort", effort: "low" } },
        [user(textBlock("a"))],
      ),
    ).toEqual({
      system: [{ text: "Be kind." }],
      inferenceConfig: { maxTokens: 100 },
      messages: [{ role: "user", content: [{ text: "a" }] }],
    }))
})

describe("bedrock-converse: stream", () => {
  it.each([
    ["end_turn", "stop"],
    ["tool_use", "tool-call"],
    ["max_tokens", "length"],
    ["guardrail_intervened", "content-filter"],
    ["content_filtered", "content-filter"],
  ])("ends for %s with %s", (stopReason, reason) => {
    const headers = { ":message-type": "event", ":event-type": "messageStop" }
    const payload = JSON.stringify({ stopReason })
    expect(stepBedrock(bedrockStart("m"), { headers, payload }).state.reason).toBe(reason)
  })

  it("seals a thought that is hidden by what it is hidden in", () => {
    const headers = { ":message-type": "event", ":event-type": "contentBlockDelta" }
    const delta = { reasoningContent: { redactedContent: "AAAA" } }
    const { state } = stepBedrock(bedrockStart("m"), {
      headers,
      payload: JSON.stringify({ delta }),
    })
    const stop = { ":message-type": "event", ":event-type": "contentBlockStop" }
    expect(stepBedrock(state, { headers: stop, payload: "{}" }).events).toEqual([
      { type: "reasoning-end", seal: { api: API, model: "m", encrypted: "AAAA" } },
    ])
  })

  for (const type of ["contentBlockStart", "contentBlockDelta", "messageStop", "metadata"])
    stepIsTotal(
      bedrockStart("m"),
      (state, payload) =>
        stepBedrock(state, { headers: { ":message-type": "event", ":event-type": type }, payload }),
      ["start", "toolUse", "delta", "text", "reasoningContent", "input", "stopReason", "usage"],
    )
})

function event(type: string, payload: object): Buffer {
  return eventMessage(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    payload,
  )
}

function deltas(index: number, list: readonly object[]): Buffer[] {
  return list.map((delta) => event("contentBlockDelta", { contentBlockIndex: index, delta }))
}

function closed(index: number): Buffer {
  return event("contentBlockStop", { contentBlockIndex: index })
}

function said(index: number, ...words: readonly string[]): Buffer[] {
  const told = words.map((text) => ({ text }))
  return [...deltas(index, told), closed(index)]
}

function called(
  index: number,
  toolUseId: string,
  name: string,
  ...json: readonly string[]
): Buffer[] {
  const start = { toolUse: { toolUseId, name } }
  const told = json.map((input) => ({ toolUse: { input } }))
  return [
    event("contentBlockStart", { contentBlockIndex: index, start }),
    ...deltas(index, told),
    closed(index),
  ]
}

const STARTED = event("messageStart", { role: "assistant" })

function ended(stopReason: string): Buffer[] {
  const usage = {
    inputTokens: 10,
    outputTokens: 30,
    totalTokens: 50,
    cacheReadInputTokens: 7,
    cacheWriteInputTokens: 3,
  }
  return [event("messageStop", { stopReason }), event("metadata", { usage, metrics: {} })]
}

exchangeContract(
  "bedrock-converse",
  (base_url) =>
    connect(bedrockConverse, {
      AWS_REGION: "eu-central-1",
      AWS_BEARER_TOKEN_BEDROCK: "secret-key",
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: base_url,
    }),
  {
    type: "application/vnd.amazon.eventstream",
    words: [STARTED, ...said(0, "Grü", "ße 😀"), ...ended("end_turn")],
    usage: { input: 10, output: 30, reasoning: 0, cache_read: 7, cache_write: 3 },
    thoughts: [
      STARTED,
      ...deltas(0, [
        { reasoningContent: { text: "hm, " } },
        { reasoningContent: { text: "hm" } },
        { reasoningContent: { signature: "sig" } },
      ]),
      closed(0),
      ...said(1, "yes"),
      ...ended("end_turn"),
    ],
    seal: { api: API, model: "some-model", signature: "sig" },
    calls: [
      STARTED,
      ...called(0, "tooluse_1", "read_image", '{"path":', '"a.png"}'),
      ...called(1, "tooluse_2", "my_tool_aKDklb4fJ", '{"n":1}'),
      ...ended("tool_use"),
    ],
    ids: ["tooluse_1", "tooluse_2"],
    fault: [
      STARTED,
      ...said(0, "Grü"),
      eventMessage(
        { ":exception-type": "throttlingException", ":message-type": "exception" },
        { message: "Too many requests" },
      ),
    ],
    code: "throttlingException",
    refusal: {
      __type: "ValidationException",
      message:
        "The model returned the following errors: messages.0.content.2.image.source.bytes: Could not process image",
    },
    path: "/model/some-model/converse-stream",
    headers: { authorization: "Bearer secret-key", accept: "application/vnd.amazon.eventstream" },
  },
)
