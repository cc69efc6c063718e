import type { LoadedPart } from "../../packages/core/lower/loaded-part.ts"
import type { Policy } from "../../packages/core/lower/policy.ts"
import { describe, expect, it } from "vitest"
import { lower } from "../../packages/core/lower/lower.ts"
import { collectSentMedia } from "../../packages/core/file/media.ts"
import { verdict } from "../../packages/core/file/verdict.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import type { MediaBlock } from "../../packages/core/model/prompt.ts"
import { attachment, fileRef, loaded, media, mediaFile, text } from "../build.ts"
import { shown } from "./house.ts"

const model = capabilitiesOfApi("anthropic-messages")

function under(policy: Partial<Policy>, ...parts: readonly LoadedPart[]) {
  const lowered = lower(parts, model, { file_refs: "auto", ...policy })
  return { ...lowered, shown: lowered.blocks.map(shown), receipt: lowered.receipts[0] }
}

const picture = mediaFile("a.png", "image/png")
const content_id = "content_id" in picture ? (picture.content_id ?? "") : ""
const attached = loaded(attachment("a.png", new Uint8Array()), picture)
const referred = loaded(fileRef("a.png"), picture)

describe("media that are held back", () => {
  it("[BEY-02] what the provider refused is described, and the receipt says so", () => {
    const { shown, receipt, media } = under({ refused: new Set([content_id]) }, attached)
    expect(shown).toEqual([
      "[attached file: a.png, image/png, 1,000 bytes, 100x80 pixels. Not shown: the provider refused it before.]",
    ])
    expect(receipt).toMatchObject({ outcome: "descriptor", rule: "BEY-02", content_id })
    expect(media).toEqual([])
  })

  it("[BEY-02] everything else is still sent", () =>
    expect(under({ refused: new Set(["sha256:other"]) }, attached).shown).toEqual(["<image/png>"]))

  it("[VIS-002] what made room is described, with the way to look at it again", () => {
    const { shown, receipt } = under({ demoted: new Set([referred.id]) }, referred)
    expect(shown).toEqual([
      "[file: a.png, image/png, 1,000 bytes, 100x80 pixels. Not shown: it made room for newer media. Use read_image on this path for its contents.]",
    ])
    expect(receipt).toMatchObject({ outcome: "descriptor", rule: "VIS-002" })
  })

  it("what is sent natively is counted, for the planner", () =>
    expect(under({}, loaded(text("a")), attached).media).toEqual([
      { part_id: attached.id, kind: "image", bytes: 1000, tokens: 11, side: 100 },
    ]))

  const block: MediaBlock = {
    type: "image",
    media: media("a.png", "image/png", 1000),
    width: 100,
    height: 80,
  }
  const sound: MediaBlock = { type: "audio", media: media("a.wav", "audio/wav", 9) }

  it("[VIS-002] a tool's medium is held back by the same rules", () => {
    const at = (policy: Partial<Policy>, of: MediaBlock = block) =>
      collectSentMedia(of, {
        part_id: "prt_1",
        capabilities: model,
        policy: { file_refs: "auto", ...policy },
      })
    expect(at({})).toMatchObject({ block, use: { part_id: "prt_1", kind: "image", side: 100 } })
    expect(at({ demoted: new Set(["prt_1"]) })).toMatchObject({
      block: {
        type: "text",
        text: "[image: a.png, image/png, 1,000 bytes. Not shown: it made room for newer media.]",
      },
      use: null,
      verdict: { outcome: "descriptor", rule: "VIS-002" },
    })
    expect(at({ refused: new Set([block.media.content_id]) }).verdict.rule).toBe("BEY-02")
    expect(at({}, sound).block).toEqual({
      type: "text",
      text: "[audio: a.wav, audio/wav, 9 bytes. Not shown: the anthropic-messages API carries no audio.]",
    })
  })
})

describe("tools that claim a kind of context", () => {
  const context = loaded({
    type: "editor-context",
    kind: "selection",
    payload: { node: 7 },
    emitted_at: 1,
  })

  it("[CMP-113] receive it, and the model is told in one line", () => {
    const { shown, receipt } = under({ claimed: { selection: "canvas_edit" } }, context)
    expect(shown).toEqual(["[editor context: selection. The tool canvas_edit has it.]"])
    expect(receipt).toMatchObject({
      outcome: "tool",
      rule: "CMP-113",
      reason: "The tool canvas_edit receives it; the model is told so.",
    })
  })

  it("[CMP-113] leave the other kinds to the model, whatever they are called", () => {
    const other = loaded({ type: "editor-context", kind: "toString", payload: {}, emitted_at: 1 })
    for (const part of [other, context])
      expect(under({ claimed: { open: "x" } }, part).receipt?.outcome).toBe("inlined")
  })
})

describe("an agent's own lowering", () => {
  const part = loaded(text("hello"))

  it("[CMP-113] takes the place of ours, or leaves it to ours", () => {
    const custom: Policy["custom"] = (given, next) =>
      given.type === "text"
        ? verdict("inlined", "CMP-113", {
            reason: "In capitals.",
            text: String(given.text).toUpperCase(),
          })
        : next()
    expect(under({ custom }, part, attached).shown).toEqual(["HELLO", "<image/png>"])
    expect(under({ custom: () => undefined }, part, attached).shown).toEqual([
      "hello",
      "<image/png>",
    ])
  })

  it.each<[string, Policy["custom"]]>([
    [
      "throws",
      () => {
        throw new Error("bad\nday")
      },
    ],
    ["gives no verdict", () => ({ block: { type: "bogus" } }) as never],
    ["gives bytes", () => ({ ...verdict("inlined", "x", { reason: "y" }), block: 7 }) as never],
  ])("[CMP-113] that %s is passed over, with a receipt", (_, custom) => {
    const { shown, receipt } = under({ custom }, part)
    expect(shown).toEqual(["hello"])
    expect(receipt?.reason).toMatch(
      /^Sent as it was typed\. The agent's own lowering failed: .+\.$/,
    )
  })

  it("[CMP-114] cannot reach what is stored", () => {
    const before = structuredClone(part)
    const custom: Policy["custom"] = (given) => {
      Object.assign(given, { type: "other", text: "changed" })
      return undefined
    }
    expect(under({ custom }, part).shown).toEqual(["hello"])
    expect(part).toEqual(before)
  })

  it("[BEY-04] is not shown what policy keeps out", () => {
    const secret = { type: "text", text: "", ingress: { verdict: "denied", reason: "a key" } }
    const seen: unknown[] = []
    const custom: Policy["custom"] = (given) => void seen.push(given)
    expect(under({ custom }, loaded(secret)).receipt?.outcome).toBe("denied")
    expect(seen).toEqual([])
  })
})
