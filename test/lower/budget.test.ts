import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { lower } from "../../packages/core/lower/lower.ts"
import { outline } from "../../packages/core/file/outline.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { attachment, fileRef, loaded, mediaFile, text, textFile } from "../build.ts"

const model = capabilitiesOfApi("anthropic-messages")

function lines(count: number, word = "line"): string {
  return Array.from({ length: count }, (_, at) => `${word} ${at + 1}\n`).join("")
}

const ref = (name: string, content: string) => loaded(fileRef(name), textFile(name, content))

function dial(parts: Parameters<typeof lower>[0], budget_tokens: number) {
  const { blocks, receipts } = lower(parts, model, { file_refs: "auto", budget_tokens })
  const tokens = receipts.reduce((sum, receipt) => sum + receipt.tokens, 0)
  const outcomes = receipts.map(({ outcome, rule }) => `${outcome} ${rule}`)
  return { blocks, receipts, tokens, outcomes }
}

describe("the budget dial", () => {
  const parts = [loaded(text("compare these")), ref("a.ts", lines(200)), ref("b.ts", lines(1000))]

  it("[BEY-12] changes nothing while everything fits", () =>
    expect(dial(parts, 10_000).blocks).toEqual(lower(parts, model).blocks))

  it("[BEY-12] steps the largest file down first, to an outline and then to a reference", () => {
    const turned = [5000, 3000, 500, 200, 90].map((budget) => dial(parts, budget).outcomes.slice(1))
    expect(turned).toEqual([
      ["inlined CMP-104", "inlined CMP-104"],
      ["inlined CMP-104", "range BEY-12"],
      ["range BEY-12", "range BEY-12"],
      ["range BEY-12", "descriptor BEY-12"],
      ["descriptor BEY-12", "descriptor BEY-12"],
    ])
  })

  it("[BEY-12] an outline shows both ends and how much lies between", () => {
    const [, , block] = dial(parts, 2000).blocks
    const shown = block?.type === "text" ? block.text : ""
    expect(shown).toMatch(/^File b\.ts:\nline 1\nline 2\n/)
    expect(shown).toContain("line 30\n[960 lines left out]\nline 991\n")
    expect(shown).toMatch(/line 1000\n$/)
  })

  it("[BEY-12] says so in the receipts", () => {
    expect(dial(parts, 2000).receipts[2]?.reason).toBe(
      "Only its beginning and its end are shown: the message has a budget of 2000 tokens.",
    )
    expect(dial(parts, 60).receipts[2]?.reason).toContain("The budget is 60 tokens.")
  })

  it("[BEY-12] gives up an image at once, unless its description costs more", () => {
    const image = (width: number, height: number) => {
      const file = mediaFile("a.png", "image/png", { width, height })
      return loaded(attachment("a.png", new Uint8Array()), file)
    }
    expect(dial([image(1000, 750)], 1000).outcomes).toEqual(["native CMP-105"])
    expect(dial([image(1000, 750)], 999).outcomes).toEqual(["descriptor BEY-12"])
    expect(dial([image(10, 10)], 0).outcomes).toEqual(["native CMP-105"])
  })

  it("[BEY-12] never cuts what the user wrote, nor what is not a file", () => {
    const context = {
      type: "editor-context",
      kind: "open",
      payload: { a: "b".repeat(99) },
    } as const
    const words = [loaded(text("x".repeat(5000))), loaded({ ...context, emitted_at: 1 })]
    const { blocks, outcomes } = dial([...words, ref("a.ts", lines(200))], 1)
    expect(blocks.slice(0, 2)).toEqual(lower(words, model).blocks)
    expect(outcomes).toEqual(["inlined CMP-103", "inlined CMP-108", "descriptor BEY-12"])
  })

  it("[BEY-12] is within the budget wherever files alone can bring it there, and always the same", () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 12 }),
        fc.integer({ min: 0, max: 20_000 }),
        (sizes, budget) => {
          const files = sizes.map((size, at) => ref(`f${at}`, lines(size)))
          const turned = dial(files, budget)
          const least = dial(files, 0).tokens
          expect(turned.tokens).toBeLessThanOrEqual(Math.max(budget, least))
          expect(dial(files, budget)).toEqual(turned)
        },
      ),
    ))
})

describe("outline", () => {
  it("is the text itself where it is short", () => expect(outline("a\nb\n")).toBe("a\nb\n"))

  it("is short however the text is made, and well-formed", () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary", minLength: 5000, maxLength: 9000 }),
          fc.nat(5000).map((count) => lines(count)),
          fc.constant("😀".repeat(9000)),
        ),
        (long) => {
          const shown = outline(long)
          expect(shown.length).toBeLessThanOrEqual(Math.max(3300, Math.min(long.length, 3300)))
          expect(shown === long || shown.isWellFormed()).toBe(true)
        },
      ),
    ))
})
