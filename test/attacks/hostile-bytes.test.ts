// Neighbours that send without end: a provider, and servers of MCP. Each meets a limit that is told in
// one sentence, the process stays small, and the server goes on serving others.

import { type ChildProcess, spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { ANTHROPIC, callInTurn, startModel } from "./outside/model.ts"
import { type Server, startServer, until } from "./outside/product.ts"
import { startRawModel } from "./outside/raw-model.ts"

const MB = 1024 * 1024
const MAX_RESIDENT_MB = 700

describe("a provider that does not stop", () => {
  it("[NET-02] is cut off at a line, at lines that say nothing, at events and at calls without end", async () => {
    const model = await startRawModel(({ words }) => attackIn(words))
    const server = await startServer({ environment: model.environment })
    for (const [attack, limit] of Object.entries(LIMITS)) {
      const session = await server.session(ANTHROPIC)
      await server.send(session, attack)
      const healthy = await answersMeanwhile(server, () => server.settled(session))
      expect(healthy).toBe(true)
      const { json } = await server.get(`/v1/sessions/${session}/turns`)
      expect(JSON.stringify(json), attack).toMatch(limit)
    }
    expect(await residentPeak(server)).toBeLessThan(MAX_RESIDENT_MB)
  })
})

describe("a server of MCP that does not stop", () => {
  it("[MCP-003] is cut off with a sentence, whatever it says without end and however it is reached", async () => {
    const cases = [
      ["tools", undefined, CUT_OFF],
      ["pages", undefined, /it lists more than 64 pages/],
      ["result", undefined, CUT_OFF],
      ["line", undefined, CUT_OFF],
      ["tools", "json", CUT_OFF],
      ["result", "json", CUT_OFF],
      ["line", "events", CUT_OFF],
    ] as const
    const mcpServers: Record<string, object> = {}
    for (const [attack, http] of cases)
      mcpServers[`${attack}-${http ?? "stdio"}`] = await reached(attack, http)
    const model = await startModel(
      callInTurn(
        ...["result-stdio", "line-stdio", "result-json", "line-events"].map((name) => ({
          name: `${name}_say0`,
          input: {},
        })),
      ),
    )
    const server = await startServer({
      environment: model.environment,
      files: { "home/.agents/mcp.json": JSON.stringify({ mcpServers }), ...FREE },
    })
    const { json } = await server.get("/v1/mcp")
    // oxlint-disable-next-line typescript/no-explicit-any
    const errors = Object.fromEntries(json.servers.map((one: any) => [one.server, one.error]))
    for (const [attack, http, sentence] of cases)
      if (attack === "tools" || attack === "pages")
        expect(errors[`${attack}-${http ?? "stdio"}`]).toMatch(sentence)

    const session = await server.session(ANTHROPIC, { agent: "free" })
    await server.send(session, "call them")
    expect(await answersMeanwhile(server, () => server.settled(session))).toBe(true)
    const told = model.texts.at(-1) ?? ""
    expect(told.match(new RegExp(CUT_OFF, "g")), told.slice(-3000)).toHaveLength(4)
    expect(await residentPeak(server)).toBeLessThan(MAX_RESIDENT_MB)
  })
})

const FREE = {
  "home/.agents/agents/free.md":
    "---\ndescription: Asks nobody.\npermissions:\n  mcp.call: allow\n---\nDo it.\n",
}

const CUT_OFF = /it sent a message of more than \d+ bytes/

const SERVER = join(import.meta.dirname, "endless-server.mjs")

/** How such a server is reached; one at an address is started, and ended with the test. */
async function reached(attack: string, http: string | undefined): Promise<object> {
  if (http === undefined) return { command: process.execPath, args: [SERVER, attack] }
  const child: ChildProcess = spawn(process.execPath, [SERVER, attack, http])
  onTestFinished(() => void child.kill("SIGKILL"))
  let url = ""
  child.stdout?.on("data", (text: Buffer) => (url += text.toString()))
  await until(() => url.includes("\n"), "the server said its address")
  return { url: url.trim() }
}

const LIMITS: Readonly<Record<string, RegExp>> = {
  "one-line": /an event of the stream is longer than \d+ characters/,
  "empty-lines": /more than \d+ lines/,
  "empty-events": /more than \d+ lines/,
  "many-calls": /calls more than \d+ tools/,
}

function* attackIn(words: string): Iterable<string> {
  if (words.includes("one-line")) {
    yield "data: "
    for (;;) yield "x".repeat(MB)
  }
  if (words.includes("empty-lines")) for (;;) yield "\n".repeat(64 * 1024)
  if (words.includes("empty-events")) for (;;) yield 'data: {"type":"ping"}\n\n'.repeat(4096)
  if (words.includes("many-calls")) yield* calls()
}

function* calls(): Iterable<string> {
  const frame = (event: object) => `data: ${JSON.stringify(event)}\n\n`
  yield frame({ type: "message_start", message: { id: "m", usage: { input_tokens: 1 } } })
  for (let index = 0; index < 1_000_000; ) {
    let some = ""
    for (const end = index + 1000; index < end; index++) {
      const content_block = { type: "tool_use", id: `t${index}`, name: "read", input: {} }
      some += frame({ type: "content_block_start", index, content_block })
      some += frame({ type: "content_block_stop", index })
    }
    yield some
  }
  yield frame({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} })
  yield frame({ type: "message_stop" })
}

/** Ask for its health until this is done: was there always an answer? */
async function answersMeanwhile(server: Server, action: () => Promise<unknown>) {
  let done = false
  const acting = action().finally(() => (done = true))
  let answers = 0
  while (!done) {
    const { status } = await server.get("/healthz")
    if (status !== 200) return false
    answers++
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await acting
  return answers > 0
}

/** The most megabytes that the server ever held. */
async function residentPeak({ pid }: Server): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8")
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
}
