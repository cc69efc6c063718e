import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Ran, runEverything } from "../../bench/run-everything.ts"
import { temporaryFolder } from "../build.ts"

const FIGURES = join(import.meta.dirname, "..", "..", "bench", "figures.ts")

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
    expect(ran[2]?.last_words).toContain("Node.js")
    const [quick] = await runEverything(script, jobs.slice(0, 1), { quick: true, tell })
    expect(quick).toMatchObject({ quick: true, tables: [{ rows: [["fine", "1", "3"]] }] })
  }, 60_000)
})
