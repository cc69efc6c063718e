import type { GenerateContentParameters } from "@google/genai"
import { describe, expect, it } from "vitest"
import type { ModelEvent, Thinking } from "../../packages/core/model/prompt.ts"
import { geminiGenerateContent } from "../../packages/core/wires/gemini-generatecontent.ts"
import { geminiStart, stepGemini } from "../../packages/core/wires/gemini-stream.ts"
import { assistant, textBlock, user } from "../build.ts"
import { connect } from "./connect.ts"
import { bodyOf, ENVELOPE, show } from "./contract.ts"
import { envelope, FILES, toolTurn } from "./corpus.ts"
import { exchangeContract, sse, stepIsTotal } from "./exchange.contract.ts"

const provider = connect(geminiGenerateContent, { GEMINI_API_KEY: "secret-key" })
const API = "gemini-generatecontent"

type Contents = Extract<GenerateContentParameters["contents"], readonly { role?: string }[]>

describe("gemini-generatecontent: body", () => {
  it("[CMP-030] carries images, PDFs, text files, audio and video natively", async () =>
    expect(await bodyOf(provider, { ...ENVELOPE, model: "gemini-3.8-flash" }, [FILES])).toEqual({
      systemInstruction: { parts: [{ text: "Be kind." }] },
      generationConfig: { maxOutputTokens: 100 },
      contents: [
        {
          role: "user",
          parts: [
            { text: 'say "hi"\n' },
            { inlineData: { mimeType: "image/png", data: "AAAA" } },
            { inlineData: { mimeType: "image/heic", data: "AAAA" } },
            { inlineData: { mimeType: "application/pdf", data: "AAAA" } },
            { inlineData: { mimeType: "text/csv", data: "AAAA" } },
            {
              text: "[document: l.docx, application/vnd.openxmlformats-officedocument.wordprocessingml.document, 3 bytes. Not shown: the gemini-generatecontent API has no place for it.]",
            },
            {
              text: "[document: z.zip, application/zip, 3 bytes. Not shown: the gemini-generatecontent API has no place for it.]",
            },
            { inlineData: { mimeType: "audio/wav", data: "AAAA" } },
            { inlineData: { mimeType: "video/mp4", data: "AAAA" } },
          ],
        },
      ] satisfies Contents,
    }))

  it("[VIS-002] carries signed thoughts and calls, and answers all of them in one content", async () => {
    const seal = { api: API, model: "gemini-3.8-flash", signature: "c2ln" }
    const about = envelope("gemini-3.8-flash", "high")
    expect(await bodyOf(provider, about, toolTurn(seal))).toEqual({
      systemInstruction: { parts: [{ text: "Be kind." }] },
      tools: [
        {
          functionDeclarations: [
            {
              name: "read_image",
              description: "Look at an image.",
              parametersJsonSchema: {
                type: "object",
                properties: { path: { type: "string" } },
                required: ["path"],
              },
            },
            {
              name: "my_tool_aKDklb4fJ",
              description: "Do it.",
              parametersJsonSchema: { type: "object" },
            },
          ],
        },
      ],
      generationConfig: {
        maxOutputTokens: 100,
        thinkingConfig: { includeThoughts: true, thinkingLevel: "HIGH" },
      },
      contents: [
        { role: "user", parts: [{ text: "look" }] },
        {
          role: "model",
          parts: [
            { text: "I should look.", thought: true, thoughtSignature: "c2ln" },
            { text: "Looking. \n", thoughtSignature: "c2ln" },
            { functionCall: { id: "IsHXae1DH", name: "read_image", args: { path: "a.png" } } },
            {
              functionCall: { id: "abcDEF123", name: "my_tool_aKDklb4fJ", args: {} },
              thoughtSignature: "c2ln",
            },
          ],
        },
        {
          role: "user",
          parts: [
            {
              functionResponse: {
                id: "IsHXae1DH",
                name: "read_image",
                response: { output: "2 x 2\n\n[a.png, image/png]\n\n[plan.pdf, application/pdf]" },
                parts: [
                  { inlineData: { mimeType: "image/png", data: "AAAA" } },
                  { inlineData: { mimeType: "application/pdf", data: "AAAA" } },
                ],
              },
            },
            {
              functionResponse: {
                id: "abcDEF123",
                name: "my_tool_aKDklb4fJ",
                response: {
                  error: "no such thing\n\n[s.wav, audio/wav: shown after this result]",
                },
              },
            },
            { text: "[s.wav, from my.tool]" },
            { inlineData: { mimeType: "audio/wav", data: "AAAA" } },
            { text: "and hurry" },
          ],
        },
        { role: "model", parts: [{ text: "Done." }] },
        { role: "user", parts: [{ text: "thanks" }] },
      ] satisfies Contents,
    })
  })

  it("[VIS-002] puts media behind the results for a model that takes none in them", async () => {
    const [, , results] = toolTurn(undefined)
    if (!results) throw new Error("there are no results")
    const said = JSON.parse(await show(provider.encode(results, "gemini-2.5-flash")))
    expect(said.parts).toEqual([
      {
        functionResponse: {
          id: "IsHXae1DH",
          name: "read_image",
          response: {
            output:
              "2 x 2\n\n[a.png, image/png: shown after this result]\n\n[plan.pdf, application/pdf: shown after this result]",
          },
        },
      },
      {
        functionResponse: {
          id: "abcDEF123",
          name: "my_tool_aKDklb4fJ",
          response: { error: "no such thing\n\n[s.wav, audio/wav: shown after this result]" },
        },
      },
      { text: "[a.png, from read_image]" },
      { inlineData: { mimeType: "image/png", data: "AAAA" } },
      { text: "[plan.pdf, from read_image]" },
      { inlineData: { mimeType: "application/pdf", data: "AAAA" } },
      { text: "[s.wav, from my.tool]" },
      { inlineData: { mimeType: "audio/wav", data: "AAAA" } },
      { text: "and hurry" },
    ])
  })

  it("signs the first call that the model did not make, where calls must be signed", async () => {
    const [, calls] = toolTurn(undefined)
    if (!calls) throw new Error("there are no calls")
    const signatures = async (model: string) =>
      JSON.parse(await show(provider.encode(calls, model))).parts.map(
        (part: { thoughtSignature?: string }) => part.thoughtSignature,
      )
    expect(await signatures("gemini-3.8-flash")).toEqual([
      undefined,
      "skip_thought_signature_validator",
      undefined,
    ])
    expect(await signatures("gemini-2.5-flash")).toEqual([undefined, undefined, undefined])
  })

  it("joins what one side said in a row, so that all calls are answered together", async () => {
    const result = (id: string) =>
      ({
        role: "user",
        blocks: [{ type: "tool-result", id, name: "a", is_error: false, blocks: [] }],
      }) as const
    expect(
      await bodyOf(provider, { ...ENVELOPE, system: "" }, [
        assistant(textBlock("a")),
        result("aaaaaaaaa"),
        result("bbbbbbbbb"),
        user(),
      ]),
    ).toEqual({
      generationConfig: { maxOutputTokens: 100 },
      contents: [
        { role: "model", parts: [{ text: "a" }] },
        {
          role: "user",
          parts: [
            {
              functionResponse: {
                id: "aaaaaaaaa",
                name: "a",
                response: { output: "(no output)" },
              },
            },
            {
              functionResponse: {
                id: "bbbbbbbbb",
                name: "a",
                response: { output: "(no output)" },
              },
            },
            { text: "(empty message)" },
          ],
        },
      ] satisfies Contents,
    })
  })

  it.each<[Thinking, object]>([
    [{ type: "off" }, { thinkingBudget: 0 }],
    [
      { type: "budget", tokens: 9 },
      { includeThoughts: true, thinkingBudget: 9 },
    ],
    [
      { type: "effort", effort: "max" },
      { includeThoughts: true, thinkingLevel: "HIGH" },
    ],
  ])("says %j as the API takes it", async (thinking, thinkingConfig) =>
    expect(await bodyOf(provider, { ...ENVELOPE, thinking }, [user(textBlock("a"))])).toMatchObject(
      { generationConfig: { thinkingConfig } },
    ),
  )
})

