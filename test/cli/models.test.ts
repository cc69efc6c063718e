import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import type { ModelsAnswer, SwitchAnswer } from "../../packages/client/client.ts"
import { attachment, png, text } from "../build.ts"
import { newSession, openDoor, send } from "../server/house.ts"
import { writeConfig } from "../session/config.ts"
import { MAIN } from "../program.ts"

// Nobody listens there: no test asks the public catalog.
const OFFLINE = { COMPOSITOR_MODELS_URL: "http://127.0.0.1:9/api.json" }

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** The command line as a person starts it, over a folder of its own. */
async function run(data: string, ...words: readonly string[]): Promise<Ran> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: data, ...OFFLINE }
  const args = [MAIN, ...words, "--data", data]
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env, cwd: data })
    return { code: 0, out: stdout, error: stderr }
  } catch (failed) {
    const { code, stdout, stderr } = failed as { code: number; stdout: string; stderr: string }
    return { code, out: stdout, error: stderr }
  }
}

/** A folder in which one turn was had with a picture. */
async function oneTurn() {
  const door = await openDoor({ script: [{ text: "ok" }] })
  const session = await newSession(door)
  await send(door, session, "", { parts: [text("look"), attachment("a.png", png())] })
  await door.host.idle()
  await door.host.close()
  return { data: door.data, session }
}

describe("compositor models", { timeout: 30_000 }, () => {
  it("[BIN-020] lists models with what is known of them, by whom, and the revision", async () => {
    const data = await writeConfig({
      models: [{ provider_id: "anthropic", model_id: "claude-haiku-5-5", context_tokens: 1000 }],
    })
    const { code, out, error } = await run(data, "models")
    expect(code).toBe(0)
    const line = out.split("\n").find((row) => row.startsWith("anthropic/claude-haiku-5-5 "))
    expect(line).toMatch(
      /needs a key +anthropic-messages +1,000 +text, image, pdf +config +anthropic-messages\//,
    )
    expect(error).toContain("never fetched")
  })

  it("says that there is no network, and lists what is known all the same", async () => {
    const data = await writeConfig({})
    const told = await run(data, "models", "--refresh")
    expect(told.code).toBe(0)
    expect(told.error).toContain("the catalog of models stays as it was: http://127.0.0.1:9/")
    expect(told.out).toContain("anthropic/claude-sonnet-5-5")
    const json = await run(data, "models", "--refresh", "--json")
    const answer: ModelsAnswer & { news: object } = JSON.parse(json.out)
    expect(answer.news).toMatchObject({ catalog: { type: "failed" }, probed: [] })
    expect(answer.models.length).toBeGreaterThan(10)
  })

  it("[BEY-02] tells what changes when a session goes on with another model", async () => {
    const { data, session } = await oneTurn()
    const told = await run(data, "models", "--switch", session, "mirror/text")
    expect(told.out).toMatch(/file-attachment +native \(\d+ tokens\) → descriptor/)
    const json = await run(data, "models", "--switch", session, "mirror/text", "--json")
    const report: SwitchAnswer = JSON.parse(json.out)
    expect(report.changes.map(({ type }) => type)).toEqual(["file-attachment"])
    const same = await run(data, "models", "--switch", session, "mirror")
    expect(same.out).toContain("No part of the history changes.")
    const vague = await run(data, "models", "--switch", session)
    expect([vague.code, vague.error]).toEqual([2, expect.stringContaining("say which model")])
  })
})

describe("compositor diff-lowering", { timeout: 30_000 }, () => {
  it("tells of no turn that this version lowered, and refuses a version that is none", async () => {
    const { data } = await oneTurn()
    const told = await run(data, "diff-lowering", "--since", "0")
    expect([told.code, told.out]).toEqual([0, expect.stringContaining("0 of 1 turns since")])
    const json = await run(data, "diff-lowering", "--since", "0", "--json")
    expect(JSON.parse(json.out)).toMatchObject({ compared: 1, turns: [], more: false })
    const wrong = await run(data, "diff-lowering", "--since", "yesterday")
    expect([wrong.code, wrong.error]).toEqual([2, expect.stringContaining("a whole number")])
  })
})
