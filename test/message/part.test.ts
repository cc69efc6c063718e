import { UserMessage } from "../../packages/core/parts/user-message.ts"
import { AnyPart, readPart } from "../../packages/core/parts/read-part.ts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  MAX_CONTEXT_CHARACTERS,
  MAX_NAME_CHARACTERS,
  MAX_PATH_CHARACTERS,
  MAX_TEXT_CHARACTERS,
} from "../../packages/core/message/limits.ts"
import { definitionOf, type Part, writePart } from "../../packages/core/parts/table.ts"

const CONTENT_ID = `sha256:${"a".repeat(64)}`

/** One of each kind, as the documents write them. */
const PARTS = {
  "CMP-005": { type: "text", text: "hello" },
  "CMP-006 path": { type: "file-ref", ref: { kind: "path", path: "src/a.ts" } },
  "CMP-006 url": { type: "file-ref", ref: { kind: "url", url: "https://example.org/" } },
  "CMP-006 content": { type: "file-ref", ref: { kind: "content", content_id: CONTENT_ID } },
  "CMP-006 mcp": { type: "file-ref", ref: { kind: "mcp", server: "docs", uri: "doc://1" } },
  "CMP-023 lines": {
    type: "file-ref",
    ref: { kind: "path", path: "a.ts", range: { start: 10, end: 25 } },
  },
  "CMP-023 bytes": {
    type: "file-ref",
    ref: { kind: "path", path: "a.ts", range: { start: 0, end: 0, unit: "byte" } },
  },
  "CMP-007": { type: "file-attachment", name: "a.png", mime: "image/png", data: "AAAA" },
  "CMP-031": { type: "file-attachment", name: "a.psd", mime: "image/x-psd", size: 9 },
  "CMP-098": {
    type: "file-attachment",
    name: "a.mp4",
    mime: "video/mp4",
    size: 9,
    content_id: CONTENT_ID,
  },
  "CMP-008": { type: "command", id: "/search", args: { query: "cats" } },
  "CMP-009": { type: "mention", target: { kind: "skill", name: "pdf" } },
  "CMP-010": {
    type: "editor-context",
    kind: "selection",
    source: "vscode",
    payload: { text: "x" },
    emitted_at: 1_700_000_000_000,
  },
  "CMPH-001": { type: "directory-ref", ref: { kind: "scope", id: "dir_1", name: "src" } },
  "CMP-121": { type: "later-kind", text: "shown by older readers", more: [1, { a: null }] },
} as const

describe("a part", () => {
  it.each(Object.entries(PARTS))("[%s] is read as it was written", (_, part) => {
    expect(writePart(AnyPart.parse(part))).toEqual(part)
    expect(writePart(readPart(JSON.parse(JSON.stringify(part))))).toEqual(part)
  })

  it.each(Object.entries(PARTS))("[CMP-100] [%s] keeps fields that we do not know", (_, part) => {
    const more = { ...part, note: { deep: [1] }, derived_from: "prt_1" }
    expect(writePart(readPart(more))).toEqual(more)
  })

  const range = (start: number, end: number, unit?: string) => ({
    type: "file-ref",
    ref: { kind: "path", path: "a", range: { start, end, ...(unit ? { unit } : {}) } },
  })
  const context = (more: object) => ({ ...PARTS["CMP-010"], ...more })
  it.each([
    ["no part", null, ""],
    ["a bare string", "hello", ""],
    ["a list", [], ""],
    ["no type", { text: "hello" }, "type"],
    ["a type that is no name", { type: "Nope!" }, "type"],
    ["text that is no string", { type: "text", text: 1 }, "text"],
    ["text past the limit", { type: "text", text: "x".repeat(MAX_TEXT_CHARACTERS + 1) }, "text"],
    ["a ref of no kind", { type: "file-ref", ref: { path: "a" } }, "ref.kind"],
    ["an empty path", { type: "file-ref", ref: { kind: "path", path: "" } }, "ref.path"],
    ["a NUL in a path", { type: "file-ref", ref: { kind: "path", path: "a\0b" } }, "ref.path"],
    [
      "a path past the limit",
      { type: "file-ref", ref: { kind: "path", path: "x".repeat(MAX_PATH_CHARACTERS + 1) } },
      "ref.path",
    ],
    ["line 0", range(0, 1), "ref.range.start"],
    ["a range that ends before it starts", range(3, 2), "ref.range.end"],
    ["half a line", range(1.5, 2), "ref.range.start"],
    ["a unit we do not count in", range(1, 2, "page"), "ref.range.unit"],
    ["a line past all files", range(1, 1e21), "ref.range.end"],
    [
      "a content id that is none",
      { type: "file-ref", ref: { kind: "content", content_id: "sha256:abc" } },
      "ref.content_id",
    ],
    ["bytes that are not base64", { ...PARTS["CMP-007"], data: "AAA" }, "data"],
    ["base64 with something else in it", { ...PARTS["CMP-007"], data: "AA A" }, "data"],
    ["an attachment without a name", { type: "file-attachment", mime: "image/png" }, "name"],
    ["a size below nothing", { ...PARTS["CMP-031"], size: -1 }, "size"],
    ["a command that is no name", { type: "command", id: "search", args: {} }, "id"],
    ["a command without arguments", { type: "command", id: "/search" }, "args"],
    ["a mention of nothing", { type: "mention", target: {} }, "target.kind"],
    ["context without its payload", context({ payload: undefined }), "payload"],
    ["context that is only text", context({ payload: "x" }), "payload"],
    ["context of a time that is none", context({ emitted_at: "now" }), "emitted_at"],
    ["context of no kind", context({ kind: "" }), "kind"],
    ["a long kind", context({ kind: "x".repeat(MAX_NAME_CHARACTERS + 1) }), "kind"],
    ["heavy context", context({ payload: { x: "x".repeat(MAX_CONTEXT_CHARACTERS) } }), "payload"],
    [
      "a directory by path",
      { type: "directory-ref", ref: { kind: "scope", id: "/etc", name: "etc" } },
      "ref.id",
    ],
  ])("is refused with %s, and says where", (_, value, path) => {
    const parsed = AnyPart.safeParse(value)
    expect(parsed.success).toBe(false)
    expect(parsed.error?.issues.map((issue) => issue.path.join("."))).toContain(path)
  })
})

