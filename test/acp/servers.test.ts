import { execFileSync, spawn } from "node:child_process"
import { readdir, readFile } from "node:fs/promises"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { type McpServer, methods } from "@agentclientprotocol/sdk"
import { describe, expect, it, onTestFinished } from "vitest"
import { createClient } from "../../packages/client/client.ts"
import { temporaryFolder } from "../build.ts"
import { EVERYTHING, newSession, openServed } from "../host/served.ts"
import type { Script } from "../../packages/engine/providers/scripted.ts"
import { until } from "../session/house.ts"
import { type EditorOptions, type Met, meet, start } from "./editor.ts"
import { MAIN } from "../program.ts"

const { session: at } = methods.agent
const SLOW = 60_000

const stdio: McpServer = { name: "All Things (test)", ...EVERYTHING, env: [] }
const ECHO = "All-Things-test_echo"

/** Calls the echo of the server when it is asked to; else it says which tools it was told of. */
const script: Script = ({ newest, call }) => {
  const words = (newest?.blocks ?? []).map((block) => ("text" in block ? block.text : "")).join("")
  const names = (call.envelope.tools ?? []).map(({ name }) => name)
  if (words !== "call it") return [{ text: `tools: ${names.join(" ")}` }]
  const name = names.find((one) => one.endsWith("_echo")) ?? "none"
  return [{ call: { id: "c1", name, input: { message: "hello there" } } }]
}

async function open(options: EditorOptions = {}): Promise<Met> {
  const home = await temporaryFolder()
  return meet({ extent: "full", environment: { HOME: home }, script }, options)
}

async function begin({ editor, workspace }: Met, mcpServers: McpServer[]): Promise<string> {
  const answer = await editor.agent.request(at.new, { cwd: workspace, mcpServers })
  return answer.sessionId
}

