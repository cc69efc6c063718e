import type { PartData } from "../../packages/core/parts/define-part.ts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { AcpBlock } from "../../packages/core/acp/acp-block.ts"
import { fromAcpBlocks } from "../../packages/core/interop/from-acp-blocks.ts"
import { toAcpBlocks } from "../../packages/core/interop/to-acp-blocks.ts"
import { anyUserPart, pathReference } from "./messages.ts"

const root = "/home/me/project"

describe("toAcpBlocks", () => {
  it("[BEY-10] brings every part there and back without a loss, by the blocks' own metadata", () => {
    fc.assert(
      fc.property(fc.array(anyUserPart, { maxLength: 6 }), (parts) => {
        const { value, losses } = toAcpBlocks(parts, { root })
        expect(losses).toEqual([])
        const sent: unknown[] = JSON.parse(JSON.stringify(value))
        expect(fromAcpBlocks(sent, { root })).toEqual({ value: parts, losses: [] })
      }),
      { numRuns: 500 },
    )
  })

  it("[BEY-10] without that metadata brings a part there and back, or says that it does not", () => {
    fc.assert(
      fc.property(anyUserPart, (part) => {
        const { value, losses } = toAcpBlocks([part], { root, meta: false })
        expect(JSON.stringify(value)).not.toContain("_meta")
        const back = fromAcpBlocks(value, { root })
        if (losses.length === 0) expect(withoutAddress(back.value)).toEqual([part])
        else expect(losses).toMatchObject([{ path: "/0", message: expect.any(String) }])
      }),
      { numRuns: 1000 },
    )
  })

  it("[BEY-08] carries lines and other places in a link's address", () => {
    fc.assert(
      fc.property(pathReference, (ref) => {
        const part = { type: "file-ref", ref } as unknown as PartData
        const { value } = toAcpBlocks([part], { root, meta: false })
        const [read] = fromAcpBlocks(value, { root }).value
        // A range and another place in one reference have one address: the place's.
        const { range: _, ...placed } = ref
        const expected = ref.fragment === undefined ? ref : placed
        expect(read).toEqual({ type: "file-ref", ref: expected })
      }),
    )
  })

  function shows(part: PartData, expected: AcpBlock) {
    expect(toAcpBlocks([part], { root, meta: false }).value).toEqual([expected])
  }

  it("shows each part as the block that other programs know", () => {
    shows({ type: "text", text: "hi" }, { type: "text", text: "hi" })
    shows(
      { type: "file-ref", ref: { kind: "path", path: "a b.ts", range: { start: 10, end: 25 } } },
      { type: "resource_link", uri: "file:///home/me/project/a%20b.ts#L10-25", name: "a b.ts" },
    )
    shows(
      { type: "file-attachment", name: "a.png", mime: "image/png", data: "aGk=" },
      { type: "image", data: "aGk=", mimeType: "image/png", uri: "compositor:attachment/a.png" },
    )
    shows(
      { type: "file-attachment", name: "a.txt", mime: "text/plain", data: "aGk=" },
      {
        type: "resource",
        resource: { uri: "compositor:attachment/a.txt", mimeType: "text/plain", text: "hi" },
      },
    )
    shows(
      { type: "command", id: "/search", args: { raw: "cats" } },
      { type: "text", text: "/search cats" },
    )
    shows(
      { type: "mention", target: { kind: "skill", name: "pdf" } },
      { type: "text", text: "@skill:pdf" },
    )
  })
})

describe("fromAcpBlocks", () => {
  function reads(block: object, expected: readonly object[], lost: readonly string[] = []) {
    const { value, losses } = fromAcpBlocks([block], { root })
    expect(value).toEqual(expected)
    expect(losses.map(({ path }) => path)).toEqual(lost)
  }

  it("[ACP-002] reads what an editor sends", () => {
    reads(
      { type: "text", text: "hi", annotations: null },
      [{ type: "text", text: "hi" }],
      ["/0/annotations"],
    )
    reads({ type: "resource_link", uri: `file://${root}/src/a.ts#L10:25`, name: "a.ts" }, [
      {
        type: "file-ref",
        ref: { kind: "path", path: "src/a.ts", range: { start: 10, end: 25 } },
      },
    ])
    reads({ type: "resource_link", uri: "file:///etc/hosts", name: "hosts" }, [
      { type: "file-ref", ref: { kind: "path", path: "/etc/hosts" } },
    ])
    reads({ type: "resource_link", uri: "https://a.test/x", name: "x" }, [
      { type: "file-ref", ref: { kind: "url", url: "https://a.test/x" } },
    ])
    reads({ type: "audio", data: "aGk=", mimeType: "audio/wav" }, [
      { type: "file-attachment", name: "audio.wav", mime: "audio/wav", data: "aGk=" },
    ])
    reads({ type: "resource", resource: { uri: "file:///a/b.md", text: "hi" } }, [
      {
        type: "file-attachment",
        name: "b.md",
        mime: "text/plain",
        data: "aGk=",
        uri: "file:///a/b.md",
      },
    ])
  })

  it("says what it leaves out", () => {
    reads({ type: "video", data: "" }, [], ["/0"])
    reads({ type: "image", data: "not base64!", mimeType: "image/png" }, [], ["/0"])
    reads({ type: "text", text: 7 }, [], ["/0"])
    reads(
      { type: "resource_link", uri: `file://${root}/a.ts#L25-10`, name: "a.ts" },
      [{ type: "file-ref", ref: { kind: "path", path: "a.ts" } }],
      ["/0/uri"],
    )
    // What claims to be a part of ours must be one.
    reads(
      { type: "text", text: "hi", _meta: { compositor: { part: { type: "text" } } } },
      [],
      ["/0"],
    )
  })

  it("never throws, whatever it is given", () => {
    fc.assert(fc.property(fc.array(fc.jsonValue()), (blocks) => void fromAcpBlocks(blocks)))
  })
})

/** An attachment remembers where its block said that it lies. */
function withoutAddress(parts: readonly PartData[]) {
  return parts.map((part) => {
    const { uri: _, ...rest } = part
    return rest
  })
}
