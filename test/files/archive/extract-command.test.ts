import { spawnSync } from "node:child_process"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../../build.ts"
import { zip } from "./build.ts"
import { MAIN } from "../../program.ts"

function run(folder: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, "extract", ...args], {
    cwd: folder,
    encoding: "utf8",
  })
  return { status, stdout, stderr }
}

describe("compositor extract", () => {
  it("[BIN-012] extracts, lists, refuses and says so by its exit code", async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, "good.zip"), zip([{ name: "d/a.txt", data: "hello" }]))
    await writeFile(join(folder, "evil.zip"), zip([{ name: "../evil", data: "evil" }]))
    await writeFile(join(folder, "text"), "only text")

    expect(run(folder, "good.zip", "--to", "out")).toMatchObject({
      status: 0,
      stdout: "1 files, 5 B\n",
    })
    expect(await readFile(join(folder, "out/d/a.txt"), "utf8")).toBe("hello")
    expect(run(folder, "good.zip", "--list").stdout).toBe("5  file  d/a.txt\n")
    expect(JSON.parse(run(folder, "good.zip", "--list", "--json").stdout)).toEqual({
      type: "listed",
      format: "zip",
      entries: [{ name: "d/a.txt", type: "file", size: 5 }],
      more: false,
    })
    expect(run(folder, "evil.zip", "--to", "evil")).toEqual({
      status: 1,
      stdout: "",
      stderr: "compositor: ../evil leads out of its folder\n",
    })
    expect(run(folder, "good.zip", "--to", "small", "--limit", "4").status).toBe(1)
    expect(run(folder, "text", "--to", "text-out", "--json")).toMatchObject({
      status: 3,
      stdout: '{"type":"unsupported","format":"unknown"}\n',
    })
    expect(run(folder, "good.zip").status).toBe(2)
    expect(run(folder, "good.zip", "--to", "x", "--limit", "many").status).toBe(2)
    expect((await readdir(folder)).sort()).toEqual(["evil.zip", "good.zip", "out", "text"])
  })

  it("[BIN-062] takes more files or bytes where it is told to, within bounds", async () => {
    const folder = await temporaryFolder()
    const many = Array.from({ length: 10_001 }, (_, at) => ({ name: `d/${at}`, data: "" }))
    await writeFile(join(folder, "many.zip"), zip(many))
    expect(run(folder, "many.zip", "--to", "few").stderr).toContain("more than 10000 files")
    expect(run(folder, "many.zip", "--to", "out", "--max-files", "10001")).toMatchObject({
      status: 0,
      stdout: "10001 files, 0 B\n",
    })
    const wrong = (...words: readonly string[]) => run(folder, "many.zip", "--to", "x", ...words)
    expect(wrong("--max-files", "250001").stderr).toContain("from 1 to 250000")
    expect(wrong("--max-files", "-1").status).toBe(2)
    expect(wrong("--max-bytes", "2T").stderr).toContain("more than 1099511627776 bytes")
  })
})
