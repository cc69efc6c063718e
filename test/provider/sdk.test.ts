import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { BedrockRuntimeClient, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime"
import { GoogleGenAI } from "@google/genai"
import { Mistral } from "@mistralai/mistralai"
import { HTTPClient } from "@mistralai/mistralai/lib/http.js"
import { describe, expect, it } from "vitest"
import type { PromptMessage } from "../../packages/core/model/prompt.ts"
import { bedrockConverse } from "../../packages/core/wires/bedrock-converse.ts"
import { geminiGenerateContent } from "../../packages/core/wires/gemini-generatecontent.ts"
import { mistralChat } from "../../packages/core/wires/mistral-chat.ts"
import type { Provider } from "../../packages/engine/providers/provider.ts"
import { signRequest } from "../../packages/engine/providers/sigv4.ts"
import { assemble } from "../../packages/core/wires/body.ts"
import { connect } from "./connect.ts"
import { bodyOf, ENVELOPE, openZeros } from "./contract.ts"
import { envelope, FILES, toolTurn } from "./corpus.ts"
import { eventMessage } from "./event-stream.ts"
import { listen, readRequest } from "./loopback.ts"

// The official SDKs check what they are given when they run: what we would send goes through them
// and must come out the same.

type Json = { [name: string]: unknown }

const SEALS: Readonly<Record<string, object>> = {
  "mistral-chat": {},
  "gemini-generatecontent": { signature: "c2ln" },
  "bedrock-converse": { signature: "sig" },
}

/** Each body that the API's own test writes out, and what the SDK sends when it is given the same. */
function agrees(provider: Provider, model: string, send: (body: Json) => Promise<unknown>) {
  const seal = { api: provider.api, model, ...SEALS[provider.api] }
  it.each<[string, readonly PromptMessage[], boolean]>([
    ["files of every kind", [FILES], false],
    ["a turn with thoughts, calls and results", toolTurn(seal), true],
  ])(`[CMP-030] ${provider.api} agrees on %s`, async (_, messages, tools) => {
    const about = tools ? envelope(model, "high") : { ...ENVELOPE, model }
    const body = (await bodyOf(provider, about, messages)) as Json
    expect(await send(body)).toEqual(body)
  })
}

describe("the SDK of Mistral", () => {
  agrees(connect(mistralChat, { MISTRAL_API_KEY: "key" }), "mistral-x", async (body) => {
    let sent: unknown
    const httpClient = new HTTPClient({
      fetcher: async (input) => {
        sent = await (input as Request).json()
        return new Response("data: [DONE]\n\n", {
          headers: { "content-type": "text/event-stream" },
        })
      },
    })
    const mistral = new Mistral({ apiKey: "key", httpClient })
    await mistral.chat.stream(camelCased(body) as Parameters<typeof mistral.chat.stream>[0])
    return withoutDefaults(sent)
  })
})

/** The SDK writes out what the API assumes anyway. */
function withoutDefaults(value: unknown): unknown {
  const text = JSON.stringify(value, (name, inner) =>
    (name === "prefix" && inner === false) || (name === "index" && inner === 0) ? undefined : inner,
  )
  return JSON.parse(text)
}

/** The SDK's names for what stands in a body; schemas of tools are the user's and stay. */
function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => {
    const camel = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    return [camel, name === "parameters" ? inner : camelCased(inner)]
  })
  return Object.fromEntries(entries)
}

describe("the SDK of Google", () => {
  agrees(
    connect(geminiGenerateContent, { GEMINI_API_KEY: "key" }),
    "gemini-3.8-flash",
    async (body) => {
      const { base_url, sent } = await capture("text/event-stream")
      const { contents, systemInstruction, tools, generationConfig } = body
      const google = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: base_url } })
      const config = { systemInstruction, tools, ...(generationConfig as object) }
      const asked = { model: "gemini-3.8-flash", contents, config }
      await google.models.generateContentStream(
        asked as Parameters<typeof google.models.generateContentStream>[0],
      )
      return JSON.parse(sent().body.toString())
    },
  )
})

