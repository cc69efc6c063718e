import { spawnSync } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { existsSync, lstatSync, readdirSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openHost } from "../../packages/engine/host/host.ts"
import { temporaryFolder } from "../build.ts"
import { missing, pathOf } from "../machine.ts"
import { until } from "../session/house.ts"
import { start } from "./editor.ts"
import { MAIN } from "../program.ts"

const MOCK = join(import.meta.dirname, "mock-agent.ts")

/** As the document has it; a request adds its id and its session. */
const EXAMPLE = {
  method: "session/prompt",
  params: {
    content: "Review this file",
    _meta: {
      "sandboxagent.dev": {
        attachments: [{ path: "/workspace/file.py", mime: "text/x-python", filename: "file.py" }],
      },
    },
  },
}

const AS_BLOCKS = {
  ...EXAMPLE,
  params: {
    prompt: [{ type: "text", text: "Review this file" }],
    _meta: EXAMPLE.params._meta,
  },
}

/** This machine, with a folder of ours at `/workspace`. */
function withWorkspace(folder: string, command: readonly string[]): string[] {
  const binds = readdirSync("/").flatMap((name) => {
    const path = `/${name}`
    if (["proc", "dev", "workspace"].includes(name)) return []
    return lstatSync(path).isSymbolicLink()
      ? ["--symlink", readlinkSync(path), path]
      : ["--bind-try", path, path]
  })
  const own = ["--dev", "/dev", "--proc", "/proc", "--bind", folder, "/workspace"]
  return [...binds, ...own, "--chdir", "/workspace", "--", ...command]
}

function cannotBind(): boolean {
  if (missing("bubblewrap") || !existsSync("/proc")) return true
  const args = withWorkspace("/tmp", ["/bin/sh", "-c", "exit 0"])
  return spawnSync(pathOf("bubblewrap"), args).status !== 0
}

async function stand(...words: readonly string[]) {
  const folder = await temporaryFolder()
  const workspace = join(folder, "workspace")
  const data = join(folder, "data")
  await mkdir(workspace)
  await writeFile(join(workspace, "file.py"), "print('hello from the file')\n")
  const script = join(folder, "script.json")
  await writeFile(script, JSON.stringify({}))
  const [verb = "", ...rest] = words
  const command = [process.execPath, MAIN, verb, "--data", data, ...rest]
  const env = { ...process.env, COMPOSITOR_SCRIPT: script, HOME: folder }
  const { editor, child } = start(pathOf("bubblewrap"), withWorkspace(workspace, command), { env })
  let said = ""
  child.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString()
  })
  await editor.initialize()
  const session = await editor.open("/workspace")
  const ask = async (id: string, example: typeof EXAMPLE | typeof AS_BLOCKS) => {
    const params = { sessionId: session, ...example.params }
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...example, params })}\n`)
    await until(() => said.includes(`"id":"${id}"`))
    return JSON.parse(said.split("\n").find((line) => line.includes(`"id":"${id}"`)) ?? "")
  }
  return { editor, data, ask, session }
}

describe.skipIf(cannotBind())("the document's own example", { timeout: 60_000 }, () => {
  it.each([
    ["the string form", EXAMPLE],
    ["the form of blocks", AS_BLOCKS],
  ])("[ATT-001] [ATT-002] is understood by our agent, in %s", async (_, example) => {
    const { ask, data, session, editor } = await stand("acp", "--model", "scripted")
    expect(await ask("seed", example)).toMatchObject({ result: { stopReason: "end_turn" } })
    expect(editor.answer).toContain("Review this file")
    expect(editor.answer).toContain("print('hello from the file')")
    const host = await openHost({ data, workspace: null, environment: {}, turns: false })
    const { messages } = await host.store.history(session, { limit: 10 })
    expect(messages[0]?.parts.map((part) => part.data)).toMatchObject([
      { type: "text", text: "Review this file" },
      { type: "file-attachment", name: "file.py", data: expect.any(String) },
    ])
    await host.close()
  })

  it.each([
    ["the string form", EXAMPLE],
    ["the form of blocks", AS_BLOCKS],
  ])("[ATT-003] [ATT-004] passes our proxy, in %s", async (_, example) => {
    const agent = [process.execPath, MOCK]
    const { ask, editor, session } = await stand("acp-proxy", "--agent", "text", "--", ...agent)
    await ask("seed", example)
    expect(JSON.parse(editor.answer)).toEqual({
      sessionId: session,
      prompt: [{ type: "text", text: "Review this file\n\nAttachments:\n- /workspace/file.py\n" }],
      _meta: EXAMPLE.params._meta,
    })
  })
})
