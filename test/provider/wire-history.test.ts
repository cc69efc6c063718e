import { describe, expect, it } from "vitest"
import { StoredText } from "../../packages/core/model/stored-text.ts"
import { findWire } from "../../packages/core/wires/wires.ts"
import { fragmentText } from "../../packages/engine/providers/write-body.ts"
import { WireHistory } from "../../packages/core/wires/wire-history.ts"
import { media, textBlock, user } from "../build.ts"

const ENVELOPE = { model: "anthropic.claude-x", system: "", max_tokens: 1 }
const APIS = ["anthropic-messages", "openai-chat", "gemini-generatecontent", "bedrock-converse"]

async function* open({ size }: { size: number }) {
  yield new Uint8Array(size)
}

describe("WireHistory", () => {
  it.each(APIS)("says on %s with few fragments what many say", async (api) => {
    const wire = findWire(api)
    if (!wire) throw new Error(`there is no ${api}`)
    const history = new WireHistory(wire)
    const fragments = Array.from({ length: 700 }, (_, at) => {
      const image = { type: "image", media: media("a.png", "image/png", 4), width: 1, height: 1 }
      const plan = { type: "document", media: media("b.pdf", "application/pdf", 5) }
      const blocks = at % 50 === 0 ? [image, plan] : [new StoredText(`said ${at}`)]
      const role = at % 3 === 0 ? "assistant" : "user"
      const made = wire.encode({ role: at % 50 === 0 ? "user" : role, blocks } as never)
      // Some are bytes before they are folded, and some are text until then.
      if (at % 9 === 0) expect(made.size).toBeGreaterThan(0)
      return made
    })
    for (const fragment of fragments) history.add(fragment)
    const few = history.messages()
    expect(few.length).toBeLessThan(80)
    const body = wire.body(ENVELOPE, few)
    const text = await fragmentText(body, open)
    expect(text).toBe(await fragmentText(wire.body(ENVELOPE, fragments), open))
    expect(Buffer.byteLength(text)).toBe(body.size)
  })

  it("counts the bytes that it holds", () => {
    const wire = findWire("anthropic-messages")
    if (!wire) throw new Error("there is no wire")
    const history = new WireHistory(wire)
    const fragment = wire.encode(user(textBlock("hi")))
    for (let at = 0; at < 300; at++) history.add(fragment)
    const held = history.messages().reduce((sum, { size }) => sum + size, 0)
    expect(held).toBeGreaterThan(300 * fragment.size)
    expect(history.bytes).toBe(held)
  })
})
