import { generateText, type ModelMessage } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { describe, expect, it } from "vitest"
import { toModelMessages } from "../../packages/core/interop/to-model-messages.ts"
import type { PromptMessage } from "../../packages/core/model/prompt.ts"
import { media } from "../build.ts"

const IMAGE = { type: "image", media: media("a.png", "image/png", 2), width: 1, height: 1 } as const
const PDF = { type: "document", media: media("a.pdf", "application/pdf", 2) } as const

const PROMPT: readonly PromptMessage[] = [
  { role: "user", blocks: [{ type: "text", text: "look" }, IMAGE, PDF] },
  {
    role: "assistant",
    blocks: [
      {
        type: "reasoning",
        text: "hm",
        seal: { api: "anthropic-messages", model: "m", signature: "sig" },
      },
      { type: "text", text: "reading" },
      { type: "tool-call", id: "c1", name: "read", input: { path: "a.ts" } },
      { type: "tool-call", id: "c2", name: "read_image", input: { path: "a.png" } },
    ],
  },
  {
    role: "user",
    blocks: [
      {
        type: "tool-result",
        id: "c1",
        name: "read",
        blocks: [{ type: "text", text: "gone" }],
        is_error: true,
      },
      { type: "tool-result", id: "c2", name: "read_image", blocks: [IMAGE], is_error: false },
      { type: "text", text: "go on" },
    ],
  },
]

const shownImage = {
  type: "file",
  mediaType: "image/png",
  filename: "a.png",
  data: { type: "data", data: "aGk=" },
} as const

describe("toModelMessages", () => {
  const whole = toModelMessages(PROMPT, { system: "be brief", bytesOf: () => "aGk=" })

  it("[BEY-10] writes a lowered prompt as messages of the SDK, in its order, without a loss", () => {
    // Compiles only while it is the SDK's own type.
    const messages: ModelMessage[] = whole.value
    expect(whole.losses).toEqual([])
    expect(messages).toEqual([
      { role: "system", content: "be brief" },
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          shownImage,
          { ...shownImage, mediaType: "application/pdf", filename: "a.pdf" },
        ],
      },
      {
        role: "assistant",
        content: [
          {
            type: "reasoning",
            text: "hm",
            providerOptions: { anthropic: { signature: "sig" } },
          },
          { type: "text", text: "reading" },
          { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a.ts" } },
          { type: "tool-call", toolCallId: "c2", toolName: "read_image", input: { path: "a.png" } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "read",
            output: { type: "error-text", value: "gone" },
          },
          {
            type: "tool-result",
            toolCallId: "c2",
            toolName: "read_image",
            output: { type: "content", value: [shownImage] },
          },
        ],
      },
      { role: "user", content: [{ type: "text", text: "go on" }] },
    ])
  })

  it("[BEY-10] is taken by the SDK's own functions", async () => {
    const model = new MockLanguageModelV4({
      doGenerate: async () => ({
        content: [{ type: "text", text: "ok" }],
        finishReason: { unified: "stop", raw: "stop" },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      }),
    })
    const [, ...messages] = whole.value
    const { text } = await generateText({ model, system: "be brief", messages })
    expect(text).toBe("ok")
    expect(model.doGenerateCalls[0]?.prompt.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "user",
    ])
  })

  it("names a medium whose bytes are not given, and says so", () =>
    expect(toModelMessages(PROMPT.slice(0, 1))).toEqual({
      value: [
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "text", text: "[a.png: image/png, 2 bytes]" },
            { type: "text", text: "[a.pdf: application/pdf, 2 bytes]" },
          ],
        },
      ],
      losses: [
        {
          path: "/0/blocks/1",
          message: "the bytes of a.png were not given, so it is only named",
        },
        {
          path: "/0/blocks/2",
          message: "the bytes of a.pdf were not given, so it is only named",
        },
      ],
    }))

  it("says where a seal has no place in the SDK", () => {
    const seal = { api: "scripted", model: "m", signature: "x" }
    const { value, losses } = toModelMessages([
      { role: "assistant", blocks: [{ type: "text", text: "a", seal }] },
    ])
    expect(value).toEqual([{ role: "assistant", content: [{ type: "text", text: "a" }] }])
    expect(losses.map(({ path }) => path)).toEqual(["/0/blocks/0/seal/signature"])
  })
})
