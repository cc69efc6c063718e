import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { claudeEditor, geminiEditor } from "../tui/editors.ts"
import { kept } from "./kept.ts"
import { type Setting, setting } from "./run.ts"

const LINES = { start: { line: 1, character: 0 }, end: { line: 2, character: 3 } }

function selected(filePath: string, text: string) {
  return { success: true, text, filePath, selection: LINES }
}

/** What was kept of the only message. */
async function parts(place: Setting): Promise<readonly object[]> {
  const { messages } = await kept(place)
  return (messages[0]?.parts ?? []).map(({ data }) => data)
}

describe("compositor send --ide", { timeout: 60_000 }, () => {
  it("[CMP-026] takes the selected lines of a file along, behind what was said", async () => {
    const place = await setting()
    const file = join(place.workspace, "a.ts")
    await writeFile(file, "one\ntwo\nthree\n")
    await claudeEditor(place.workspace, place.workspace, selected(file, "two\nthree"))
    const { code, out } = await place.run(["send", "--ide", "explain"])
    expect([code, out]).toEqual([0, expect.stringContaining("two")])
    expect(await parts(place)).toMatchObject([
      { type: "text", text: "explain" },
      { type: "file-ref", ref: { path: "a.ts", range: { start: 2, end: 3 } } },
    ])
  })

  it("[CMP-070] [BEY-04] takes what is selected elsewhere as editor context, through the ingress policy", async () => {
    const place = await setting()
    const key = `ghp_${"a1B2".repeat(9)}`
    await claudeEditor(place.workspace, place.workspace, selected("/elsewhere/b.ts", `key ${key}`))
    const { code, out } = await place.run(["send", "--ide", "explain"])
    expect(code).toBe(0)
    expect(out).not.toContain(key)
    const kept = await parts(place)
    expect(kept[1]).toMatchObject({ type: "editor-context", kind: "selection", source: "Code" })
    expect(JSON.stringify(kept)).not.toContain(key)
  })

  it("[CMP-026] hears the companion protocol too, and sends a selection without words", async () => {
    const place = await setting()
    const file = join(place.workspace, "b.ts")
    await writeFile(file, "one\ntwo\n")
    const open = {
      path: file,
      isActive: true,
      selectedText: "two",
      cursor: { line: 2, character: 1 },
    }
    await geminiEditor(place.workspace, place.workspace, [open])
    const environment = { TMPDIR: place.workspace }
    const { code } = await place.run(["send", "--ide"], { environment })
    expect(code).toBe(0)
    expect(await parts(place)).toMatchObject([
      { type: "file-ref", ref: { path: "b.ts", range: { start: 2, end: 2 } } },
    ])
  })

  it("sends nothing where there is no editor, and says so", async () => {
    const place = await setting()
    const { code, error } = await place.run(["send", "--ide", "explain"])
    expect(code).toBe(1)
    expect(error).toBe(
      `compositor: no editor has ${place.workspace} open and offers to be heard: open it in one that does\n`,
    )
    expect((await kept(place)).sessions).toEqual([])
  })

  it("sends what was said where nothing is selected, and says so", async () => {
    const place = await setting()
    await claudeEditor(place.workspace, place.workspace)
    const { code, error } = await place.run(["send", "--ide", "explain"])
    expect([code, error]).toEqual([0, expect.stringContaining("Code has nothing selected")])
    expect(await parts(place)).toMatchObject([{ type: "text", text: "explain" }])
  })
})
