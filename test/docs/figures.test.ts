import { readFileSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Ran } from "../../kit/bench/run-everything.ts"
import {
  keepFigures,
  pageOf,
  QUOTING,
  readKept,
  showFigures,
  withQuotes,
} from "../../scripts/figures.ts"
import { temporaryFolder } from "../build.ts"

const ROOT = join(import.meta.dirname, "..", "..")
const README = readFileSync(join(ROOT, "README.md"), "utf8")
const PAGE = readFileSync(join(ROOT, "docs", "figures.md"), "utf8")

describe("figures of this repository", () => {
  it("are on the page as the programs wrote them", () => {
    expect(PAGE).toBe(pageOf(readKept()))
  })

  it.each(QUOTING)("are quoted by $path as they are kept", (quoting) => {
    const text = readFileSync(join(ROOT, quoting.path), "utf8")
    expect(text).toContain("<!-- figures:begin -->")
    expect(text).toBe(withQuotes(text, readKept(), quoting))
  })

  it("leave README short", () => {
    expect(README.trimEnd().split("\n").length).toBeLessThanOrEqual(120)
  })

  it("are all that README tells", () => {
    const prose = README.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`]*`/g, "")
    const told = prose.match(/[\d.,]*\d(?:x| (?:µs|ms|s|MB|KB|of [\d,]+)|\/s)(?!\w)/g) ?? []
    expect(told.filter((figure) => !PAGE.includes(figure))).toEqual([])
  })
})

describe("what was found", () => {
  const machine = {
    processor: "A processor",
    cores: 2,
    memory_gib: 4,
    node: "v24.0.0",
    kernel: "6.1",
    disk: "/tmp on ext4",
  }
  const ran: Ran = {
    name: "send",
    summary: "a message to the disk",
    quick: false,
    outcome: "passed",
    tables: [
      {
        headings: ["send", "figure", "ratio", "gate"],
        rows: [
          ["submit, 64 callers, 1 session", "2,200/s", "9.92x the raw loop", "≥ 5x pass"],
          ["  with |", "", "2.10x", "no worse: NO"],
          ["without a gate", "5 ms", "", ""],
        ],
      },
    ],
    last_words: "done",
    seconds: 3,
    at: "2026-01-02T03:04:05.000Z",
    load: 0.5,
    machine,
    commit: "abc",
  }

  async function root(): Promise<string> {
    const folder = await temporaryFolder()
    await mkdir(join(folder, "docs"))
    await writeFile(join(folder, "README.md"), "<!-- figures:begin -->\n<!-- figures:end -->\n")
    return folder
  }

  it("is kept by program: the newest, with its machine, date and commit", async () => {
    const folder = await root()
    keepFigures("bench", { ...ran, commit: "older" }, folder)
    keepFigures("torture", { ...ran, name: "kill9", tables: [] }, folder)
    keepFigures("bench", ran, folder)
    const page = await readFile(join(folder, "docs", "figures.md"), "utf8")
    expect(page).not.toContain("older")
    expect(page).toContain(
      "2026-01-02 03:04 UTC, commit abc, 3 s, load 0.50 when it began; A processor",
    )
    expect(page).toContain(
      "| send | submit, 64 callers, 1 session | 2,200/s | the raw loop | 9.92x | ≥ 5x | yes |",
    )
    expect(page).toContain(
      "| send | submit, 64 callers, 1 session: with \\| | 2,200/s |  | 2.10x | no worse | NO |",
    )
    expect(page).toContain("### kill9")
    expect(await readFile(join(folder, "README.md"), "utf8")).toContain(
      "| send: submit, 64 callers, 1 session | 2,200/s | 9.92x the raw loop | ≥ 5x |",
    )
  })

  it("is not kept where it was tried in small", async () => {
    const folder = await root()
    keepFigures("bench", { ...ran, quick: true }, folder)
    expect(readKept(folder).bench).toEqual([])
    expect(showFigures([{ ...ran, quick: true }])).toContain("proves nothing")
  })

  it("has a row for what failed or did not end", () => {
    const said = { tables: [], last_words: "Error: there is no peer" }
    const shown = showFigures([
      { ...ran, ...said, name: "broken", outcome: "failed" },
      { ...ran, ...said, name: "hangs", outcome: "timed-out" },
      { ...ran, name: "fine", tables: [{ headings: ["fine", "count"], rows: [["lost", "0"]] }] },
      { ...ran, name: "brief", tables: [], last_words: "0 divergences" },
    ])
    expect(shown).toMatch(/broken +failed after 3 s +Error: there is no peer .* NO/)
    expect(shown).toMatch(/hangs +was ended after 3 s .* NO/)
    expect(shown).toMatch(/fine +a message to the disk +lost 0 .* yes/)
    expect(shown).toMatch(/brief +a message to the disk +0 divergences .* yes/)
    expect(shown).toContain("A processor, 2 cores, 4 GiB")
  })
})
