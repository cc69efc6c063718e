import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { StoredText } from "../../packages/core/model/stored-text.ts"
import {
  base64Of,
  dataUrlOf,
  endingIn,
  messageFragment,
  paragraphs,
  fragmentWords,
} from "../../packages/core/wires/fragment.ts"
import { flatPieces } from "../../packages/core/wires/body.ts"
import { fragmentText } from "../../packages/engine/providers/write-body.ts"
import { media } from "../build.ts"

describe("messageFragment", () => {
  const medium = media('a "b".png', "image/png", 4)

  it("puts media where their places stand, and nowhere else", async () => {
    const said = { role: "user", data: base64Of(medium), url: dataUrlOf(medium), text: "<a> b>" }
    const made = messageFragment([said, { role: "tool" }])
    expect(made.roles).toEqual(["user", "tool"])
    expect(made.pieces.filter((piece) => !(piece instanceof Uint8Array))).toEqual([medium, medium])
    const text = await fragmentText(made, async function* () {
      yield new Uint8Array(4)
    })
    expect(JSON.parse(`[${text}]`)).toEqual([
      { role: "user", data: "AAAAAA==", url: "data:image/png;base64,AAAAAA==", text: "<a> b>" },
      { role: "tool" },
    ])
    expect(Buffer.byteLength(text)).toBe(made.size)
  })

  it("keeps any text as it is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
        const made = messageFragment([{ text }])
        expect(JSON.parse(await fragmentText(made, neverOpened))).toEqual({ text })
        expect(made.pieces).toHaveLength(1)
      }),
    )
  })

  it("puts a piece that it is given where its place is", () => {
    const piece = Buffer.from("x")
    const made = messageFragment([{ a: endingIn('-"', piece), b: endingIn("", piece) }])
    expect([...flatPieces(made)].filter((other) => other === piece)).toHaveLength(2)
    expect(made.size).toBe('{"a":"-\\"x","b":"x"}'.length)
  })

  it("writes what JSON.stringify writes", async () => {
    const value = fc.dictionary(
      fc.string({ unit: "binary" }),
      fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.double()),
    )
    await fc.assert(
      fc.asyncProperty(value, async (message) => {
        const made = messageFragment([message])
        expect(await fragmentText(made, neverOpened)).toBe(JSON.stringify(message))
      }),
    )
  })

  it("writes a stored text as it stands, alone and with others", async () => {
    const one = new StoredText('say \\"hi\\"')
    const other = new StoredText("d\u00e4\\n!", { api: "a", model: "m" })
    const said = { a: fragmentWords(one), b: paragraphs([one, other]), blocks: [one, other] }
    expect(JSON.parse(await fragmentText(messageFragment([said]), neverOpened))).toEqual({
      a: 'say "hi"',
      b: 'say "hi"\n\nd\u00e4\n!',
      blocks: [
        { type: "text", text: 'say "hi"' },
        { type: "text", text: "d\u00e4\n!", seal: { api: "a", model: "m" } },
      ],
    })
    expect(paragraphs([one, { type: "text", text: "x" }])).toBe('say "hi"\n\nx')
  })
})

function neverOpened(): never {
  throw new Error("there is no medium in it")
}
