// Programs beside us: editors that leave a lock file, and MCP servers (finding F16, and what was not
// tried: the lock file).

import { chmod, mkdir, symlink, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Folders, makeFolders, run, startServer } from "./outside/product.ts"

describe("an editor's lock file", () => {
  it("[CMP-079] is believed only where nobody else could have put it", async () => {
    const { port, heard } = await listen()
    const folders = await makeFolders()
    const ide = join(folders.home, ".claude", "ide")
    await mkdir(ide, { recursive: true })
    const elsewhere = join(folders.root, "elsewhere")
    await writeFile(elsewhere, lockOf(folders), { mode: 0o600 })
    await symlink(elsewhere, join(ide, `${port}.lock`))
    await sendBeside(folders)
    expect(heard()).toBe(0)

    const open = await makeFolders()
    const shared = join(open.home, ".claude", "ide")
    await mkdir(shared, { recursive: true })
    await writeFile(join(shared, `${port}.lock`), lockOf(open), { mode: 0o600 })
    await chmod(shared, 0o777)
    await sendBeside(open)
    expect(heard()).toBe(0)

    await chmod(shared, 0o755)
    await sendBeside(open)
    expect(heard()).toBeGreaterThan(0)
  })
})

describe("an MCP server", () => {
  it("[MCP-002] that cannot list what it offers is used for the rest", async () => {
    const folders = await makeFolders({ "workspace/server.mjs": SERVER })
    const about = { command: process.execPath, args: [join(folders.workspace, "server.mjs")] }
    await mkdir(join(folders.home, ".agents"))
    const config = JSON.stringify({ mcpServers: { partial: about } })
    await writeFile(join(folders.home, ".agents", "mcp.json"), config)
    const server = await startServer({ folders })
    const { json } = await server.get("/v1/mcp")
    expect(json.servers).toMatchObject([{ server: "partial", tools: 1, resources: 0 }])
    expect(json.servers[0].error).toBeUndefined()
  })
})

/** Something at a port that is no editor, and how often it was spoken to. */
async function listen() {
  let count = 0
  const server = createServer((socket) => {
    count++
    socket.on("error", () => undefined).end("HTTP/1.1 404 Not Found\r\n\r\n")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, heard: () => count }
}

function lockOf({ workspace }: Folders): string {
  return JSON.stringify({
    pid: process.pid,
    workspaceFolders: [workspace],
    ideName: "Code",
    transport: "ws",
    authToken: "forged",
  })
}

function sendBeside(folders: Folders) {
  return run(folders, ["send", "--ide", "-m", "mirror/mirror", "hello"])
}

const SERVER = `
import { createInterface } from "node:readline"
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const results = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {}, resources: {}, prompts: {} },
      serverInfo: { name: "partial", version: "1" },
    },
    "tools/list": { tools: [{ name: "add", inputSchema: { type: "object" } }] },
    ping: {},
  }
  const answer = results[method]
    ? { result: results[method] }
    : { error: { code: -32601, message: "no" } }
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n")
}
`
