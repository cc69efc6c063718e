import { hash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { digestInSlices, digestOf } from "../../packages/engine/submit/digest.ts"

const SLICE = 256 * 1024

/** The same fingerprint, made of one string: rows that were written before have it. */
function digestAtOnce(payload: unknown): string {
  return hash("sha256", canonical(payload), "base64url")
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(",")}}`
}

describe("a digest in slices", () => {
  it("[DOOR-03] is the digest of the whole, wherever strings and pairs are cut", async () => {
    const payloads: unknown[] = [
      1,
      null,
      undefined,
      "",
      [],
      {},
      [undefined, 1],
      { b: 1, a: [{ z: undefined, y: "é\u0000\ud800" }] },
      `${"x".repeat(SLICE - 1)}😀${"y".repeat(SLICE)}`,
      `${"x".repeat(SLICE - 2)}😀${"y".repeat(SLICE)}`,
      `${"x".repeat(SLICE - 1)}\ud83d😀`,
      `${"x".repeat(SLICE)}\udc00x`,
      "\ud800".repeat(SLICE + 3),
      "😀".repeat(SLICE),
      ["\n".repeat(3 * SLICE), { k: "z".repeat(SLICE * 2) }],
    ]
    for (const [at, payload] of payloads.entries()) {
      const expected = digestAtOnce(payload)
      expect(digestOf(payload), `${at}`).toBe(expected)
      expect(await digestInSlices(payload), `${at}`).toBe(expected)
    }
  })
})
