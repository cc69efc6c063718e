import { describe, expect, it } from "vitest"
import {
  type ScriptStep,
  scriptedProvider,
  scriptFromText,
} from "../../packages/engine/providers/scripted.ts"
import { assistant, collect, textBlock, user } from "../build.ts"
import { callOf, pictureBlock, providerContract, wordsOf } from "./contract.ts"

providerContract("scripted", async () =>
  scriptedProvider([{ text: "yes" }, { text: " yes", delay_ms: 1 }]),
)

describe("scripted", () => {
  const question = [
    user(textBlock("one")),
    assistant(textBlock("two")),
    user(textBlock("three"), pictureBlock("a", 3)),
  ]

  async function plays(script: Parameters<typeof scriptedProvider>[0]) {
    const provider = scriptedProvider(script)
    return collect(provider.stream(callOf(provider, question)))
  }

  it("echoes the newest message when nobody told it anything", async () =>
    expect(wordsOf(await plays(undefined))).toBe("three\n<image/png>"))

  it("speaks, thinks, waits and fails as it is told", async () => {
    const steps: ScriptStep[] = [
      { reasoning: "hm" },
      { wait: Promise.resolve() },
      { text: "no" },
      { error: { code: "overloaded_error", message: "later", retryable: true } },
      { text: "never said" },
    ]
    expect(await plays(steps)).toEqual([
      { type: "reasoning-delta", text: "hm" },
      { type: "text-delta", text: "no" },
      { type: "error", code: "overloaded_error", message: "later", retryable: true },
    ])
  })

  it("calls tools as it is told", async () => {
    const call = { id: "a", name: "read", input: { path: "a.ts" } }
    expect(await plays([{ text: "look" }, { call }])).toMatchObject([
      { type: "text-delta", text: "look" },
      { type: "tool-call-start", id: "a", name: "read" },
      { type: "tool-call-delta", id: "a", text: '{"path":"a.ts"}' },
      { type: "tool-call-end", ...call },
      { type: "usage" },
      { type: "end", reason: "tool-call" },
    ])
  })

  it("calls the tools of its file first, and speaks once their results are there", async () => {
    const script = scriptFromText('{ "text": "done", "calls": [{ "name": "read" }] }')
    const provider = scriptedProvider(script)
    const first = await collect(provider.stream(callOf(provider, question)))
    const made = first.find((event) => event.type === "tool-call-end")
    expect(made).toMatchObject({ name: "read", input: {} })
    const result = {
      type: "tool-result",
      id: "a",
      name: "read",
      blocks: [textBlock("x")],
      is_error: false,
    } as const
    const answered = [...question, { role: "user", blocks: [result] } as const]
    expect(wordsOf(await collect(provider.stream(callOf(provider, answered))))).toBe("done")
    const echo = scriptedProvider()
    expect(wordsOf(await collect(echo.stream(callOf(echo, answered))))).toBe("x")
  })

  it("stops waiting when it is aborted", async () => {
    const provider = scriptedProvider([{ wait: new Promise(() => undefined) }])
    const signal = AbortSignal.timeout(10)
    const events = await collect(provider.stream({ ...callOf(provider, question), signal }))
    expect(events).toMatchObject([{ type: "error", code: "aborted" }])
  })

  it("makes an error of a script that breaks", async () => {
    const events = await plays(() => {
      throw new Error("no such script")
    })
    expect(events).toEqual([
      { type: "error", code: "bad-script", message: "no such script", retryable: false },
    ])
  })

  it("remembers what it was asked", async () => {
    const provider = scriptedProvider(({ newest }) => [{ text: `${newest?.blocks.length}` }])
    const events = await collect(provider.stream(callOf(provider, question)))
    expect(wordsOf(events)).toBe("2")
    expect(provider.calls).toHaveLength(1)
    expect(provider.calls[0]?.prompt).toEqual(question)
    expect(JSON.parse((await provider.calls[0]?.body()) ?? "")).toEqual({
      model: "some-model",
      system: "Be kind.",
      max_tokens: 100,
      messages: question,
    })
  })

  it("takes its script from the text of a file", async () => {
    const events = await plays(scriptFromText('{ "text": "abcdefg", "chunks": 3, "delay_ms": 1 }'))
    expect(events.filter(({ type }) => type === "text-delta")).toEqual([
      { type: "text-delta", text: "abc" },
      { type: "text-delta", text: "def" },
      { type: "text-delta", text: "g" },
    ])
    expect(() => scriptFromText('{ "chunks": 0 }')).toThrow()
  })
})
