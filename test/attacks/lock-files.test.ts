// Files by which editors say that they are there, of both kinds: who could have forged one is not believed,
// and what answers at a port that is no editor learns nothing but the token that stood in the user's file.

import { chmod, chown, mkdir, symlink, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Folders, makeFolders, run } from "./outside/product.ts"

const WORDS = "words-for-the-model-alone"
const STRANGER = 65_534
const isRoot = process.getuid?.() === 0

const KINDS = {
  claude: (folders: Folders, port: number) => ({
    path: join(folders.home, ".claude", "ide", `${port}.lock`),
    text: { pid: process.pid, workspaceFolders: [folders.workspace], authToken: "the-token" },
  }),
  gemini: (folders: Folders, port: number) => ({
    path: join(
      folders.root,
      "tmp",
      "gemini",
      "ide",
      `gemini-ide-server-${process.pid}-${port}.json`,
    ),
    text: { port, workspacePath: folders.workspace, authToken: "the-token" },
  }),
}

type Prepare = (path: string, folders: Folders) => Promise<unknown>

const FORGERIES: Readonly<Record<string, Prepare>> = {
  "a file that its group may write": (path) => chmod(path, 0o620),
  "a file that all may write": (path) => chmod(path, 0o602),
  "a folder that all may write to": (path) => chmod(dirname(path), 0o777),
  ...(isRoot
    ? {
        "a file of another user": (path: string) => chown(path, STRANGER, STRANGER),
        "a folder of another user": (path: string) => chown(dirname(path), STRANGER, STRANGER),
      }
    : {}),
}

describe.each(Object.entries(KINDS))("an editor's file (%s)", (_, kind) => {
  it("[CMP-079] is believed only where nobody else could have made it, and tells what is no editor nothing more", async () => {
    const { port, heard } = await listen()
    for (const [forgery, prepare] of Object.entries(FORGERIES)) {
      const folders = await makeFolders()
      const { path, text } = kind(folders, port)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, JSON.stringify(text), { mode: 0o600 })
      await prepare(path, folders)
      await sendBeside(folders)
      expect(heard, forgery).toEqual([])
    }
    const folders = await makeFolders()
    const { path, text } = kind(folders, port)
    await mkdir(dirname(path), { recursive: true })
    const elsewhere = join(folders.root, "elsewhere")
    await writeFile(elsewhere, JSON.stringify(text), { mode: 0o600 })
    await symlink(elsewhere, path)
    await sendBeside(folders)
    expect(heard, "a link").toEqual([])
    await expectOnlyToken(kind)
  })
})

async function expectOnlyToken(kind: (typeof KINDS)["claude" | "gemini"]): Promise<void> {
  const { port, heard } = await listen()
  const folders = await makeFolders()
  const { path, text } = kind(folders, port)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, JSON.stringify(text), { mode: 0o600 })
  const { code, error } = await sendBeside(folders)
  expect(code).not.toBe(0)
  expect(error).toMatch(/cannot be reached|hung up|is not there/)
  expect(heard.length).toBeGreaterThan(0)
  expect(heard.join("")).toContain("the-token")
  expect(heard.join("")).not.toContain(WORDS)
  expect(heard.join("")).not.toContain("sk-ant-of-the-user")
  expect(heard.join("")).not.toContain(folders.workspace)
}

/** A service at a port that is no editor: it keeps what it is told, and sends on to itself. */
async function listen() {
  const heard: string[] = []
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${request.rawHeaders.join(" ")}`)
    request.on("data", (chunk: Buffer) => heard.push(chunk.toString()))
    response.writeHead(307, { location: "/elsewhere", connection: "close" }).end()
  })
  server.on("upgrade", (request, socket) => {
    heard.push(`${request.method} ${request.url} ${request.rawHeaders.join(" ")}`)
    socket.end("HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\n\r\n")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, heard }
}

async function sendBeside(folders: Folders) {
  await mkdir(join(folders.root, "tmp"), { recursive: true })
  const environment = { TMPDIR: join(folders.root, "tmp"), ANTHROPIC_API_KEY: "sk-ant-of-the-user" }
  return run(folders, ["send", "--ide", "-m", "mirror/mirror", WORDS], { environment })
}
