import { spawn } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../build.ts"
import { newSession, openServed } from "./served.ts"
import { MAIN } from "../program.ts"

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

async function house() {
  const folder = await temporaryFolder()
  for (const name of ["data", "home", "workspace/.git"])
    await mkdir(join(folder, name), { recursive: true })
  return folder
}

function run(folder: string, words: readonly string[], input = ""): Promise<Ran> {
  const where = ["--data", join(folder, "data"), "--workspace", join(folder, "workspace")]
  const env = { PATH: process.env.PATH ?? "", HOME: join(folder, "home") }
  const child = spawn(process.execPath, [MAIN, ...words, ...where], { env })
  const said = { out: "", err: "" }
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()))
  child.stdin.end(input)
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...said })))
}

describe("compositor memory", () => {
  it("[UX-030] writes, lists, shows and forgets what is remembered", async () => {
    const folder = await house()
    const edit = ["memory", "edit", "tone", "--scope", "user", "--file", "-"]
    const wrote = await run(folder, edit, "Be brief.\n")
    expect(wrote).toMatchObject({ code: 0, out: "tone is remembered (user)\n" })
    const listed = await run(folder, ["memory", "list", "--json"])
    expect(JSON.parse(listed.out)).toMatchObject([
      { name: "tone", scope: "user", description: "Be brief.", author: { by: "user" } },
    ])
    expect((await run(folder, ["memory", "show", "tone"])).out).toBe("Be brief.\n")
    expect((await run(folder, ["memory", "rm", "tone"])).out).toBe("forgot tone (user)\n")
    expect(await run(folder, ["memory", "show", "tone"])).toMatchObject({ code: 1 })
    expect((await run(folder, ["memory"])).out).toBe("Nothing is remembered here yet.\n")
    expect(await run(folder, ["memory", "list", "--scope", "ours"])).toMatchObject({ code: 2 })
  }, 60_000)
})

describe("compositor triggers", () => {
  it("adds, lists, fires and removes what wakes a session", async () => {
    const served = await openServed()
    const id = await newSession(served)
    const at = ["--url", served.running.url, "--token", served.running.token, "--json"]
    const words = async (...said: string[]) => {
      const ran = await run(served.folder, ["triggers", ...said, ...at])
      expect(ran.err).toBe("")
      return JSON.parse(ran.out)
    }
    const cron = await words("add", "Good morning.", "-s", id, "--cron", "0 9 * * 1-5")
    expect(cron.trigger).toMatchObject({
      source: { source: "schedule", schedule: { kind: "cron", timezone: "UTC" } },
    })
    const hook = await words("add", "{{body}}", "-s", id, "--webhook")
    expect(hook.key).toMatchObject({ kind: "hmac", secret: expect.any(String) })
    expect(await words("list", "-s", id)).toHaveLength(2)
    const fired = await words(
      "fire",
      hook.trigger.id,
      "--payload",
      "It is time.",
      "--delivery",
      "1",
    )
    expect(fired.status).toBe("accepted")
    const again = await words(
      "fire",
      hook.trigger.id,
      "--payload",
      "It is time.",
      "--delivery",
      "1",
    )
    expect(again).toEqual({ status: "duplicate", message_id: fired.message_id })
    const { messages } = await served.client.messages(id)
    expect(messages[0]?.parts[0]?.data.text).toBe("It is time.")
    await words("rm", cron.trigger.id)
    expect(await words("list", "-s", id)).toHaveLength(1)
    const bad = await run(served.folder, ["triggers", "add", "x", "-s", id, "--api", "--webhook"])
    expect(bad).toMatchObject({ code: 2, err: expect.stringContaining("say one of") })
  }, 60_000)
})

describe("compositor mcp and agents", () => {
  it("list what a workspace has, and what is not trusted yet", async () => {
    const folder = await house()
    const server = { mcpServers: { docs: { command: "/nonexistent/docs" } } }
    await writeFile(join(folder, "workspace", ".mcp.json"), JSON.stringify(server))
    const listed = await run(folder, ["mcp"])
    expect(listed.out).toContain("untrusted: compositor trust <file>")
    const trusted = await run(folder, ["trust", join(folder, "workspace", ".mcp.json")])
    expect(trusted.code).toBe(0)
    expect((await run(folder, ["mcp"])).out).toContain("cannot be reached")
    const { out } = await run(folder, ["agents", "--json"])
    expect(JSON.parse(out)).toMatchObject([{ type: "assistant", scope: "builtin" }])
  }, 60_000)
})
