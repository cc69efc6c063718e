import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { callId, toolName, toolNames } from "../../packages/core/wires/names.ts"

describe("callId", () => {
  it("leaves an id that every API takes", () => expect(callId("abcDEF123")).toBe("abcDEF123"))

  it("makes nine letters and digits of any id, always the same", () =>
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (id) => {
        expect(callId(id)).toMatch(/^[a-zA-Z0-9]{9}$/)
        expect(callId(id)).toBe(callId(id))
        expect(callId(callId(id))).toBe(callId(id))
      }),
    ))

  it("keeps many ids apart", () => {
    const ids = Array.from({ length: 100_000 }, (_, index) => callId(`toolu_${index}`))
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe("toolName", () => {
  it("leaves a name that every API takes", () =>
    expect(toolName("read_image-2")).toBe("read_image-2"))

  it("makes one of any name, and leads back to it", () =>
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200 }), (name) => {
        expect(toolName(name)).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
        expect(toolNames([{ name }]).get(toolName(name))).toBe(name)
      }),
    ))

  it("keeps apart names that differ in what is not allowed", () =>
    expect(toolName("a.b")).not.toBe(toolName("a:b")))
})