describe("the SDK of Amazon", () => {
  const model = "global.anthropic.claude-haiku-4-5-20251001-v1:0"
  const key = { access_key_id: "AKID", secret_access_key: "secret", session_token: "token" }
  const provider = connect(bedrockConverse, {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: key.access_key_id,
    AWS_SECRET_ACCESS_KEY: key.secret_access_key,
    AWS_SESSION_TOKEN: key.session_token,
  })

  /** What the SDK sends, and what it reads of an answer. */
  async function converse(body: Json, answer: Uint8Array = new Uint8Array()) {
    let sent: Sent | undefined
    const requestHandler = {
      handle: async (request: Sent) => {
        sent = request
        const headers = { "content-type": "application/vnd.amazon.eventstream" }
        return { response: { statusCode: 200, headers, body: Readable.from([answer]) } }
      },
    }
    const { access_key_id: accessKeyId, secret_access_key, session_token: sessionToken } = key
    const credentials = { accessKeyId, secretAccessKey: secret_access_key, sessionToken }
    const client = new BedrockRuntimeClient({
      region: "eu-central-1",
      credentials,
      requestHandler: requestHandler as never,
    })
    const command = new ConverseStreamCommand({ modelId: model, ...(withBytes(body) as object) })
    const { stream = [] } = await client.send(command)
    const told: object[] = []
    for await (const event of stream) told.push(event)
    if (!sent) throw new Error("nothing was sent")
    return { sent, told }
  }

  agrees(provider, model, async (body) => {
    const { sent } = await converse(body)
    return JSON.parse(Buffer.from(sent.body).toString())
  })

  it("signs as we do, for a path with characters that are encoded twice", async () => {
    const body = (await bodyOf(provider, { ...ENVELOPE, model }, [FILES])) as Json
    const { sent } = await converse(body)
    const { path, headers, hostname } = sent
    const theirs = headers.authorization
    const names = theirs?.match(/SignedHeaders=([^,]+)/)?.[1]?.split(";") ?? []
    const added = ["host", "x-amz-date", "x-amz-security-token"]
    const kept = names.filter((name) => !added.includes(name))
    const post = {
      url: `https://${hostname}${path}`,
      headers: Object.fromEntries(kept.map((name) => [name, String(headers[name])])),
      body: assemble(Buffer.from(sent.body).toString()),
      open: openZeros,
      signal: new AbortController().signal,
    }
    const time = String(headers["x-amz-date"]).replace(
      /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/,
      "$1-$2-$3T$4:$5:$6Z",
    )
    const signing = { ...key, region: "eu-central-1", service: "bedrock" }
    expect(path).toContain("%3A0/converse-stream")
    expect(await signRequest(post, signing, new Date(time))).toMatchObject({
      authorization: theirs,
    })
  })

  it("reads the messages that our loopback servers write", async () => {
    const answer = eventMessage(
      {
        ":event-type": "contentBlockDelta",
        ":content-type": "application/json",
        ":message-type": "event",
      },
      { contentBlockIndex: 0, delta: { text: "Grüße" } },
    )
    const body = (await bodyOf(provider, { ...ENVELOPE, model }, [FILES])) as Json
    expect((await converse(body, answer)).told).toEqual([
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "Grüße" } } },
    ])
  })
})

interface Sent {
  readonly hostname: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string | Uint8Array
}

/** The SDK takes bytes where the wire has base64. */
function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    name === "bytes" ? Buffer.from(String(inner), "base64") : withBytes(inner),
  ])
  return Object.fromEntries(entries)
}

/** A server that keeps what it was sent. */
async function capture(type: string) {
  let seen: Awaited<ReturnType<typeof readRequest>> | undefined
  const base_url = await listen(async (request: IncomingMessage, response) => {
    seen = await readRequest(request)
    response.writeHead(200, { "content-type": type }).end()
  })
  const sent = () => {
    if (!seen) throw new Error("nothing was sent")
    return seen
  }
  return { base_url, sent }
}
