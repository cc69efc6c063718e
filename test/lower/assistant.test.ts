import { DEFAULT_POLICY, type Policy } from "../../packages/core/lower/policy.ts"
import { describe, expect, it } from "vitest"
import { changesOnClose, lowerAssistant } from "../../packages/core/lower/assistant.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { openRow, StoredText } from "../../packages/core/model/stored-text.ts"
import { media } from "../build.ts"

const SEAL = { api: "anthropic-messages", model: "claude", signature: "sealed" }
const CALL = { type: "tool-look", tool_call_id: "c1", input: { at: "a" } }

interface About {
  readonly api?: string
  readonly closed?: boolean
  readonly policy?: Partial<Policy>
}

function lowered(parts: readonly object[], about: About = {}) {
  const { api = "anthropic-messages", closed = true, policy } = about
  const named = parts.map((data, at) => ({ id: `prt_${at}`, data: { ...data } }))
  const capabilities = capabilitiesOfApi(api)
  return lowerAssistant(named, { capabilities, closed, policy: { ...DEFAULT_POLICY, ...policy } })
}

function says(parts: readonly object[], expected: readonly object[], about: About = {}) {
  expect(lowered(parts, about).messages).toEqual(expected)
}

function result(words: string, is_error = false) {
  const blocks = [{ type: "text", text: words }]
  return { type: "tool-result", id: "c1", name: "look", blocks, is_error }
}

const SAID = {
  role: "assistant",
  blocks: [{ type: "tool-call", id: "c1", name: "look", input: { at: "a" } }],
}

describe("lowerAssistant", () => {
  it("sends back what was said, without blanks and trailing space", () =>
    says(
      [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "  Yes. \n\n" },
        { type: "text", text: " " },
        { type: "text" },
        { type: "step" },
      ],
      [{ role: "assistant", blocks: [{ type: "text", text: "  Yes." }] }],
    ))

  it("says nothing for an answer that said nothing", () => says([{ type: "text", text: "" }], []))

  it("hands on a text as it stands in its row", () => {
    const row = openRow(JSON.stringify({ type: "text", text: "as it is" }))
    const at = { capabilities: capabilitiesOfApi("scripted"), closed: true, policy: DEFAULT_POLICY }
    const { messages } = lowerAssistant([{ id: "prt_1", data: row as StoredText }], at)
    expect(messages[0]?.blocks[0]).toBe(row)
  })

  it("sends sealed thoughts back, and keeps what is sealed as it was", () =>
    says(
      [
        { type: "reasoning", text: "hm ", seal: SEAL },
        { type: "text", text: "Yes. ", seal: SEAL },
        { ...CALL, state: "output-available", output: { data: "saw a" }, seal: SEAL },
      ],
      [
        {
          role: "assistant",
          blocks: [
            { type: "reasoning", text: "hm ", seal: SEAL },
            { type: "text", text: "Yes. ", seal: SEAL },
            { ...SAID.blocks[0], seal: SEAL },
          ],
        },
        { role: "user", blocks: [result("saw a")] },
      ],
    ))

  it("drops thoughts once the turn is over where the API does not want them again", () => {
    const parts = [
      { type: "reasoning", text: "hm", seal: { ...SEAL, api: "mistral-chat" } },
      { type: "text", text: "Yes." },
    ]
    const kinds = (closed: boolean) =>
      lowered(parts, { api: "mistral-chat", closed }).messages[0]?.blocks.map(({ type }) => type)
    expect([kinds(false), kinds(true)]).toEqual([["reasoning", "text"], ["text"]])
    const named = parts.map((data, at) => ({ id: `prt_${at}`, data }))
    expect(changesOnClose(named, capabilitiesOfApi("mistral-chat"))).toBe(true)
    expect(changesOnClose(named, capabilitiesOfApi("anthropic-messages"))).toBe(false)
  })

  it.each([
    ["its data", { state: "output-available", output: { data: { n: 1 } } }, result('{"n":1}')],
    [
      "what went wrong",
      { state: "output-error", error_text: "no such file" },
      result("no such file", true),
    ],
    ["that it was cut off", { state: "input-available" }, result("aborted", true)],
    ["something, whatever the row holds", { state: "later", output: 7 }, result("aborted", true)],
  ])("gives every call a result: %s", (_, more, expected) =>
    says([{ ...CALL, ...more }], [SAID, { role: "user", blocks: [expected] }]),
  )

  it("leaves out a call whose input never came whole", () =>
    says([{ ...CALL, state: "input-streaming", input_text: '{"at"' }], []))

  it("shows blocks behind the data, and no text for an empty one", () => {
    const blocks = [{ type: "text", text: "more" }]
    const call = { ...CALL, state: "output-available", output: { data: null, blocks } }
    says([call], [SAID, { role: "user", blocks: [{ ...result("more") }] }])
  })

  it("[VIS-002] sends a picture where the model takes it, and describes it elsewhere", () => {
    const image = { type: "image", media: media("a.png", "image/png", 10), width: 2, height: 2 }
    const call = { ...CALL, state: "output-available", output: { data: null, blocks: [image] } }
    const shown = (about: About) => {
      const { messages, media, receipts } = lowered([call], about)
      const [block] = messages[1]?.blocks ?? []
      const [inner] = block?.type === "tool-result" ? block.blocks : []
      return [inner?.type, media.length, receipts[0]?.outcome, receipts[0]?.rule]
    }
    expect(shown({})).toEqual(["image", 1, "native", "VIS-002"])
    expect(shown({ api: "no-such-api" })).toEqual(["text", 0, "descriptor", "VIS-002"])
    const refused = new Set([image.media.content_id])
    expect(shown({ policy: { refused } })).toEqual(["text", 0, "descriptor", "BEY-02"])
  })

  it("[BEY-01] leaves a receipt for each call", () =>
    expect(
      lowered([
        { type: "text", text: "ok" },
        { ...CALL, state: "output-available", output: { data: "12345678" } },
        { ...CALL, tool_call_id: "c2", state: "output-error", error_text: "no" },
      ]).receipts,
    ).toMatchObject([
      { part: "prt_1", type: "tool-look", outcome: "inlined", rule: "TOL-003", bytes: 8 },
      { part: "prt_2", outcome: "inlined", reason: "The model is told what went wrong." },
    ]))

  it("[BEY-02] never throws, whatever stands in the rows", () => {
    const odd = [
      { ...CALL, state: "output-available", output: { data: 1, blocks: "none" } },
      { ...CALL, state: "output-available", output: { data: null, blocks: [{ type: "image" }] } },
      { ...CALL, state: "output-available", output: { blocks: [{ type: 7 }] } },
      { type: "tool-", tool_call_id: "x", state: "output-available" },
      { type: "text", text: "\ud800" },
      { type: "reasoning", seal: "none" },
      {},
    ]
    expect(lowered(odd).messages).toHaveLength(2)
  })
})
