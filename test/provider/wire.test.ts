import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assemble, join } from "../../packages/core/wires/body.ts"
import { fragmentText, writeBody } from "../../packages/engine/providers/write-body.ts"
import { collect, media } from "../build.ts"

describe("requests", () => {
  it("know their length in bytes before a medium is opened", () => {
    expect(assemble("ä", media("a", "image/png", 4), "b").size).toBe(2 + 8 + 1)
    expect(assemble("", assemble("a"), "").size).toBe(1)
    expect(join([assemble("a"), assemble("b"), assemble("c")], ", ").size).toBe(7)
    expect(join([], ",").size).toBe(0)
  })

  it("stream base64 as one would write it at once, however the medium comes", async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(pieces, async (chunks) => {
        const whole = Buffer.concat(chunks)
        const body = assemble("[", media("a", "image/png", whole.length), "]")
        const text = await fragmentText(body, async function* () {
          yield* chunks
        })
        expect(text).toBe(`[${whole.toString("base64")}]`)
        expect(Buffer.byteLength(text)).toBe(body.size)
      }),
    )
  })

  it("hold one piece of a medium at a time", async () => {
    let open = 0
    let most = 0
    const size = 3 * 1024 * 1024
    const body = assemble("a", media("a", "image/png", size), media("b", "image/png", size))
    let written = 0
    for await (const chunk of writeBody(body, async function* () {
      open += 1
      most = Math.max(most, open)
      for (let at = 0; at < size; at += 65_536) yield new Uint8Array(65_536)
      open -= 1
    })) {
      expect(chunk.length).toBeLessThan(256 * 1024)
      written += chunk.length
    }
    expect(most).toBe(1)
    expect(written).toBe(body.size)
  })

  it("write many small messages in few chunks", async () => {
    const body = join(
      Array.from({ length: 10_000 }, (_, index) => assemble(`${index}`)),
      ",",
    )
    expect((await collect(writeBody(body, neverOpened))).length).toBeLessThan(5)
  })

  it("refuse a medium of another length than was promised", async () => {
    const body = assemble(media("a", "image/png", 10))
    const text = fragmentText(body, async function* () {
      yield new Uint8Array(9)
    })
    await expect(text).rejects.toThrow("has 9 bytes, not the 10 it was said to have")
  })
})

function neverOpened(): never {
  throw new Error("there is no medium in it")
}
