import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { generateText, type ModelMessage, type ToolSet, tool } from "ai"
import { z } from "zod"
import { aboutResult, type Said, TOOL } from "./lower-histories.ts"

/** Somebody else who makes a request of a history: from their own messages to the bytes of the text
 *  that they give to `fetch`. Images are in memory, ready as base64. */
export interface Peer {
  readonly name: string
  /** Everything that is done before anything is measured. */
  readonly prepare: (history: readonly Said[], images: readonly string[]) => Runs
}

/** Each gives the length of what was sent. */
interface Runs {
  /** From their messages as objects. */
  readonly opened: () => Promise<number>
  /** From their messages as they would be read again after a restart, JSON one by one; images are not
   *  kept like that. */
  readonly stored?: () => Promise<number>
}

function runsOf<Message extends object>(
  messages: readonly Message[],
  send: (messages: Message[]) => Promise<unknown>,
): Runs {
  const opened = () => sentBy(() => send([...messages]))
  if (messages.some(hasImage)) return { opened }
  const rows = messages.map((message) => JSON.stringify(message))
  return { opened, stored: () => sentBy(() => send(rows.map((row) => JSON.parse(row)))) }
}

function hasImage(message: { readonly content?: unknown }): boolean {
  const { content } = message
  return Array.isArray(content) && content.some(({ type }) => type === "image" || type === "file")
}

// No dependency of ours: they live in a cache of their own.
const PACKAGES = ["@ai-sdk/anthropic@4.0.102", "@mariozechner/pi-ai@0.73.1"]
const FLAGS = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]

export async function openPeers(): Promise<Peer[]> {
  const caches = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache")
  const cache = join(caches, "compositor-bench", "lower")
  const entries = ["@ai-sdk/anthropic/dist/index.js", "@mariozechner/pi-ai/dist/index.js"]
  const [anthropic = "", pi = ""] = entries.map((file) => join(cache, "node_modules", file))
  if (!existsSync(anthropic) || !existsSync(pi)) {
    mkdirSync(cache, { recursive: true })
    execFileSync("npm", ["install", "--prefix", cache, ...FLAGS, ...PACKAGES], { stdio: "ignore" })
  }
  return [
    aiSdk((await import(pathToFileURL(anthropic).href)) as AnthropicModule),
    piAi((await import(pathToFileURL(pi).href)) as PiModule),
  ]
}

/** How many bytes `fetch` would send while `work` runs. They are made of the text as it makes them, for
 *  ours are bytes too; the answer is a refusal, so that nothing follows. */
async function sentBy(work: () => Promise<unknown>): Promise<number> {
  const real = globalThis.fetch
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  globalThis.fetch = async (_, init) => {
    if (typeof init?.body === "string") resolve(new TextEncoder().encode(init.body).length)
    else reject(new Error("what was sent is no text"))
    return new Response(REFUSAL, { status: 400, headers: { "content-type": "application/json" } })
  }
  try {
    void work().then(() => reject(new Error("nothing was sent")), reject)
    return await promise
  } finally {
    globalThis.fetch = real
  }
}

const REFUSAL = JSON.stringify({
  type: "error",
  error: { type: "invalid_request_error", message: "captured" },
})

interface AnthropicModule {
  readonly createAnthropic: (
    options: object,
  ) => (model: string) => Parameters<typeof generateText>[0]["model"]
}

function aiSdk({ createAnthropic }: AnthropicModule): Peer {
  const fetch: typeof globalThis.fetch = (...asked) => globalThis.fetch(...asked)
  const model = createAnthropic({ apiKey: "key", fetch })("claude-sonnet-4-5")
  const tools = { [TOOL]: tool({ description: "Read a file.", inputSchema: z.looseObject({}) }) }
  return {
    name: "ai",
    prepare(history, images) {
      const messages = history.flatMap((said) => modelMessages(said, images))
      return runsOf(messages, (messages) =>
        generateText({
          model,
          system: "Be kind.",
          maxOutputTokens: 1000,
          messages,
          tools: tools as unknown as ToolSet,
          maxRetries: 0,
        }),
      )
    },
  }
}

function modelMessages(said: Said, images: readonly string[]): ModelMessage[] {
  switch (said.type) {
    case "user":
      return [{ role: "user", content: [{ type: "text", text: said.text }] }]
    case "answer":
      return [{ role: "assistant", content: [{ type: "text", text: said.text }] }]
    case "call": {
      const about = { toolCallId: said.id, toolName: TOOL }
      const value = shown(said).map((text) => ({ type: "text", text }) as const)
      const output = { type: "content", value } as const
      return [
        { role: "assistant", content: [{ type: "tool-call", ...about, input: said.input }] },
        { role: "tool", content: [{ type: "tool-result", ...about, output }] },
      ]
    }
    case "image": {
      const data = images[said.at] ?? ""
      const text = { type: "text", text: said.text } as const
      return [{ role: "user", content: [text, { type: "file", data, mediaType: "image/png" }] }]
    }
  }
}

/** The texts that a model is shown of a result. */
function shown({ input, result }: Extract<Said, { type: "call" }>): string[] {
  return [JSON.stringify(aboutResult(input, result)), result]
}

interface PiModule {
  readonly complete: (model: object, context: object, options: object) => Promise<unknown>
}

const PI_MODEL = {
  id: "claude-sonnet-4-5",
  name: "claude",
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl: "http://127.0.0.1:9",
  reasoning: false,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 1000,
}

function piAi({ complete }: PiModule): Peer {
  const parameters = { type: "object", properties: { path: { type: "string" } } }
  const tools = [{ name: TOOL, description: "Read a file.", parameters }]
  return {
    name: "pi-ai",
    prepare(history, images) {
      const messages = history.flatMap((said) => piMessages(said, images))
      return runsOf(messages, (messages) => {
        const context = { systemPrompt: "Be kind.", messages, tools }
        return complete(PI_MODEL, context, { apiKey: "key", maxTokens: 1000 })
      })
    },
  }
}

const PI_ANSWER = {
  role: "assistant",
  api: PI_MODEL.api,
  provider: PI_MODEL.provider,
  model: PI_MODEL.id,
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
  timestamp: 1,
}

function piMessages(said: Said, images: readonly string[]): object[] {
  const text = (words: string) => ({ type: "text", text: words })
  switch (said.type) {
    case "user":
      return [{ role: "user", content: [text(said.text)], timestamp: 1 }]
    case "answer":
      return [{ ...PI_ANSWER, content: [text(said.text)], stopReason: "stop" }]
    case "call": {
      const call = { type: "toolCall", id: said.id, name: TOOL, arguments: said.input }
      const about = { toolCallId: said.id, toolName: TOOL, isError: false, timestamp: 1 }
      return [
        { ...PI_ANSWER, content: [call], stopReason: "toolUse" },
        { role: "toolResult", ...about, content: shown(said).map(text) },
      ]
    }
    case "image": {
      const image = { type: "image", data: images[said.at] ?? "", mimeType: "image/png" }
      return [{ role: "user", content: [text(said.text), image], timestamp: 1 }]
    }
  }
}
