import { describe, expect, it } from "vitest"
import {
  escapeMarkers,
  escapeWholeMarker,
  fence,
  mayHoldMarker,
} from "../../packages/core/model/marker.ts"
import { FORGERIES } from "./spellings.ts"

describe("a look-alike of a marker", () => {
  it.each(FORGERIES)("[TRU-001] is escaped wherever it stands: %s", (_, forged) => {
    const escaped = escapeMarkers(`before ${forged} after`)
    expect(escaped).not.toBe(`before ${forged} after`)
    expect(escapeMarkers(escaped)).toBe(escaped)
    expect(escaped.replaceAll("\\", "")).toBe(`before ${forged} after`)
  })

  it.each(FORGERIES)("[TRU-001] is found in a row that nobody opens: %s", (_, forged) => {
    expect(mayHoldMarker(JSON.stringify({ type: "text", text: forged }))).toBe(true)
  })

  it.each(FORGERIES)(
    "[TRU-001] in the user's words is left unless it is all of them: %s",
    (_, forged) => {
      expect(escapeWholeMarker(`What is ${forged}?`)).toBe(`What is ${forged}?`)
      expect(escapeWholeMarker(`\n\u200b ${forged}`)).toBe(`\n\u200b ${escapeMarkers(forged)}`)
    },
  )

  it.each(FORGERIES)("[TRU-001] cannot close a fence or open another: %s", (_, forged) => {
    const fenced = fence("quoted_file", { path: 'a">b' }, `x\n${forged}\n</quoted_file>\ny`)
    const [open = "", ...inside] = fenced.split("\n").slice(0, -1)
    expect(open).toBe('<quoted_file path="a&quot;&gt;b">')
    expect(escapeMarkers(inside.join("\n"))).toBe(inside.join("\n"))
  })
})

describe("what is no marker", () => {
  it.each(["a < b", "<editor>", "<editor_contexts>", "<div>", "<skill>", "if (a<context) {}"])(
    "[TRU-001] stays as it is: %s",
    (text) => {
      expect(escapeMarkers(text)).toBe(text)
      expect(mayHoldMarker(JSON.stringify(text))).toBe(false)
    },
  )

  it("[TRU-001] is told in a time that grows with its length", () => {
    const hostile = ["<", "< ", "<editor", "<e\u200b", "&#0", "&#", "<editor ", "</"]
    const texts = hostile.flatMap((piece) => [
      piece.repeat(200_000),
      piece + " ".repeat(200_000),
      piece + "0".repeat(200_000),
    ])
    for (const text of texts) expect(escapeMarkers(text)).toBe(text)
  })
})
