import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { homedir } from "node:os"
import { join } from "node:path"
import { methods } from "@agentclientprotocol/sdk"
import { describe, expect, it, onTestFinished } from "vitest"
import { temporaryFolder } from "../build.ts"
import { start } from "./editor.ts"
import { MAIN } from "../program.ts"

const ROOT = join(import.meta.dirname, "..", "..")
const PEERS = process.env["COMPOSITOR_PEERS"] ?? join(homedir(), ".cache", "compositor", "peers")
const OPENCODE = [
  join(ROOT, "node_modules", ".bin", "opencode"),
  join(PEERS, "opencode", "node_modules", ".bin", "opencode"),
].find((path) => existsSync(path))

/** A model on this machine that keeps what it is asked. */
async function modelServer() {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.on("end", () => {
      bodies.push(body)
      response.writeHead(200, { "content-type": "text/event-stream" })
      for (const [type, rest] of ANSWER)
        response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { url, bodies }
}

/** Sixteen by sixteen, red: this agent decodes what it is given. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR4nGM4oKBAEmIY1TCqYfhqAAC6CAAQx2ckEwAAAABJRU5ErkJggg=="

const usage = { input_tokens: 1, output_tokens: 1 }
const message = { id: "m", type: "message", role: "assistant", model: "x", content: [], usage }
const ANSWER: readonly (readonly [string, object])[] = [
  ["message_start", { message }],
  ["content_block_start", { index: 0, content_block: { type: "text", text: "" } }],
  ["content_block_delta", { index: 0, delta: { type: "text_delta", text: "seen" } }],
  ["content_block_stop", { index: 0 }],
  ["message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } }],
  ["message_stop", {}],
]

describe.skipIf(OPENCODE === undefined)("the proxy before OpenCode", { timeout: 120_000 }, () => {
  it("[ATT-008] [ATT-003] brings an attached file's content and picture to its model", async () => {
    const folder = await temporaryFolder()
    const workspace = join(folder, "workspace")
    await mkdir(workspace)
    await writeFile(join(workspace, "file.py"), "print('only this file says so')\n")
    await writeFile(join(workspace, "shot.png"), Buffer.from(PICTURE, "base64"))
    const { url, bodies } = await modelServer()
    const config = join(folder, "opencode.json")
    await writeFile(
      config,
      JSON.stringify({
        model: "anthropic/claude-sonnet-4-5",
        provider: { anthropic: { options: { baseURL: url, apiKey: "none" } } },
        autoupdate: false,
        share: "disabled",
      }),
    )
    const env = { ...process.env, HOME: folder, OPENCODE_CONFIG: config, XDG_CACHE_HOME: "" }
    const data = join(folder, "data")
    const command = [OPENCODE ?? "", "acp"]
    const args = [MAIN, "acp-proxy", "--agent", "opencode", "--data", data, "--", ...command]
    const { editor } = start(process.execPath, args, { env, cwd: workspace })
    await editor.initialize()
    const session = await editor.open(workspace)
    const attachments = [
      { path: join(workspace, "file.py"), mime: "text/x-python", filename: "file.py" },
      { path: "shot.png" },
    ]
    const { stopReason } = await editor.agent.request(methods.agent.session.prompt, {
      sessionId: session,
      prompt: [{ type: "text", text: "Review this file" }],
      _meta: { "sandboxagent.dev": { attachments } },
    })
    expect(stopReason).toBe("end_turn")
    expect(editor.answer).toContain("seen")
    const asked = bodies.find((body) => body.includes("only this file says so"))
    expect(asked).toContain("Review this file")
    expect(asked).toContain("file.py")
    expect(asked).toContain(PICTURE)
  })
})
