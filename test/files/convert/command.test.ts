import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { scratch } from "./converting.ts"
import { pdf, wholeDocx } from "./samples.ts"
import { MAIN } from "../../program.ts"

function compositor(args: readonly string[], path = process.env["PATH"]) {
  const env = { ...process.env, PATH: path }
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8", cwd: scratch, env })
}

describe("compositor convert", () => {
  writeFileSync(join(scratch, "a.docx"), wholeDocx())
  writeFileSync(join(scratch, "a.pdf"), pdf(["One", "Two", "Three"]))
  mkdirSync(join(scratch, "bin"))

  it("prints text, and the note beside it", () => {
    const { stdout, stderr, status } = compositor(["convert", "a.pdf", "--fragment", "page=2-3"])
    expect({ stdout, stderr, status }).toEqual({
      stdout: "## Page 2\n\nTwo\n\n## Page 3\n\nThree\n",
      stderr: "compositor: Pages 2-3 of 3.\n",
      status: 0,
    })
  })

  it("puts files into a folder, and overwrites none", () => {
    const args = ["convert", "a.pdf", "--to", "png", "--fragment", "page=1-2", "--out", "made"]
    expect(compositor([...args, "--json"]).stdout).toMatch(/"type":"files"/)
    expect(readdirSync(join(scratch, "made"))).toEqual(["a-page-1.png", "a-page-2.png"])
    const again = compositor(args)
    expect(again.status).toBe(2)
    expect(again.stderr).toMatch(/exists already/)
  })

  it("[BIN-034] ends with 1 for a refusal, with 3 and the package where a program is missing", () => {
    expect(compositor(["convert", "a.pdf", "--fragment", "page=9"])).toMatchObject({
      status: 1,
      stderr: "compositor: a.pdf has 3 pages, and no page 9.\n",
    })
    const lacking = compositor(["convert", "a.docx", "--to", "pdf", "--json"], join(scratch, "bin"))
    expect(lacking.status).toBe(3)
    expect(JSON.parse(lacking.stdout)).toMatchObject({ install: "libreoffice-writer" })
  })

  it("says how it is called when it is called wrongly", () => {
    for (const wrong of [
      ["--to", "gif"],
      ["--fragment", "page=0"],
      ["--fragment", "somewhere"],
    ])
      expect(compositor(["convert", "a.pdf", ...wrong]).status).toBe(2)
    expect(compositor(["convert", "gone.pdf"]).status).toBe(1)
  })
})
