import { spawn } from "node:child_process"
import { describe, expect, it } from "vitest"
import { isBinding } from "../../kit/conformance/rule.ts"
import { SCENARIOS } from "../../kit/conformance/scenarios.ts"
import { UNSEEN } from "../../kit/conformance/unseen.ts"
import { MODEL, RULES, serverToTry, tried } from "./house.ts"
import { MAIN } from "../program.ts"

describe("the kit", () => {
  it("[BEY-11] looks at every binding rule, or says why no wire shows it", () => {
    const seen = new Set(SCENARIOS.flatMap(({ rules }) => rules))
    const binding = RULES.filter(isBinding).map(({ id }) => id)
    expect(binding.filter((id) => !seen.has(id) && !(id in UNSEEN))).toEqual([])
    const known = new Set(RULES.map(({ id }) => id))
    expect([...seen, ...Object.keys(UNSEEN)].filter((id) => !known.has(id))).toEqual([])
    expect(Object.keys(UNSEEN).filter((id) => seen.has(id))).toEqual([])
  })

  it("[BEY-11] finds every rule kept by our own server", { timeout: 300_000 }, async () => {
    const reports = await tried(await serverToTry())
    const bad = reports.filter(({ verdict }) => ["fail", "not-run"].includes(verdict.type))
    expect(bad.map(({ rule, verdict }) => ({ id: rule.id, ...verdict }))).toEqual([])
  })

  it("[BEY-11] says what it could not look at, where nobody asks its model", {
    timeout: 60_000,
  }, async () => {
    const server = await serverToTry()
    const [other] = await tried({ ...server, model_port: 0 }, ["QUE-001"])
    expect(other?.verdict).toMatchObject({ type: "not-run" })
  })

  it("[BEY-11] is a command with a table and an exit code", { timeout: 60_000 }, async () => {
    const { url, token, model_port } = await serverToTry()
    const words = ["conformance", url, "--token", token, "--model", MODEL]
    const more = ["--model-port", String(model_port), "--only", "CMP-025", "DAE-001", "EA-035"]
    const { code, out } = await run([...words, ...more])
    expect(out).toMatch(/^CMP-025 +pass .*\n/m)
    expect(out).toMatch(/^EA-035 +no wire .*\n +a handler must die for it/m)
    expect(out).toContain("3 rules: 2 pass, 0 FAIL, 0 not run, 1 that no wire shows")
    expect(code).toBe(0)
  })
})

function run(words: readonly string[]): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, [MAIN, ...words])
  let out = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out })))
}
