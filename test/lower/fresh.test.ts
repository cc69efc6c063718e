import type { FileRefPart } from "../../packages/core/parts/file-ref.ts"
import type { PartData } from "../../packages/core/parts/define-part.ts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { unifiedDiff } from "../../packages/engine/loading/diff.ts"
import {
  describeChange,
  type Earlier,
  rememberShown,
} from "../../packages/engine/loading/unchanged-files.ts"
import { captureRange } from "../../packages/engine/loading/load.ts"
import { reanchor } from "../../packages/engine/loading/reanchor.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { fileRef, named } from "../build.ts"
import { type House, house } from "./house.ts"

const model = capabilitiesOfApi("anthropic-messages", ["text"])
const NUMBERS = Array.from({ length: 60 }, (_, at) => `line ${at + 1}\n`).join("")

/** A session that sends one message after the other. */
function session(rooms: House) {
  let known: ReadonlyMap<string, Earlier> = new Map()
  let shown_at = Date.parse("2026-11-15T08:00:00Z")
  return async (...parts: readonly PartData[]) => {
    const lowered = await rooms.lower(
      parts.map((part) => named(part)),
      model,
      {
        earlier: (path) => known.get(path),
      },
    )
    known = rememberShown(known, lowered.parts, { receipts: lowered.receipts, shown_at })
    shown_at += 60_000
    return { text: lowered.shown.join("|"), receipt: lowered.receipts[0] }
  }
}

describe("fresh references", () => {
  it("[BEY-03] says that a file is unchanged instead of showing it again", async () => {
    const send = session(await house({ "a.ts": NUMBERS }))
    expect((await send(fileRef("a.ts"))).text).toBe(`File a.ts:\n${NUMBERS}`)
    const again = await send(fileRef("a.ts"))
    expect(again.text).toBe(
      "[file: a.ts. Unchanged since it was shown at 2026-11-15T08:00:00.000Z.]",
    )
    expect(again.receipt).toMatchObject({
      outcome: "descriptor",
      rule: "BEY-03",
      reason:
        "The file is unchanged since it was shown at 2026-11-15T08:00:00.000Z, so it is not shown again.",
    })
    expect((await send(fileRef("a.ts"))).text).toBe(again.text)
  })

  it("[BEY-03] shows what changed, against what was shown last", async () => {
    const rooms = await house({ "a.ts": NUMBERS })
    const send = session(rooms)
    await send(fileRef("a.ts"))
    await rooms.write("a.ts", NUMBERS.replace("line 30", "line thirty"))
    const first = await send(fileRef("a.ts"))
    expect(first.text).toBe(
      "File a.ts, what changed since it was shown at 2026-11-15T08:00:00.000Z:\n@@ -27,7 +27,7 @@\n line 27\n line 28\n line 29\n-line 30\n+line thirty\n line 31\n line 32\n line 33\n",
    )
    expect(first.receipt).toMatchObject({ outcome: "inlined", rule: "BEY-03" })
    expect((await send(fileRef("a.ts"))).text).toContain(
      "Unchanged since it was shown at 2026-11-15T08:01",
    )
    await rooms.write("a.ts", NUMBERS.replace("line 30", "line thirty").replace("line 2\n", ""))
    expect((await send(fileRef("a.ts"))).text).toContain(
      "@@ -1,5 +1,4 @@\n line 1\n-line 2\n line 3",
    )
  })

  it("[BEY-03] shows the file when most of it changed, and when it was not shown whole", async () => {
    const rooms = await house({ "a.ts": NUMBERS, "b.ts": NUMBERS })
    const send = session(rooms)
    await send(fileRef("a.ts"))
    await rooms.write("a.ts", NUMBERS.replaceAll("line", "row"))
    expect((await send(fileRef("a.ts"))).text).toMatch(/^File a\.ts:\nrow 1\n/)
    await send(fileRef("b.ts", { start: 1, end: 2 }))
    expect((await send(fileRef("b.ts"))).text).toBe(`File b.ts:\n${NUMBERS}`)
    expect((await send(fileRef("b.ts", { start: 1, end: 1 }))).text).toBe(
      "File b.ts, line 1:\nline 1",
    )
  })

  it("[BEY-03] shows the file where the earlier one is no longer in the prompt, or gone", async () => {
    const rooms = await house({ "a.ts": NUMBERS })
    const part = named(fileRef("a.ts"))
    await rooms.lower([part], model)
    const earlier = () => ({ content_id: `sha256:${"0".repeat(64)}`, shown_at: 0 })
    expect((await rooms.lower([part], model, { earlier })).shown).toEqual([
      `File a.ts:\n${NUMBERS}`,
    ])
    expect((await rooms.lower([part], model)).shown).toEqual([`File a.ts:\n${NUMBERS}`])
  })

  it("[BEY-03] remembers nothing that was only described", async () => {
    const rooms = await house({ "a.ts": "x\n".repeat(20_000) })
    const send = session(rooms)
    expect((await send(fileRef("a.ts"))).receipt?.outcome).toBe("descriptor")
    expect((await send(fileRef("a.ts"))).text).toContain("it is larger than")
  })
})

