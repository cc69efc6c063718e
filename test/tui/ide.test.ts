import { chmod, mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { WebSocketServer } from "ws"
import { findEditors } from "../../src/tui/ide/find.ts"
import { Ide } from "../../src/tui/ide/ide.ts"
import { temporaryFolder } from "../build.ts"
import { missing } from "../machine.ts"
import { until } from "../session/house.ts"
import { Terminal } from "./terminal.ts"

const WORKSPACE = "/work/shop"

/** An editor that speaks over a WebSocket, and its lock file. */
async function claudeEditor(home: string, workspace = WORKSPACE) {
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
async function geminiEditor(temporary: string) {
  let push: ((data: object) => void) | undefined
  const server = createServer((request, response) => {
    if (request.headers.authorization !== "Bearer secret") return response.writeHead(401).end()
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.flushHeaders()
      push = (data) => response.write(`data: ${JSON.stringify(data)}\n\n`)
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
    workspacePath: WORKSPACE,
    authToken: "secret",
    ideInfo: { displayName: "Code" },
  }
  const name = `gemini-ide-server-${process.pid}-${port}.json`
  await writeFile(join(temporary, "gemini", "ide", name), JSON.stringify(about), { mode: 0o600 })
  return {
    linked: () => push !== undefined,
    tell: (openFiles: object[]) =>
      push?.({
        jsonrpc: "2.0",
        method: "ide/contextUpdate",
        params: { workspaceState: { openFiles, isTrusted: true } },
      }),
  }
}

async function beside() {
  const home = await temporaryFolder()
  const temporary = await temporaryFolder()
  const ide = new Ide({ workspace: WORKSPACE, home, temporary, changed: () => undefined })
  onTestFinished(() => ide.unlink())
  return { home, temporary, ide }
}

describe("an editor beside", () => {
  it("[CMP-026] [CMP-079] tells its selection as lines of the file, by the lock-file protocol", async () => {
    const { home, ide } = await beside()
    const editor = await claudeEditor(home)
    expect(await ide.link()).toMatchObject({ kind: "claude", name: "Code" })
    await until(editor.linked)
    editor.select(`${WORKSPACE}/src/a.ts`, [9, 11], "ten\neleven\ntwelve")
    await until(() => ide.parts.length > 0)
    expect(ide.parts).toEqual([
      {
        type: "file-ref",
        ref: {
          kind: "path",
          path: "src/a.ts",
          range: { start: 10, end: 12 },
          selected: "ten\neleven\ntwelve",
        },
      },
    ])
    await until(() => ide.contexts.length === 3)
    expect(ide.contexts.map(({ kind, source }) => [kind, source])).toEqual([
      ["selection", "Code"],
      ["open", "Code"],
      ["diagnostics", "Code"],
    ])
    expect(ide.contexts[1]?.payload).toEqual({ files: ["a.ts"] })
  })

  it("[CMP-026] tells its selection by the companion protocol", async () => {
    const { temporary, ide } = await beside()
    const editor = await geminiEditor(temporary)
    expect(await ide.link()).toMatchObject({ kind: "gemini" })
    await until(editor.linked)
    editor.tell([
      {
        path: `${WORKSPACE}/b.ts`,
        isActive: true,
        selectedText: "x\ny",
        cursor: { line: 7, character: 1 },
      },
      { path: `${WORKSPACE}/c.ts` },
    ])
    await until(() => ide.parts.length > 0)
    expect(ide.parts).toMatchObject([{ ref: { path: "b.ts", range: { start: 6, end: 7 } } }])
    expect(ide.contexts[1]?.payload).toEqual({ files: ["b.ts", "c.ts"] })
  })

  it("leaves a selection out that was dismissed, until it is another one", async () => {
    const { home, ide } = await beside()
    const editor = await claudeEditor(home)
    await ide.link()
    await until(editor.linked)
    editor.select(`${WORKSPACE}/a.ts`, [0, 0], "one")
    await until(() => ide.parts.length > 0)
    expect(ide.dismiss()).toBe(true)
    expect(ide.parts).toEqual([])
    editor.select(`${WORKSPACE}/a.ts`, [1, 1], "two")
    await until(() => ide.parts.length > 0)
  })

  it("hears no editor of another folder, a dead one, or one whose file others may write", async () => {
    const { home, temporary } = await beside()
    const places = { home, temporary }
    await claudeEditor(home, "/work/other")
    expect(await findEditors(WORKSPACE, places)).toEqual([])
    const { path } = await claudeEditor(home)
    expect(await findEditors(WORKSPACE, places)).toHaveLength(1)
    expect(await findEditors(`${WORKSPACE}/src`, places)).toHaveLength(1)
    expect(await findEditors(`${WORKSPACE}-evil`, places)).toEqual([])
    await chmod(path, 0o666)
    expect(await findEditors(WORKSPACE, places)).toEqual([])
    await writeFile(join(home, ".claude", "ide", "1.lock"), "not json")
    const dead = { pid: 2 ** 22, workspaceFolders: [WORKSPACE], authToken: "x" }
    await writeFile(join(home, ".claude", "ide", "2.lock"), JSON.stringify(dead), { mode: 0o600 })
    expect(await findEditors(WORKSPACE, places)).toEqual([])
  })

  it("is not heard with a wrong token", async () => {
    const { home, ide } = await beside()
    const { path } = await claudeEditor(home)
    const lock = { pid: process.pid, workspaceFolders: [WORKSPACE], authToken: "guess" }
    await writeFile(path, JSON.stringify(lock), { mode: 0o600 })
    await ide.link()
    await until(() => !ide.isLinked)
    expect(ide.says).toMatch(/hung up|cannot be reached/)
  })

  it.skipIf(missing("tmux"))(
    "[CMP-075] goes along with what is sent from the terminal only when asked to",
    { timeout: 60_000 },
    async () => {
      const home = await temporaryFolder()
      const terminal = await Terminal.open({ environment: { HOME: home } })
      const editor = await claudeEditor(home, terminal.workspace)
      await terminal.shows("ready")
      terminal.type("/ide", "Enter")
      await terminal.shows("Listening to Code.")
      await until(editor.linked)
      editor.select(join(terminal.workspace, "src", "main.ts"), [0, 1], "one\ntwo")
      await terminal.shows("[selection src/main.ts#L1-2]")
      terminal.type("explain", "Enter")
      await terminal.shows("> explain")
      await terminal.shows(/ok[^]*ready/)
      expect(await terminal.said()).toMatchObject([
        [{ text: "explain" }, { type: "file-ref", ref: { path: "src/main.ts" } }],
      ])
      terminal.press("BSpace")
      await terminal.shut("[selection")
      terminal.type("/ide off", "Enter")
    },
  )
})
