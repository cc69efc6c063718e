import { existsSync, readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Ran, runEverything } from "../../kit/bench/run-everything.ts"
import { temporaryFolder } from "../build.ts"

const FIGURES = join(import.meta.dirname, "..", "..", "kit", "bench", "figures.ts")

describe("everything, one after the other", () => {
  it("gives the tables of each job as data, and says what failed", async () => {
    const folder = await temporaryFolder()
    const script = join(folder, "jobs.ts")
    await writeFile(
      script,
      `import { QUICK, sized, table } from ${JSON.stringify(FIGURES)}
       const [, , name, size = "none"] = process.argv
       if (name === "broken") throw new Error("there is no peer")
       console.log(table(["job", "ratio", "gate"], [[name ?? "", String(sized(9, 1)), size]]))
       process.exitCode = name === "slow" ? 1 : 0`,
    )
    const told: string[] = []
    const jobs = ["fine", "slow", "broken"].map((name) => ({
      name,
      summary: `is ${name}`,
      quick: ["3"],
    }))
    const tell = ({ name, outcome }: Ran) => told.push(`${name} ${outcome}`)
    const ran = await runEverything(script, jobs, { quick: false, tell })
    expect(told).toEqual(["fine passed", "slow failed", "broken failed"])
    expect(ran.map(({ tables }) => tables)).toEqual([
      [{ headings: ["job", "ratio", "gate"], rows: [["fine", "9", "none"]] }],
      [{ headings: ["job", "ratio", "gate"], rows: [["slow", "9", "none"]] }],
      [],
    ])
    expect(ran[2]?.last_words).toContain("there is no peer")
    const [quick] = await runEverything(script, jobs.slice(0, 1), { quick: true, tell })
    expect(quick).toMatchObject({ quick: true, tables: [{ rows: [["fine", "1", "3"]] }] })
  }, 60_000)

  it("ends what hangs, with all that it began, and goes on", async () => {
    const folder = await temporaryFolder()
    const script = join(folder, "jobs.ts")
    await writeFile(
      script,
      `import { spawn } from "node:child_process"
       import { table } from ${JSON.stringify(FIGURES)}
       const [, , name] = process.argv
       if (name === "hangs") {
         const child = spawn("sleep", ["1000"], { stdio: "inherit" })
         console.log(table(["pid"], [[String(child.pid)]]))
         setInterval(() => undefined, 1000)
       }`,
    )
    const jobs = [
      { name: "hangs", summary: "hangs", minutes: 0.05 },
      { name: "fine", summary: "is fine" },
    ]
    const ran = await runEverything(script, jobs, { quick: false, tell: () => undefined })
    expect(ran.map(({ name, outcome }) => [name, outcome])).toEqual([
      ["hangs", "timed-out"],
      ["fine", "passed"],
    ])
    const pid = Number(ran[0]?.tables[0]?.rows[0]?.[0])
    expect(pid).toBeGreaterThan(0)
    await expect.poll(() => isRunning(pid)).toBe(false)
  }, 60_000)
})

// Whose parent is gone may lie dead for a while, until somebody takes note.
function isRunning(pid: number): boolean {
  const status = `/proc/${pid}/status`
  return existsSync(status) && !/^State:\s+Z/m.test(readFileSync(status, "utf8"))
}