describe("gemini-generatecontent: stream", () => {
  function plays(...chunks: readonly object[]): ModelEvent[] {
    let state = geminiStart("gemini-x", "seed")
    return chunks.flatMap((chunk) => {
      const result = stepGemini(state, { event: "message", data: JSON.stringify(chunk) })
      state = result.state
      return result.events
    })
  }

  const part = (value: object) => ({ candidates: [{ content: { parts: [value] } }] })

  it("keeps a signature that comes behind the words it seals", () =>
    expect(plays(part({ text: "yes" }), part({ text: "", thoughtSignature: "c2ln" }))).toEqual([
      { type: "text-delta", text: "yes" },
      { type: "text-end", seal: { api: API, model: "gemini-x", signature: "c2ln" } },
    ]))

  it("seals a call with its signature, and gives it an id where there is none", () => {
    const call = { functionCall: { name: "a", args: { x: 1 } }, thoughtSignature: "c2ln" }
    const events = plays(part(call), part(call))
    const ids = events.flatMap((event) => (event.type === "tool-call-end" ? event.id : []))
    expect(new Set(ids).size).toBe(2)
    expect(events.at(2)).toMatchObject({ seal: { api: API, signature: "c2ln" } })
  })

  it("makes an error of a call that the model could not write", () =>
    expect(plays({ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] })).toMatchObject([
      { type: "error", code: "MALFORMED_FUNCTION_CALL", retryable: true },
    ]))

  stepIsTotal(
    geminiStart("m", "seed"),
    (state, data) => stepGemini(state, { event: "message", data }),
    [
      "candidates",
      "content",
      "parts",
      "text",
      "thought",
      "thoughtSignature",
      "functionCall",
      "args",
      "name",
      "finishReason",
      "usageMetadata",
      "promptFeedback",
      "error",
    ],
  )
})