describe("readPart", () => {
  it("[CMP-121] keeps a part that another version wrote", () => {
    const part = readPart(PARTS["CMP-121"])
    expect(part).toEqual({ type: "unknown", raw: PARTS["CMP-121"] })
    expect(writePart(part)).toEqual(PARTS["CMP-121"])
  })

  it("[CMP-121] takes a known type in another shape for unknown, with its text", () => {
    const part = readPart({ type: "file-ref", ref: 1, text: "still readable" })
    expect(part.type).toBe("unknown")
    expect(writePart(part)).toMatchObject({ type: "unknown", text: "still readable", ref: 1 })
  })

  it("never throws, whatever a row holds", () => {
    const oddly = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true })
    const nearly = fc.record(
      {
        type: fc.constantFrom(...Object.values(PARTS).map(({ type }) => type)),
        ref: fc.anything(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(oddly, nearly, fc.jsonValue()), (value) => {
        expect(typeof writePart(readPart(value)).type).toBe("string")
      }),
      { numRuns: 500 },
    )
  })

  it("never changes what it understands", () => {
    const part = fc.oneof(
      fc.record({ type: fc.constant("text"), text: fc.string({ unit: "binary" }) }),
      fc.record({
        type: fc.constant("mention"),
        target: fc.record({ kind: fc.string({ minLength: 1 }), id: fc.jsonValue() }),
      }),
    )
    fc.assert(
      fc.property(part, (value) => {
        expect(readPart(value)).toEqual(value)
      }),
    )
  })

  it("does not let a part bring a prototype along", () => {
    const part = readPart(JSON.parse('{"type":"text","text":"a","__proto__":{"data":"x"}}'))
    expect((part as { data?: unknown }).data).toBeUndefined()
    expect(Object.getPrototypeOf(part)).toBe(Object.prototype)
  })
})

describe("the blobs of a part", () => {
  function contentIdOf(part: Part): string | undefined {
    return definitionOf(part).blobs(part)[0]
  }

  it("finds the blob that a part needs", () => {
    expect(contentIdOf(readPart(PARTS["CMP-098"]))).toBe(CONTENT_ID)
    expect(contentIdOf(readPart(PARTS["CMP-006 content"]))).toBe(CONTENT_ID)
    expect(contentIdOf(readPart(PARTS["CMP-006 path"]))).toBeUndefined()
    expect(contentIdOf(readPart(PARTS["CMP-121"]))).toBeUndefined()
  })
})

describe("UserMessage", () => {
  it("[CMP-001] is a role and parts, never a bare string", () => {
    const parts = Object.values(PARTS)
    expect(UserMessage.parse({ parts })).toEqual({ role: "user", parts })
    for (const value of ["hello", { parts: "hello" }, { parts: [] }, { role: "system", parts }])
      expect(UserMessage.safeParse(value).success).toBe(false)
  })

  it("[CMP-003] keeps the order of its parts", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.values(PARTS), { minLength: 1 }), (parts) => {
        expect(UserMessage.parse({ parts }).parts).toEqual(parts)
      }),
    )
  })
})
