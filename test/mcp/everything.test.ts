import { KnownPart } from "../../packages/core/parts/read-part.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { McpCommand } from "../../packages/core/catalog/command.ts"
import { FileBlobs } from "../../packages/files/blobs/blobs.ts"
import { McpServers } from "../../packages/engine/mcp/mcp-servers.ts"
import { McpConfig } from "../../packages/engine/mcp/server.ts"
import { runTool } from "../../packages/engine/tools/run.ts"
import type { ToolRuntime } from "../../packages/engine/tools/tool.ts"

const SERVER = join(
  "node_modules",
  "@modelcontextprotocol",
  "server-everything",
  "dist",
  "index.js",
)

function config(about: object = {}): McpConfig {
  return McpConfig.parse({
    mcpServers: { everything: { command: process.execPath, args: [SERVER, "stdio"], ...about } },
  })
}

describe("a real MCP server", () => {
  let servers: McpServers
  let folder: string
  let blobs: FileBlobs

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mcp-"))
    blobs = new FileBlobs(folder)
    servers = new McpServers(config())
    expect(await servers.status()).toMatchObject([{ server: "everything", prompts: 4 }])
  }, 30_000)
  afterAll(async () => {
    await servers.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function command(prompt: string): Promise<McpCommand> {
    const found = (await servers.commands()).find((one) => one.prompt === prompt)
    if (!found) throw new Error(`there is no prompt ${prompt}`)
    return found
  }

  function runtime(signal = AbortSignal.timeout(20_000)): ToolRuntime {
    return { signal, blobs } as unknown as ToolRuntime
  }

  async function call(id: string, input: unknown, signal?: AbortSignal) {
    const tool = (await servers.tools()).find((one) => one.id === id)
    if (!tool) throw new Error(`there is no tool ${id}`)
    return runTool(tool, input, runtime(signal))
  }

  it("[MCP-001] gives its prompts as commands with their arguments", async () => {
    const commands = await servers.commands()
    expect(commands.map(({ name }) => name)).toEqual([
      "everything:simple-prompt",
      "everything:args-prompt",
      "everything:completable-prompt",
      "everything:resource-prompt",
    ])
    expect(commands[1]).toMatchObject({
      trust: "untrusted",
      arguments: [{ name: "city", required: true }, { name: "state" }],
    })
  })

  it("[MCP-001] runs every prompt with real named arguments", async () => {
    const said = async (prompt: string, values: Record<string, string>) =>
      (await servers.prompt(await command(prompt), values)).map((part) => KnownPart.parse(part))
    expect(await said("simple-prompt", {})).toMatchObject([{ type: "text" }])
    expect(await said("args-prompt", { city: "Kyiv" })).toMatchObject([
      { type: "text", text: "What's weather in Kyiv?" },
    ])
    expect(await said("completable-prompt", { department: "Sales", name: "David" })).toMatchObject([
      { type: "text", text: "Please promote David to the head of the Sales team." },
    ])
    expect(await said("resource-prompt", { resourceType: "Text", resourceId: "1" })).toMatchObject([
      { type: "text" },
      { type: "file-attachment", name: "demo://resource/dynamic/text/1", server: "everything" },
    ])
    const blob = await said("resource-prompt", { resourceType: "Blob", resourceId: "2" })
    expect(blob[1]).toMatchObject({
      type: "file-attachment",
      name: "demo://resource/dynamic/blob/2",
    })
  })

  it("[MCP-001] completes an argument by what stands for the others", async () => {
    const prompt = await command("completable-prompt")
    expect(await servers.complete(prompt, { name: "department", value: "S" })).toEqual([
      "Sales",
      "Support",
    ])
    const names = await servers.complete(
      prompt,
      { name: "name", value: "" },
      { department: "Sales" },
    )
    expect(names.length).toBeGreaterThan(0)
  })

  it("[MCP-001] attaches each of its resources", async () => {
    const resources = await servers.resources()
    expect(resources.length).toBeGreaterThanOrEqual(7)
    for (const { server, uri } of resources) {
      const [part] = await servers.attach(server, uri)
      expect(KnownPart.parse(part)).toMatchObject({ type: "file-attachment", name: uri, server })
    }
  })

  it("[MCP-001] gives its tools under its own name, and believes no hint of a server it does not know", async () => {
    const tools = await servers.tools()
    expect(tools.every(({ id }) => /^everything_[\w-]+$/.test(id))).toBe(true)
    expect(tools.filter(({ read_only }) => read_only)).toEqual([])
    const trusted = new McpServers(config({ trusted: true }))
    try {
      const [echo] = (await trusted.tools()).filter(({ id }) => id === "everything_echo")
      expect(echo?.read_only).toBe(true)
    } finally {
      await trusted.close()
    }
  }, 30_000)

  it("[TOL-002] tells a model what is wrong with an input, and does not call the server", async () => {
    expect(await call("everything_get-sum", { a: "one", b: 2 })).toMatchObject({
      type: "error",
      error_text: expect.stringContaining("a: "),
    })
    expect(await call("everything_get-sum", { a: 1, b: 2 })).toMatchObject({
      type: "output",
      data: expect.stringContaining("3"),
    })
  })

  it("[VIS-002] shows an image that a tool gave", async () => {
    const result = await call("everything_get-tiny-image", {})
    expect(result).toMatchObject({
      type: "output",
      blocks: [{ type: "image", media: { mime: "image/png" } }],
    })
  })

  it("runs every tool to an answer", async () => {
    const inputs: Record<string, unknown> = {
      everything_echo: { message: "hello" },
      "everything_get-annotated-message": { messageType: "success", includeImage: true },
      "everything_get-structured-content": { location: "Chicago" },
      "everything_get-resource-links": { count: 2 },
      "everything_get-resource-reference": { resourceType: "Text", resourceId: 1 },
    }
    for (const [id, input] of Object.entries(inputs))
      expect(await call(id, input), id).toMatchObject({ type: "output" })
  })

  it("[SES-062] stops a call when the turn is stopped", async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 200)
    const begun = performance.now()
    const result = await call(
      "everything_trigger-long-running-operation",
      { duration: 15, steps: 5 },
      stop.signal,
    )
    expect(result.type).toBe("error")
    expect(performance.now() - begun).toBeLessThan(5000)
  })
})

describe("a server that is not there", () => {
  it("takes nothing from the others, and says why it cannot be used", async () => {
    const broken = McpConfig.parse({
      mcpServers: {
        gone: { command: "/nonexistent/server" },
        off: { command: "x", disabled: true },
      },
    })
    const servers = new McpServers(broken)
    expect(await servers.tools()).toEqual([])
    expect(await servers.status()).toMatchObject([
      { server: "gone", error: expect.stringContaining("the MCP server gone cannot be reached") },
    ])
    await servers.close()
  })
})