const line = fc.constantFrom("a", "b", "c", "", "}", "  return")
const text = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.boolean())
  .map(([lines, ends]) => lines.join("\n") + (ends ? "\n" : ""))

describe("unifiedDiff", () => {
  it("[BEY-03] turns the old text into the new one", () =>
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = unifiedDiff(before, after)
        expect(diff).toBeDefined()
        expect(applied(before, diff ?? "")).toBe(after)
      }),
      { numRuns: 1000 },
    ))

  it("is empty for equal texts, and says where a last line has no break", () => {
    expect(unifiedDiff("a\n", "a\n")).toBe("")
    expect(unifiedDiff("a", "a\n")).toBe("@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n")
    expect(unifiedDiff("", "a\n")).toBe("@@ -0,0 +1,1 @@\n+a\n")
  })

  it("gives up on texts that have nothing in common, quickly", () => {
    const [one, other] = ["a", "b"].map((mark) =>
      Array.from({ length: 20_000 }, (_, at) => `${mark}${at}\n`).join(""),
    ) as [string, string]
    const start = performance.now()
    expect(unifiedDiff(one, other)).toBeUndefined()
    expect(performance.now() - start).toBeLessThan(2000)
  })

  it("[BEY-03] is used only where it is smaller than half of the file", () =>
    fc.assert(
      fc.property(text, text, (before, after) => {
        const fresh = describeChange(before, after, 0)
        if (fresh?.type === "changed") expect(fresh.diff.length).toBeLessThan(after.length / 2)
      }),
    ))
})

describe("reanchor", () => {
  it("[BEY-03] finds lines that moved, wherever they went", () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.string({ minLength: 1 }).map((word) => word.replaceAll("\n", " ")),
          {
            minLength: 1,
            maxLength: 8,
            selector: (word) => word.trimEnd(),
          },
        ),
        fc.array(fc.constant("filler")),
        fc.array(fc.constant("filler")),
        fc.integer({ min: 1, max: 50 }),
        (lines, before, after, start) => {
          fc.pre(!lines.some((word) => word.trimEnd() === "filler"))
          const now = [...before, ...lines, ...after].join("\n")
          const end = before.length + lines.length
          expect(reanchor(lines, start, now)).toEqual({ start: before.length + 1, end })
        },
      ),
    ))

  it("takes the nearest of several, forgives white space at ends, and says when they are gone", () => {
    expect(reanchor(["x"], 5, "x\na\nb\nc\nd\ne\nx")).toEqual({ start: 7, end: 7 })
    expect(reanchor(["x"], 2, "x\na\nb\nc\nd\ne\nx")).toEqual({ start: 1, end: 1 })
    expect(reanchor(["x  "], 1, "a\nx\r")).toEqual({ start: 2, end: 2 })
    expect(reanchor(["y"], 1, "a\nx")).toBeUndefined()
    expect(reanchor([], 1, "a")).toBeUndefined()
  })

  it("[BEY-03] a selection that says what it was is found again when it is submitted", async () => {
    const rooms = await house({ "a.ts": NUMBERS })
    const range = { start: 10, end: 11 }
    const ref = { kind: "path", path: "a.ts", range, selected: "line 10\nline 11" } as const
    const part = named({ type: "file-ref", ref: ref as FileRefPart["ref"] })
    await rooms.write("a.ts", `new\nnew\n${NUMBERS}`)
    const capture = await captureRange(part, rooms.sources())
    if (capture) rooms.captures.set(part.id, capture)
    const moved = await rooms.lower([part], model)
    expect(moved.shown).toEqual(["File a.ts, lines 12-13:\nline 10\nline 11"])
    expect(moved.receipts[0]?.reason).toBe(
      "The model is shown only lines 12-13 of the file: they stood at line 10 when they were selected.",
    )
    await rooms.write("a.ts", "all\nother\n".repeat(9))
    const gone = await rooms.lower(
      [named({ type: "file-ref", ref: ref as FileRefPart["ref"] })],
      model,
    )
    expect(gone.receipts[0]?.reason).toContain("have changed since they were selected")
  })
})

/** What a patch program does, as strictly as it can. */
function applied(before: string, diff: string): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const fresh: string[] = []
  let at = 0
  for (const row of diff.replaceAll("\n\\ No newline at end of file\n", "\0").match(ROW) ?? []) {
    const [, start, count] = /^@@ -(\d+),(\d+) /.exec(row) ?? []
    if (start !== undefined) {
      while (at < Number(start) - (count === "0" ? 0 : 1)) fresh.push(old[at++] ?? "")
      continue
    }
    const line = row.slice(1).replace("\0", "")
    if (!row.startsWith("+")) expect(old[at++]).toBe(line)
    if (!row.startsWith("-")) fresh.push(line)
  }
  return [...fresh, ...old.slice(at)].join("")
}

const ROW = /[^\n\0]*[\n\0]/g
