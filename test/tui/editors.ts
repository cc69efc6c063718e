import { mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { WebSocketServer } from "ws"

export const WORKSPACE = "/work/shop"

/** An editor that speaks over a WebSocket, and its lock file. */
export async function claudeEditor(
  home: string,
  workspace = WORKSPACE,
  /** What is selected before anybody asks. */
  present: object = { success: false, message: "No active editor found" },
) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" })
  await new Promise((resolve) => server.once("listening", resolve))
  const { port } = server.address() as AddressInfo
  const asked: string[] = []
  server.on("connection", (socket, request) => {
    if (request.headers["x-claude-code-ide-authorization"] !== "secret") return socket.close(4001)
    socket.on("message", (data) => {
      const { id, method, params } = JSON.parse((data as Buffer).toString())
      asked.push(params?.name ?? method)
      if (method === "initialize") socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: {} }))
      const answers: Record<string, unknown> = {
        getCurrentSelection: present,
        getOpenEditors: { tabs: [{ uri: `file://${workspace}/a.ts` }] },
        getDiagnostics: [{ uri: `file://${workspace}/a.ts`, diagnostics: [{ message: "no" }] }],
      }
      if (method !== "tools/call") return
      const content = [{ type: "text", text: JSON.stringify(answers[params.name]) }]
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: { content } }))
    })
  })
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  const select = (file: string, [start, end]: [number, number], text: string) => {
    const selection = { start: { line: start, character: 0 }, end: { line: end, character: 3 } }
    const params = { text, filePath: file, selection: { ...selection, isEmpty: false } }
    for (const socket of server.clients)
      socket.send(JSON.stringify({ jsonrpc: "2.0", method: "selection_changed", params }))
  }
  await mkdir(join(home, ".claude", "ide"), { recursive: true })
  const lock = { pid: process.pid, workspaceFolders: [workspace], ideName: "Code", transport: "ws" }
  const path = join(home, ".claude", "ide", `${port}.lock`)
  await writeFile(path, JSON.stringify({ ...lock, authToken: "secret" }), { mode: 0o600 })
  return { select, asked, path, linked: () => server.clients.size > 0 && asked.length >= 4 }
}

/** An editor's companion over HTTP, and its discovery file. */
export async function geminiEditor(
  temporary: string,
  workspace = WORKSPACE,
  present: readonly object[] = [],
) {
  let push: ((data: object) => void) | undefined
  const server = createServer((request, response) => {
    if (request.headers.authorization !== "Bearer secret") return response.writeHead(401).end()
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.flushHeaders()
      push = (data) => response.write(`data: ${JSON.stringify(data)}\n\n`)
      if (present.length > 0) push(update(present))
      return undefined
    }
    request.resume()
    return response
      .writeHead(200, { "content-type": "application/json", "mcp-session-id": "s1" })
      .end('{"jsonrpc":"2.0","id":1,"result":{}}')
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  await mkdir(join(temporary, "gemini", "ide"), { recursive: true })
  const about = {
    port,
    workspacePath: workspace,
    authToken: "secret",
    ideInfo: { displayName: "Code" },
  }
  const name = `gemini-ide-server-${process.pid}-${port}.json`
  await writeFile(join(temporary, "gemini", "ide", name), JSON.stringify(about), { mode: 0o600 })
  return {
    linked: () => push !== undefined,
    tell: (openFiles: readonly object[]) => push?.(update(openFiles)),
  }
}

function update(openFiles: readonly object[]) {
  return {
    jsonrpc: "2.0",
    method: "ide/contextUpdate",
    params: { workspaceState: { openFiles, isTrusted: true } },
  }
}
