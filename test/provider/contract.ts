import { describe, expect, it } from "vitest"
import type { Block, Media, ModelEvent, PromptMessage } from "../../packages/core/model/prompt.ts"
import { StoredJson } from "../../packages/core/model/stored-call.ts"
import { StoredText } from "../../packages/core/model/stored-text.ts"
import type { WireBody, WireFragment } from "../../packages/core/wires/body.ts"
import type { ProviderCall, Provider } from "../../packages/engine/providers/provider.ts"
import type { RequestEnvelope } from "../../packages/core/wires/define-wire.ts"
import { fragmentText } from "../../packages/engine/providers/write-body.ts"
import { WireHistory } from "../../packages/core/wires/wire-history.ts"
import { assistant, collect, media, textBlock, user } from "../build.ts"

const image = { type: "image", media: media("a.png", "image/png", 4), width: 1, height: 1 } as const
const document = { type: "document", media: media("b.pdf", "application/pdf", 5) } as const

/** What every provider promises: `encode` and `body` are pure and know their length, `stream` never
 *  throws and ends with `end` or `error`. `make` gives one that will answer. */
export function providerContract(name: string, make: () => Promise<Provider>) {
  describe(`provider: ${name}`, () => {
    const messages = [
      user(textBlock("hello"), image, document),
      assistant(textBlock("hi — 你好")),
      user(),
      user(textBlock(" ")),
    ]

    it("encodes the same message to the same bytes, of the length it says", async () => {
      const provider = await make()
      for (const message of messages) {
        const first = provider.encode(message)
        expect(first).toEqual(provider.encode(message))
        expect(Buffer.byteLength(await show(first))).toBe(first.size)
      }
    })

    it("[COS-001] makes a body of JSON in which earlier messages keep their bytes", async () => {
      const provider = await make()
      const fragments = messages.map((message) => provider.encode(message))
      const [short, long] = [fragments.slice(0, 2), fragments].map((list) =>
        provider.body(ENVELOPE, list),
      ) as [WireBody, WireBody]
      for (const body of [short, long]) {
        const text = await show(body)
        expect(Buffer.byteLength(text)).toBe(body.size)
        expect(JSON.parse(text)).toBeTypeOf("object")
      }
      expect(sharedStart(await show(short), await show(long))).toContain("hi — 你好")
    })

    it("[COS-001] keeps every byte of 50 turns with tools, folded or not, stored or new", async () => {
      const provider = await make()
      const history = new WireHistory(provider)
      const fragments: WireFragment[] = []
      let before = ""
      for (let turn = 0; turn < 50; turn++) {
        for (const message of turnOf(turn)) {
          const made = provider.encode(message, "gemini-3-x")
          const opened = provider.encode(JSON.parse(JSON.stringify(message)), "gemini-3-x")
          expect(await show(made)).toBe(await show(opened))
          fragments.push(made)
          history.add(made)
        }
        const text = await show(provider.body(ENVELOPE, fragments))
        expect(await show(provider.body(ENVELOPE, history.messages()))).toBe(text)
        expect(text.match(BREAKPOINT)?.length ?? 0).toBeLessThanOrEqual(MOST_BREAKPOINTS)
        const said = text.replace(BREAKPOINT, "")
        if (turn > 0) expect(sharedStart(before, said)).toContain(`answer ${turn - 1}.`)
        before = said
      }
    })

    it("answers, tells its usage once, and ends with `end`", async () => {
      const provider = await make()
      const events = await collect(provider.stream(callOf(provider, messages)))
      expect(events.at(-1)).toEqual({ type: "end", reason: "stop" })
      expect(events.filter(({ type }) => type === "usage")).toHaveLength(1)
      expect(wordsOf(events)).not.toBe("")
      const usage = events.find(({ type }) => type === "usage") as { usage: object }
      expect(Object.keys(usage.usage).sort()).toEqual(FIGURES)
    })

    it("[SES-062] ends with an error when it was aborted before it began", async () => {
      const provider = await make()
      const call = { ...callOf(provider, messages), signal: AbortSignal.abort() }
      const events = await collect(provider.stream(call))
      expect(events.at(-1)).toMatchObject({ type: "error", code: "aborted", retryable: false })
      expect(wordsOf(events)).toBe("")
    })

    it("[SES-062] stops when it is aborted while it speaks", async () => {
      const provider = await make()
      const controller = new AbortController()
      const events: ModelEvent[] = []
      for await (const event of provider.stream({
        ...callOf(provider, messages),
        signal: controller.signal,
      })) {
        events.push(event)
        controller.abort()
      }
      expect(events.filter(({ type }) => type === "end" || type === "error")).toHaveLength(1)
      expect(events.at(-1)).toMatchObject({ type: "error", code: "aborted" })
    })
  })
}

const BREAKPOINT = /,"cache_control":\{[^}]*\}|,\{"cachePoint":\{[^}]*\}\}/g
/** Of Anthropic's, and nobody takes more. */
const MOST_BREAKPOINTS = 4

/** A question, two calls, their results and an answer, as they come out of their rows. */
function turnOf(turn: number): PromptMessage[] {
  const calls = [0, 1].map((at) => ({
    id: `call ${turn} ${at}`,
    name: at === 0 ? "read" : "my.tool",
  }))
  const stored = (text: string) => new StoredText(JSON.stringify(text).slice(1, -1))
  return [
    { role: "user", blocks: [stored(`question "${turn}"?`)] },
    {
      role: "assistant",
      blocks: calls.map((call) => ({
        type: "tool-call",
        ...call,
        input: new StoredJson(JSON.stringify({ path: `${turn}.ts`, n: { a: [1, null] } })),
      })),
    },
    {
      role: "user",
      blocks: calls.map((call, at) => ({
        type: "tool-result",
        ...call,
        blocks: at === 0 ? [stored("one\n")] : [stored("one"), stored("two")],
        is_error: turn % 7 === 0,
      })),
    },
    { role: "assistant", blocks: [stored(`answer ${turn}.${turn % 5 === 0 ? " \n" : ""}`)] },
  ]
}

function sharedStart(one: string, other: string): string {
  let end = 0
  while (end < one.length && one[end] === other[end]) end += 1
  return one.slice(0, end)
}

const FIGURES = ["cache_read", "cache_write", "input", "output", "reasoning"]

export const ENVELOPE = { model: "some-model", system: "Be kind.", max_tokens: 100 }

export function callOf(provider: Provider, messages: readonly PromptMessage[]): ProviderCall {
  return {
    envelope: ENVELOPE,
    messages: messages.map((message) => provider.encode(message)),
    receipts: [],
    open: openZeros,
    signal: new AbortController().signal,
  }
}

/** Media of nothing but zeros, in pieces of an awkward size. */
export async function* openZeros({ size }: Media): AsyncIterable<Uint8Array> {
  for (let at = 0; at < size; at += 7) yield new Uint8Array(Math.min(7, size - at))
}

export function show(body: WireBody): Promise<string> {
  return fragmentText(body, openZeros)
}

export function wordsOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === "text-delta" ? event.text : "")).join("")
}

export function pictureBlock(name: string, size: number): Block {
  return { type: "image", media: media(name, "image/png", size), width: 2, height: 2 }
}

/** The whole request as an API would receive it. */
export async function bodyOf(
  provider: Pick<Provider, "encode" | "body">,
  about: RequestEnvelope,
  messages: readonly PromptMessage[],
): Promise<unknown> {
  const fragments = messages.map((message) => provider.encode(message, about.model))
  return JSON.parse(await show(provider.body(about, fragments)))
}
