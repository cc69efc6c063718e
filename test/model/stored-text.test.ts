import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { StoredJson, storedCall } from "../../packages/core/model/stored-call.ts"
import { openRow, StoredText, storedText } from "../../packages/core/model/stored-text.ts"

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom('"', "\\", "\n", " ", "\u000b", "a", "ä", "\ud83d", "😀") }),
)

describe("storedText", () => {
  const row = (data: object) => storedText(JSON.stringify(data))

  it("[CMP-103] gives the text of a row as it stands, and opens it to the same text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const stored = row({ type: "text", text })
        if (!stored) return
        expect(stored.text).toBe(text)
        expect(stored.text.isWellFormed()).toBe(true)
        expect(stored.text.trim()).not.toBe("")
        const trimmed = stored.trimEnd()
        if (trimmed) expect(trimmed.text).toBe(text.trimEnd())
        expect(JSON.parse(JSON.stringify(stored))).toEqual({ type: "text", text })
      }),
    )
  })

  it("leaves what is not sent as it stands to be opened", () => {
    for (const text of ["", " ", "\n", "\u00a0", "half \ud83d"])
      expect(row({ type: "text", text })).toBeUndefined()
    expect(row({ type: "text", text: "a", kept_out: true })).toBeUndefined()
    expect(row({ text: "a", type: "text" })).toBeUndefined()
  })

  it("takes nothing for a text that goes on behind its closing quote", () => {
    for (const rest of [
      'a","role":"x"}',
      'a" ,"b":"c"}',
      'a"}],"b":"c"}',
      'a\\\\"b"}',
      'a\\"}',
      "a",
    ])
      expect(storedText(`{"type":"text","text":"${rest}`)).toBeUndefined()
  })
})

describe("openRow", () => {
  const json = fc.jsonValue({ maxDepth: 3 })
  const block = fc.record({ type: fc.constant("text"), text: anyText })
  const long = fc.record({
    type: fc.constant("text"),
    text: anyText.map((text) => `${text}${"long ".repeat(40)}`),
  })
  const sealed = long.map((text) => ({ ...text, seal: { api: "a", model: "m" } }))
  const more = long.map((text) => ({ ...text, more: [text] }))

  it("reads what JSON.parse reads", () => {
    const value = fc.oneof(json, block, long, sealed, more)
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(value, fc.array(value))), (data) => {
        const text = JSON.stringify(data)
        expect(JSON.parse(JSON.stringify(openRow(text)))).toEqual(JSON.parse(text))
      }),
    )
  })

  it("leaves long texts as they stand, wherever they are", () => {
    const text = "a\n".repeat(100)
    const seal = { api: "a", model: "m" }
    const part = {
      output: {
        blocks: [
          { type: "text", text },
          { type: "text", text, seal },
        ],
      },
    }
    const { output } = openRow(JSON.stringify(part)) as typeof part
    expect(output.blocks.every((one) => one instanceof StoredText)).toBe(true)
    expect(output.blocks.map((one) => one.seal)).toEqual([undefined, seal])
  })

  it("says what is wrong with a row that is no JSON", () => {
    expect(() => openRow('{"type":"text","text":"a')).toThrow(SyntaxError)
  })
})

describe("storedCall", () => {
  const call = (more: object) =>
    storedCall(
      JSON.stringify({
        type: "tool-read",
        tool_call_id: "call_1",
        state: "output-available",
        input: { path: 'a "b" {', range: { start: 1 } },
        ...more,
        metadata: { duration_ms: 1 },
      }),
    )

  it("shows data as text or as its JSON, and the texts beside it", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), anyText), fc.array(anyText), (data, texts) => {
        const blocks = texts.map((text) => ({ type: "text", text }))
        const opened = call({ output: { data, blocks } })
        if (!opened) return
        expect(opened).toMatchObject({ name: "read", id: "call_1" })
        expect(opened.input.toJSON()).toEqual({ path: 'a "b" {', range: { start: 1 } })
        const shown = data === null || data === "" ? [] : [data]
        expect(opened.blocks.map(({ text }) => text)).toEqual([
          ...shown.map((one) => (typeof one === "string" ? one : JSON.stringify(one))),
          ...texts,
        ])
      }),
    )
  })

  it("[CMP-103] finds its way through whatever a call says, or leaves it to be opened", () => {
    const fields = fc.record(
      {
        invalid: fc.string({ unit: fc.constantFrom("{", "}", '"', ",", "\\", "output") }),
        started_at: fc.nat(),
        seal: fc.constant({ api: "a", model: "m", output: { data: "not this" } }),
        output: fc.constant({ data: { path: '"},"output":{' }, blocks: [] }),
        metadata: fc.jsonValue(),
        approval: fc.constant("granted"),
      },
      { requiredKeys: [] },
    )
    const ordered = fields.chain((all) =>
      fc.shuffledSubarray(Object.entries(all), { minLength: Object.keys(all).length }),
    )
    fc.assert(
      fc.property(ordered, (entries) => {
        const more = Object.fromEntries(entries)
        const opened = call(more)
        if (!opened) return
        expect(more).not.toHaveProperty("seal")
        expect(opened.blocks.map(({ text }) => text)).toEqual(['{"path":"\\"},\\"output\\":{"}'])
      }),
    )
    const output = { data: 1 }
    expect(call({ initiator: "model", started_at: 1, read_only: true, output })).toBeDefined()
  })

  it("leaves any other call to be opened", () => {
    const output = { data: "yes" }
    expect(call({ output })).toBeDefined()
    expect(call({ output, seal: { api: "a", model: "m" } })).toBeUndefined()
    expect(call({ output, state: "output-error" })).toBeUndefined()
    expect(call({ output, input: [1] })).toBeUndefined()
    expect(call({ output: { data: null } })).toBeUndefined()
    expect(call({ output: { data: 1, blocks: [{ type: "image" }] } })).toBeUndefined()
    expect(call({})).toBeUndefined()
    expect(storedCall('{"type":"tool-read","input":{"a":1},"output":{"data":"x"}')).toBeUndefined()
  })

  it("writes its input as it stands", () => {
    expect(JSON.stringify({ input: new StoredJson('{"a":1}') })).toBe('{"input":{"a":1}}')
  })
})
