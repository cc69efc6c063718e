import { describe, expect, it } from "vitest"
import { anthropicMessages } from "../../packages/core/wires/anthropic-messages.ts"
import { bedrockConverse } from "../../packages/core/wires/bedrock-converse.ts"
import { geminiGenerateContent } from "../../packages/core/wires/gemini-generatecontent.ts"
import { openaiResponses } from "../../packages/core/wires/openai-responses.ts"
import type { Provider } from "../../packages/engine/providers/provider.ts"
import { withRetries } from "../../packages/engine/providers/retry.ts"
import { textBlock, user } from "../build.ts"
import { connect } from "./connect.ts"
import { callOf, pictureBlock } from "./contract.ts"
import { envelope } from "./corpus.ts"
import { listen, readRequest } from "./loopback.ts"

const KEYS = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "secret" }

interface Counting {
  make(base_url: string): Provider
  readonly path: string
  readonly answer: object
  readonly headers: object
  /** The request that is counted, of "hi" and a picture of three zeros. */
  readonly body: object
}

const words = "hi"
const tools = envelope("m").tools ?? []
const [first, second] = tools.map(({ description, parameters }) => ({
  description,
  parameters: { type: "object", ...parameters },
}))
const SECOND_NAME = "my_tool_aKDklb4fJ"

const APIS: Readonly<Record<string, Counting>> = {
  "anthropic-messages": {
    make: (base_url) =>
      connect(anthropicMessages, { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: base_url }),
    path: "/v1/messages/count_tokens",
    answer: { input_tokens: 42 },
    headers: { "x-api-key": "key", "anthropic-version": "2023-06-01" },
    body: {
      model: "some-model",
      tools: [
        { name: "read_image", description: first?.description, input_schema: first?.parameters },
        { name: SECOND_NAME, description: second?.description, input_schema: second?.parameters },
      ],
      system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: words },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          ],
        },
      ],
    },
  },
  "openai-responses": {
    make: (base_url) =>
      connect(openaiResponses, { OPENAI_API_KEY: "key", OPENAI_BASE_URL: base_url }),
    path: "/responses/input_tokens",
    answer: { object: "response.input_tokens", input_tokens: 42 },
    headers: { authorization: "Bearer key" },
    body: {
      model: "some-model",
      instructions: "Be kind.",
      tools: [
        { type: "function", name: "read_image", ...first, strict: false },
        { type: "function", name: SECOND_NAME, ...second, strict: false },
      ],
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: words },
            { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" },
          ],
        },
      ],
    },
  },
  "gemini-generatecontent": {
    make: (base_url) =>
      connect(geminiGenerateContent, { GEMINI_API_KEY: "key", GEMINI_BASE_URL: base_url }),
    path: "/models/some-model:countTokens",
    answer: { totalTokens: 42 },
    headers: { "x-goog-api-key": "key" },
    body: {
      generateContentRequest: {
        model: "models/some-model",
        systemInstruction: { parts: [{ text: "Be kind." }] },
        tools: [
          {
            functionDeclarations: [
              {
                name: "read_image",
                description: first?.description,
                parametersJsonSchema: first?.parameters,
              },
              {
                name: SECOND_NAME,
                description: second?.description,
                parametersJsonSchema: second?.parameters,
              },
            ],
          },
        ],
        contents: [
          {
            role: "user",
            parts: [{ text: words }, { inlineData: { mimeType: "image/png", data: "AAAA" } }],
          },
        ],
      },
    },
  },
  "bedrock-converse": {
    make: (base_url) =>
      connect(bedrockConverse, {
        AWS_REGION: "eu-central-1",
        ...KEYS,
        AWS_ENDPOINT_URL_BEDROCK_RUNTIME: base_url,
      }),
    path: "/model/some-model/count-tokens",
    answer: { inputTokens: 42 },
    headers: {
      authorization: expect.stringContaining("SignedHeaders=accept;content-type;host;x-amz-date"),
    },
    body: {
      input: {
        converse: {
          system: [{ text: "Be kind." }],
          toolConfig: {
            tools: [
              {
                toolSpec: {
                  name: "read_image",
                  description: first?.description,
                  inputSchema: { json: first?.parameters },
                },
              },
              {
                toolSpec: {
                  name: SECOND_NAME,
                  description: second?.description,
                  inputSchema: { json: second?.parameters },
                },
              },
            ],
          },
          messages: [
            {
              role: "user",
              content: [{ text: words }, { image: { format: "png", source: { bytes: "AAAA" } } }],
            },
          ],
        },
      },
    },
  },
}

describe.each(Object.entries(APIS))("counting tokens with %s", (_, counting) => {
  const count = (provider: Provider, system = "Be kind.") => {
    const call = callOf(provider, [user(textBlock(words), pictureBlock("a.png", 3))])
    return provider.countTokens?.({ ...call, envelope: { ...envelope("some-model"), system } })
  }

  it("asks the API for its count of the same request", async () => {
    let seen: Awaited<ReturnType<typeof readRequest>> | undefined
    const url = await listen(async (request, response) => {
      seen = await readRequest(request)
      response.end(JSON.stringify(counting.answer))
    })
    expect(await count(withRetries(counting.make(url)))).toBe(42)
    expect(seen?.url).toBe(counting.path)
    expect(seen?.headers).toMatchObject({ accept: "application/json", ...counting.headers })
    expect(JSON.parse(String(seen?.body))).toEqual(counting.body)
  })

  it("counts a request that says nothing but its messages", async () => {
    let body = ""
    const url = await listen(async (request, response) => {
      body = String((await readRequest(request)).body)
      response.end(JSON.stringify(counting.answer))
    })
    const provider = counting.make(url)
    const call = callOf(provider, [user(textBlock(words))])
    const bare = { model: "some-model", system: "", max_tokens: 1 }
    expect(await provider.countTokens?.({ ...call, envelope: bare })).toBe(42)
    expect(JSON.parse(body)).toBeTypeOf("object")
  })

  it("does not know it when the API does not say it", async () => {
    for (const [status, text] of [
      [404, "{}"],
      [200, "{}"],
      [200, "no JSON"],
      [200, '{"input_tokens":"x","totalTokens":-1,"inputTokens":1.5}'],
      [200, " ".repeat(100_000)],
    ] as const) {
      const url = await listen((request, response) => {
        request.resume()
        response.writeHead(status).end(text)
      })
      expect(await count(counting.make(url))).toBeUndefined()
    }
    expect(await count(counting.make("http://127.0.0.1:9"))).toBeUndefined()
  })
})
