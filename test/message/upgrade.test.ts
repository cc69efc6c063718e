import { readPart } from "../../packages/core/parts/read-part.ts"
import { describe, expect, it } from "vitest"
import {
  ModelChoice,
  parseModelChoice,
  SCHEMA_VERSION,
  showModelChoice,
} from "../../packages/core/message/message.ts"
import { type RawPart, upgradePart } from "../../packages/core/message/upgrade.ts"

/** A made-up version 2 says `body` for `text`, and version 3 counts lines from 1. */
const UPGRADES = {
  1: (part: RawPart): RawPart => {
    if (part.type !== "text") return part
    const { text, ...rest } = part
    return { ...rest, body: text }
  },
  2: (part: RawPart): RawPart =>
    typeof part.line === "number" ? { ...part, line: part.line + 1 } : part,
}

describe("upgradePart", () => {
  it("[CMP-120] has one version so far, which is read as it is", () => {
    const part = { type: "text", text: "hello" }
    expect(SCHEMA_VERSION).toBe(1)
    expect(upgradePart(part, 1)).toBe(part)
  })

  it("[CMP-122] brings a part up to date one version after the other", () => {
    const part = { type: "text", text: "hello", line: 4 }
    expect(upgradePart(part, 1, UPGRADES, 2)).toEqual({ type: "text", body: "hello", line: 4 })
    expect(upgradePart(part, 1, UPGRADES, 3)).toEqual({ type: "text", body: "hello", line: 5 })
    expect(upgradePart({ type: "text", body: "hi", line: 1 }, 2, UPGRADES, 3)).toEqual({
      type: "text",
      body: "hi",
      line: 2,
    })
  })

  it("[CMP-123] leaves what is stored alone", () => {
    const part = Object.freeze({ type: "text", text: "hello", line: 1 })
    upgradePart(part, 1, UPGRADES, 3)
    expect(part).toEqual({ type: "text", text: "hello", line: 1 })
  })

  it("[CMP-122] reads a part of a newer version as it stands", () => {
    const part = { type: "text", body: "from the future" }
    expect(upgradePart(part, 7)).toBe(part)
    expect(readPart(upgradePart(part, 7))).toMatchObject({
      type: "unknown",
      raw: { body: part.body },
    })
  })

  it("skips a version that changed nothing, and one that is no number", () => {
    const part = { type: "text", text: "a" }
    expect(upgradePart(part, 1, {}, 3)).toBe(part)
    expect(upgradePart(part, Number.NaN, UPGRADES, 3)).toBe(part)
  })
})

describe("a model's name", () => {
  it.each([
    ["mirror", { provider_id: "mirror", model_id: "mirror" }],
    ["anthropic/claude-opus-5-5", { provider_id: "anthropic", model_id: "claude-opus-5-5" }],
    ["a/b/c", { provider_id: "a", model_id: "b/c" }],
  ])("reads %s as a person types it, and shows it so", (text, choice) => {
    expect(parseModelChoice(text)).toEqual(choice)
    expect(showModelChoice(choice)).toBe(text)
    expect(ModelChoice.parse(choice)).toEqual(choice)
  })
})
