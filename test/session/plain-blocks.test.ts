import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { lowerAssistant } from "../../packages/core/lower/assistant.ts"
import { capabilitiesOf, findModel } from "../../packages/core/wires/models.ts"
import type { PromptMessage } from "../../packages/core/model/prompt.ts"
import { findWire } from "../../packages/core/wires/wires.ts"
import { fragmentText } from "../../packages/engine/providers/write-body.ts"
import { mayBeLeftOut, plainMessages } from "../../packages/engine/turns/plain-blocks.ts"

const APIS = [
  "anthropic-messages",
  "openai-responses",
  "openai-chat",
  "openai-chat/ollama",
  "gemini-generatecontent",
  "bedrock-converse",
  "mistral-chat",
]

const model = findModel({ provider_id: "anthropic", model_id: "claude-sonnet-4-5" })
if (!model) throw new Error("the model is not known")
const capabilities = capabilitiesOf(model)

const words = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom('"', "\\", "\n", " ", "a", "ä", "😀") }),
)
const text = fc.record({ type: fc.constant("text"), text: words })
const call = fc.record({
  type: fc.constantFrom("tool-read", "tool-my.tool"),
  tool_call_id: fc.constantFrom("call_1", "abcDEF123"),
  state: fc.constantFrom("output-available", "output-error"),
  input: fc.dictionary(fc.string(), fc.jsonValue()),
  output: fc.record({ data: fc.oneof(fc.jsonValue(), words), blocks: fc.array(text) }),
})

describe("plainMessages", () => {
  it.each(APIS)("[COS-001] says on %s what opening and lowering an answer says", async (api) => {
    const wire = findWire(api)
    if (!wire) throw new Error(`there is no ${api}`)
    const written = (messages: readonly PromptMessage[]) =>
      Promise.all(
        messages.map((message) => fragmentText(wire.encode(message, "gemini-3-x"), neverOpened)),
      )
    const rows = fc.array(fc.oneof(text, call), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(rows, async (parts) => {
        const plain = plainMessages(
          "assistant",
          parts.map((part) => ({ data_json: JSON.stringify(part) })),
        )
        if (!plain) return
        const opened = parts.map((part, at) => ({
          id: `prt_${at}`,
          data: JSON.parse(JSON.stringify(part)),
        }))
        const policy = { file_refs: "auto" } as const
        const lowered = lowerAssistant(opened, { capabilities, policy, closed: true })
        expect(await written(plain)).toEqual(await written(lowered.messages))
      }),
    )
  })

  it("leaves a message that holds anything else to be lowered", () => {
    const row = (data: object) => ({ data_json: JSON.stringify(data) })
    expect(plainMessages("user", [row({ type: "text", text: "a" })])).toHaveLength(1)
    expect(
      plainMessages("user", [row({ type: "text", text: "a" }), row({ type: "file-ref" })]),
    ).toBeUndefined()
    expect(plainMessages("user", [])).toBeUndefined()
    expect(plainMessages("assistant", [row({ type: "reasoning", text: "a" })])).toBeUndefined()
  })
})

describe("mayBeLeftOut", () => {
  it("knows metadata that may keep a message from the model", () => {
    expect(mayBeLeftOut('{"turn_id":"trn_1"}')).toBe(false)
    for (const name of ["superseded", "host", "action"])
      expect(mayBeLeftOut(JSON.stringify({ a: 1, [name]: true }))).toBe(true)
  })
})

function neverOpened(): never {
  throw new Error("there is no medium in it")
}
