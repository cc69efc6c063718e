import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { StoredMessage } from "../../packages/core/message/row.ts"
import { differenceOf } from "../../packages/client/react/editor.ts"
import { chunksOf, isSameChunk } from "../../apps/web/thread/chunks.ts"
import { diffLines, withoutSame } from "../../apps/web/inspector/diff.ts"
import { Recall } from "../../apps/web/composer/recall.ts"
import { resultBeside } from "../../apps/web/thread/tool-output.ts"
import { vocabularyOf } from "../../apps/web/composer/vocabulary.ts"

describe("differenceOf", () => {
  it("turns one text into the other, and takes no pair of surrogates apart", () => {
    const text = fc.string({ unit: "grapheme" })
    fc.assert(
      fc.property(text, text, text, text, (head, before, after, tail) => {
        const [from, to] = [head + before + tail, head + after + tail]
        const change = differenceOf(from, to)
        const { from: start, to: end, insert } = change ?? { from: 0, to: 0, insert: "" }
        expect(from.slice(0, start) + insert + from.slice(end)).toBe(to)
        expect(insert.isWellFormed()).toBe(true)
      }),
    )
  })
})

describe("diffLines", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 }).map((l) => l.join("\n"))

  it("holds both texts: without what is new the one, without what is gone the other", () =>
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const found = diffLines(before, after)
        const side = (other: string) =>
          found.flatMap(({ type, text }) => (type === other ? [] : [text])).join("\n")
        expect(side("new")).toBe(before)
        expect(side("gone")).toBe(after)
      }),
    ))

  it("leaves out what is the same, but for a few lines around a change", () => {
    const before = Array.from({ length: 30 }, (_, at) => `line ${at}`)
    const after = before.with(15, "another")
    const shown = withoutSame(diffLines(before.join("\n"), after.join("\n")))
    expect(shown.filter((line) => line?.type !== "same" && line !== null)).toHaveLength(2)
    expect(shown.length).toBeLessThan(12)
    expect(withoutSame(diffLines("same", "same"))).toEqual([])
  })
})

describe("chunksOf", () => {
  it("keeps the chunks behind an older page as they were", () => {
    const all = Array.from({ length: 50 }, (_, at) => message(at + 1))
    const newest = chunksOf(all.slice(24))
    const whole = chunksOf(all)
    expect(whole.flatMap(({ messages }) => messages)).toEqual(all)
    for (const chunk of newest.slice(1)) {
      const same = whole.find(({ key }) => key === chunk.key)
      expect(same && isSameChunk(same, chunk)).toBe(true)
    }
  })

  it("puts an answer that has no place yet behind the last message", () => {
    const chunks = chunksOf([message(1), { ...message(2), seq: null }])
    expect(chunks).toHaveLength(1)
  })
})

describe("Recall", () => {
  it("goes back through what was said and forth again, and leaves what was written alone", () => {
    const said = ["one", "two"].map((source, at) => ({
      ...message(2 * at + 1),
      metadata: { composer_input: { source } },
    }))
    const recall = new Recall(() => said)
    expect(recall.step(-1, "my own words")).toBeUndefined()
    expect(recall.step(-1, "")).toBe("two")
    expect(recall.step(-1, "two")).toBe("one")
    expect(recall.step(-1, "one")).toBeUndefined()
    expect(recall.step(1, "one")).toBe("two")
    expect(recall.step(1, "two")).toBe("")
    expect(recall.step(1, "")).toBeUndefined()
  })
})

describe("resultBeside", () => {
  it("leaves what a text does not say, such as an exit code", () => {
    const data = { stdout: "two files\n", exit_code: 1, truncated: false }
    expect(resultBeside(data, "two files")).toEqual({ exit_code: 1, truncated: false })
    expect(resultBeside("two files", "two files\n")).toBeUndefined()
    expect(resultBeside(data, "")).toBe(data)
  })
})

describe("vocabularyOf", () => {
  it("knows a command by its name and its aliases, and a server by its prompts", () => {
    const source = { tool: "compositor", scope: "builtin", owner: "builtin" } as const
    const vocabulary = vocabularyOf([
      {
        name: "branch",
        command: {
          name: "branch",
          kind: "action",
          runs: "queued",
          aliases: ["fork"],
          trust: "trusted",
          source,
        },
      },
      {
        name: "mcp:docs:ask",
        command: {
          name: "ask",
          kind: "mcp",
          server: "docs",
          prompt: "ask",
          trust: "trusted",
          source,
        },
      },
    ])
    expect(vocabulary.commands.get("fork")).toBe("action")
    expect(vocabulary.commands.get("mcp:docs:ask")).toBe("mcp")
    expect(vocabulary.servers).toEqual(["docs"])
  })
})

function message(seq: number): StoredMessage {
  return {
    id: `msg_${seq}`,
    session_id: "ses_1",
    role: seq % 2 === 1 ? "user" : "assistant",
    metadata: {},
    state: "fired",
    seq,
    position: null,
    created_at: 0,
    updated_at: 0,
    parts: [],
  }
}