/** The editor's servers that run as children of this process. */
function running(): string[] {
  const said = execFileSync("ps", ["-o", "args=", "--ppid", `${process.pid}`], { encoding: "utf8" })
  return said.split("\n").filter((line) => line.includes("server-everything"))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The same server behind an address. */
async function listening(transport: "sse" | "streamableHttp"): Promise<string> {
  const port = await freePort()
  const child = spawn(process.execPath, [EVERYTHING.args[0] ?? "", transport], {
    env: { PORT: `${port}` },
    stdio: ["ignore", "ignore", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
  await until(() => said.includes(`${port}`))
  return `http://127.0.0.1:${port}`
}

describe("MCP servers that an editor names", { timeout: SLOW }, () => {
  it("[ACP-006] [MCP-001] are the session's own: each tool under its server, asked about as any", async () => {
    const met = await open({ choose: () => "allow_once" })
    const session = await begin(met, [stdio])
    await met.editor.say(session, "which")
    expect(met.editor.answer).toContain(ECHO)
    await met.editor.say(session, "call it")
    expect(met.editor.asked).toMatchObject([{ sessionId: session, toolCall: { toolCallId: "c1" } }])
    const updates = met.editor.updates("tool_call_update")
    expect(JSON.stringify(updates.at(-1))).toContain("Echo: hello there")
    const other = await met.editor.open(met.workspace)
    await met.editor.say(other, "which")
    const { tools = [] } = met.model.calls.at(-1)?.call.envelope ?? {}
    expect(tools.map(({ name }) => name)).not.toContain(ECHO)
  })

  it("[ACP-004] are not called when the editor says no", async () => {
    const met = await open({ choose: () => "reject_once" })
    const session = await begin(met, [stdio])
    await met.editor.say(session, "call it")
    expect(met.editor.asked).toHaveLength(1)
    expect(JSON.stringify(met.editor.told)).not.toContain("Echo: hello there")
  })

  it.each([
    ["http", "streamableHttp", "/mcp"],
    ["sse", "sse", "/sse"],
  ] as const)("[ACP-006] are reached over %s", async (type, transport, path) => {
    const url = `${await listening(transport)}${path}`
    const met = await open({ choose: () => "allow_once" })
    const { agentCapabilities } = await met.editor.initialize()
    expect(agentCapabilities?.mcpCapabilities).toEqual({ http: true, sse: true })
    const session = await begin(met, [{ type, name: "far", url, headers: [] }])
    await met.editor.say(session, "call it")
    expect(JSON.stringify(met.editor.updates("tool_call_update").at(-1))).toContain("Echo: hello")
  })

  it("[ACP-006] say in a notice that they cannot be reached, and the session works without", async () => {
    const met = await open()
    const dead = `http://127.0.0.1:${await freePort()}/mcp`
    const session = await begin(met, [
      { name: "gone away", command: "/nowhere/at-all", args: [], env: [] },
      { type: "http", name: "dead", url: dead, headers: [{ name: "X-Key", value: "k" }] },
      { type: "http", name: "odd", url: "ftp://example.test", headers: [] },
      stdio,
    ])
    await met.editor.say(session, "which")
    expect(met.editor.answer).toContain(ECHO)
    await until(() => met.editor.updates("notice").length >= 3)
    const told = met.editor.updates("notice").map(({ severity, title }) => `${severity}: ${title}`)
    expect(told.toSorted()).toEqual([
      "warning: MCP server dead is not connected",
      "warning: MCP server gone away is not connected",
      "warning: MCP server odd is not connected",
    ])
    const [first] = met.editor.updates("notice")
    expect(first?.description).toContain("ENOENT")
  })

  it("[ACP-006] are no more than so many, each under a name of its own", async () => {
    const met = await open()
    const nobody = { name: "same", command: "/nowhere/at-all", args: [], env: [] }
    await begin(
      met,
      Array.from({ length: 40 }, () => nobody),
    )
    await until(() => met.editor.updates("notice").length >= 33)
    const titles = met.editor.updates("notice").map(({ title }) => title)
    expect(titles[0]).toBe("8 of the editor's MCP servers not connected: 32 is the most")
    expect(titles.filter((title) => title === "MCP server same is not connected")).toHaveLength(32)
  })

  it("[ACP-006] come with session/load and go with session/close; nothing of them is written down", async () => {
    const met = await open()
    const { editor, workspace, data } = met
    const secret = "very-secret-value"
    const session = await editor.open(workspace)
    await editor.say(session, "which")
    await editor.agent.request(at.close, { sessionId: session })
    const named = { ...stdio, env: [{ name: "EDITOR_KEY", value: secret }] }
    await editor.agent.request(at.load, { sessionId: session, cwd: workspace, mcpServers: [named] })
    await editor.say(session, "which")
    expect(editor.answer).toContain(ECHO)
    expect(running()).toHaveLength(1)
    await editor.agent.request(at.close, { sessionId: session })
    await until(() => running().length === 0)
    const names = await readdir(data, { recursive: true, withFileTypes: true })
    for (const file of names.filter((one) => one.isFile()))
      expect((await readFile(join(file.parentPath, file.name))).includes(secret)).toBe(false)
  })

  it("[ACP-006] end when the editor hangs up", async () => {
    const met = await open()
    const session = await begin(met, [stdio])
    await met.editor.say(session, "which")
    expect(running()).toHaveLength(1)
    met.hangUp()
    await until(() => running().length === 0)
  })

  it("[ACP-006] run beside the server of the folder, and end with the agent's process", async () => {
    const { data, workspace, model } = await openServed({ script, registered: true })
    const { editor, child } = start(process.execPath, [MAIN, "acp", "--data", data])
    await editor.initialize()
    const { sessionId } = await editor.agent.request(at.new, {
      cwd: workspace,
      mcpServers: [stdio],
    })
    await editor.agent.request(at.setConfigOption, {
      sessionId,
      configId: "model",
      value: model.id,
    })
    await editor.say(sessionId, "which")
    expect(editor.answer).toContain(ECHO)
    expect(running().filter((line) => line.includes("dist/index.js stdio"))).toHaveLength(1)
    child.stdin?.end()
    await until(() => running().length === 0)
  })

  it("[ACP-006] are the operator's to give: whoever shares the server may start nothing on it", async () => {
    const served = await openServed({ script: [{ text: "ok" }] })
    const { client, running: server, workspace } = served
    const { principal } = await client.principals.add({ id: "user:ann", workspaces: [workspace] })
    const { secret } = await client.principals.addToken(principal.id)
    const ann = createClient({ url: server.url, token: secret })
    const session = await newSession({ client: ann })
    const servers = [{ name: "x", server: { command: "true" } }]
    await expect(ann.sessionServers.give(session, servers)).rejects.toMatchObject({ status: 404 })
    await expect(client.sessionServers.give(session, servers)).resolves.toEqual({ given: 1 })
  })
})
