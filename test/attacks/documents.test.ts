import { spawn } from "node:child_process"
import { describe, expect, it, onTestFinished } from "vitest"
import { ANTHROPIC, COMPATIBLE, newestWords, startModel } from "./outside/model.ts"
import {
  commandLine,
  environmentOf,
  type Folders,
  makeFolders,
  run,
  type Server,
  startServer,
  until,
} from "./outside/product.ts"

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** The first example of the document on the user message, with bytes where it says `<base64>`. */
const FIRST_EXAMPLE = [
  { type: "text", text: "look at this svg and the spec" },
  { type: "file-ref", ref: { kind: "path", path: "designs/icon.svg" } },
  { type: "file-attachment", data: PIXEL, mime: "image/png", name: "screenshot.png" },
  { type: "command", id: "/search", args: { query: "icon set" } },
  { type: "mention", target: { kind: "skill", name: "canvas-docs-svg-kit" } },
  { type: "editor-context", kind: "selection", payload: {} },
]

const FIVE_LINES = "one\ntwo\nthree\nfour\nfive\n"

async function upload(server: Server, text: string, name: string): Promise<string> {
  const response = await fetch(`${server.url}/v1/blobs?name=${name}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.token}`,
      "content-type": "application/octet-stream",
    },
    body: text,
  })
  return ((await response.json()) as { content_id: string }).content_id
}

describe("the documents' own words", () => {
  it("[CMP-010] [CMP-120] takes the first example as it is written, and a message that says its version (documents-000 F4)", async () => {
    const server = await startServer({ files: { "workspace/designs/icon.svg": "<svg/>" } })
    const session = await server.session()
    const id = "msg_019a86a0a8de00101234567890"
    const before = Date.now()
    const sent = { id, role: "user", parts: FIRST_EXAMPLE, metadata: { schema_version: 1 } }
    const path = `/v1/sessions/${session}/messages`
    const first = await server.post(path, sent)
    expect([first.status, first.text]).toEqual([201, expect.any(String)])
    const stored = first.json.message.parts.map(({ data }: { data: object }) => data)
    const context = stored.find(({ type }: { type: string }) => type === "editor-context")
    expect(context.emitted_at).toBeGreaterThanOrEqual(before)
    expect(context.emitted_at).toBeLessThanOrEqual(Date.now())
    expect(first.json.message.metadata.schema_version).toBe(1)
    // The same again is the same message: what was stamped does not make it another.
    const again = await server.post(path, sent)
    expect(again.json.message?.parts).toEqual(first.json.message.parts)
    for (const version of [0, 2, "1", null]) {
      const other = await server.send(session, "hi", { metadata: { schema_version: version } })
      expect([other.status, other.json.error.details[0].path]).toEqual([
        422,
        "/metadata/schema_version",
      ])
      expect(other.json.error.message).toMatch(/schema_version 1/)
    }
    await server.settled(session)
  })

  it("[CMP-025] shows only the lines or the bytes of a range on stored content, on either wire (documents-000 F5)", async () => {
    const model = await startModel()
    const server = await startServer({ environment: model.environment })
    const content_id = await upload(server, FIVE_LINES, "list.txt")
    const ref = (range: object) => ({
      type: "file-ref",
      ref: { kind: "content", content_id, name: "list.txt", range },
    })
    for (const wire of [ANTHROPIC, COMPATIBLE]) {
      const session = await server.session(wire)
      await server.send(session, [ref({ start: 2, end: 3 })])
      await server.send(session, [ref({ start: 4, end: 7, unit: "byte" })])
      await server.send(session, [ref({ start: 5, end: 9 })])
      await server.settled(session)
      const [lines = "", bytes = "", end = ""] = model.bodies.splice(0).map(newestWords)
      expect(lines).toMatch(/list\.txt, lines 2-3.*two\\?\\?n?\s*three/s)
      expect(lines).not.toMatch(/one|four|five/)
      expect(bytes).toMatch(/bytes 4-7.*two/s)
      expect(bytes).not.toMatch(/one|three/)
      expect(end).toMatch(/line 5.*five/s)
      expect(end).not.toMatch(/four/)
    }
    const session = await server.session(ANTHROPIC)
    const bad = await server.send(session, [ref({ start: 9, end: 3 })])
    expect(bad.status).toBe(422)
  })

  it("[DBG-007] inspects every session: the proxy's, an import of an unknown model, an empty one (documents-001 9)", async () => {
    const folders = await makeFolders()
    await speakThroughProxy(folders)
    const server = await startServer({ folders })
    const { sessions } = (await server.get("/v1/sessions")).json
    const kept = sessions.map(({ id }: { id: string }) => id)
    expect(kept.length).toBeGreaterThan(0)
    const empty = await server.session()
    const told = await server.session()
    await server.send(told, "hello")
    await server.settled(told)
    const lines = (await server.get(`/v1/export?session=${told}`)).text
    // An import of a session whose model nobody knows here.
    const foreign = otherIds(lines.replaceAll("mirror", "elsewhere"))
    const imported = await server.call("POST", "/v1/import", foreign, {
      "content-type": "application/x-ndjson",
    })
    expect(imported.status).toBe(200)
    const all = (await server.get("/v1/sessions")).json.sessions
    expect(all.length).toBe(kept.length + 3)
    for (const { id } of all) {
      const inspected = await server.get(`/v1/sessions/${id}/inspect`)
      expect([id, inspected.status, inspected.json?.session?.id]).toEqual([id, 200, id])
    }
    const shown = await run(folders, ["inspect", kept[0]])
    expect([shown.code, shown.error]).toEqual([0, ""])
    expect((await server.get(`/v1/sessions/${empty}/inspect`)).json.message_id).toBeNull()
  })
})

function otherIds(lines: string): string {
  return lines.replace(/((?:ses|msg|prt|trn|str)_[0-9a-f]{12}\w{11})\w{3}/g, "$1zzz")
}

/** One prompt, said by an editor through the proxy to our own agent. */
async function speakThroughProxy(folders: Folders): Promise<void> {
  const agent = commandLine(["acp", "--data", `${folders.root}/agent`])
  const [program, ...args] = commandLine(["acp-proxy", "--", ...agent])
  const child = spawn(program, args, { cwd: folders.workspace, env: environmentOf(folders) })
  onTestFinished(() => void child.kill("SIGKILL"))
  let out = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
  child.stderr.resume()
  const answer = async (id: number) => {
    const found = () =>
      out
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .find((message) => message.id === id && !message.method)
    await until(() => found() !== undefined, `the agent answered request ${id}`)
    return found().result
  }
  const ask = (id: number, method: string, params: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    return answer(id)
  }
  await ask(1, "initialize", { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await ask(2, "session/new", { cwd: folders.workspace, mcpServers: [] })
  await ask(3, "session/prompt", { sessionId, prompt: [{ type: "text", text: "hello" }] })
  child.stdin.end()
  await new Promise((resolve) => child.on("close", resolve))
}