function chunk(parts: readonly object[], more: object = {}): object {
  return { candidates: [{ content: { role: "model", parts }, index: 0, ...more }] }
}

const STOP = {
  ...chunk([{ text: "" }], { finishReason: "STOP" }),
  usageMetadata: {
    promptTokenCount: 17,
    cachedContentTokenCount: 7,
    candidatesTokenCount: 18,
    thoughtsTokenCount: 12,
    totalTokenCount: 47,
  },
}

exchangeContract(
  "gemini-generatecontent",
  (url) =>
    connect(geminiGenerateContent, {
      GEMINI_API_KEY: "secret-key",
      GEMINI_BASE_URL: new URL("v1beta", url).href,
    }),
  {
    type: "text/event-stream",
    words: sse(chunk([{ text: "Grü" }]), chunk([{ text: "ße 😀" }]), STOP),
    usage: { input: 10, output: 18, reasoning: 12, cache_read: 7, cache_write: 0 },
    thoughts: sse(
      chunk([{ text: "hm, ", thought: true }]),
      chunk([{ text: "hm", thought: true, thoughtSignature: "c2ln" }]),
      chunk([{ text: "yes" }]),
      STOP,
    ),
    seal: { api: API, model: "some-model", signature: "c2ln" },
    calls: sse(
      chunk([
        {
          functionCall: { id: "call_1", name: "read_image", args: { path: "a.png" } },
          thoughtSignature: "c2ln",
        },
        { functionCall: { id: "call_2", name: "my_tool_aKDklb4fJ", args: { n: 1 } } },
      ]),
      STOP,
    ),
    ids: ["call_1", "call_2"],
    fault: sse(chunk([{ text: "Grü" }]), {
      error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" },
    }),
    code: "UNAVAILABLE",
    refusal: {
      error: {
        code: 400,
        message: "Unable to process input image.",
        status: "INVALID_ARGUMENT",
        details: [{ fieldViolations: [{ field: "contents[0].parts[2].inline_data" }] }],
      },
    },
    path: "/v1beta/models/some-model:streamGenerateContent?alt=sse",
    headers: { "x-goog-api-key": "secret-key" },
  },
)
