// `npm run trace`: which of our files one warm message with a file reference runs through, from the client's
// call to the provider's door, and back. Every named function that V8 counts while the message is under way
// belongs to it; what watches in the background is counted too. `-- --list` prints the files.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type ServerResponse } from "node:http"
import { Session } from "node:inspector/promises"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { pathToFileURL } from "node:url"
import { createClient } from "../packages/client/client.ts"
import { openHost } from "../packages/engine/host/host.ts"
import { createApp } from "../packages/server/app.ts"

const ROOT = pathToFileURL(join(import.meta.dirname, "..")).href
const PACKAGES = /^\/(packages|apps)\//
const SETTLED_MS = 1500

export interface Trace {
  /** Files with the names of their functions that ran. */
  readonly there: ReadonlyMap<string, readonly string[]>
  readonly there_and_back: number
}

if (process.argv[1] === import.meta.filename) {
  const { there, there_and_back } = await traceMessage()
  const functions = [...there.values()].reduce((sum, names) => sum + names.length, 0)
  if (process.argv.includes("--list"))
    for (const [file, names] of there) console.log(`${file}  ${names.join(" ")}`)
  console.log(`${there.size} files and ${functions} functions to the wire`)
  console.log(`${there_and_back} files there and back`)
  process.exit(0)
}

/** Send a message three times, and trace the last. */
export async function traceMessage(): Promise<Trace> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-trace-"))
  const counter = new Session()
  counter.connect()
  await counter.post("Profiler.enable")
  await counter.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  const counted = async () => (await counter.post("Profiler.takePreciseCoverage")).result
  let there: Counted | undefined
  const api = createServer((request, response) => {
    const countAndAnswer = async () => {
      there = await counted()
      answer(response)
    }
    request.resume().on("end", () => void countAndAnswer())
  })
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve))
  const { port } = api.address() as AddressInfo
  const { send, close } = await openSession(folder, `http://127.0.0.1:${port}`)
  await send()
  await send()
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
  await counted()
  await send()
  const back = await counted()
  await close()
  api.close()
  counter.disconnect()
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  const files = functionsByFile(there ?? [])
  return {
    there: files,
    there_and_back: new Set([...files.keys(), ...functionsByFile(back).keys()]).size,
  }
}

async function openSession(folder: string, address: string) {
  const workspace = join(folder, "workspace")
  await mkdir(workspace)
  await writeFile(join(workspace, "a.ts"), "export const a = 1\n")
  const host = await openHost({
    data: join(folder, "data"),
    workspace,
    environment: { HOME: folder, ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: address },
    extent: "full",
  })
  const app = createApp(host, { rules: null })
  const client = createClient({
    url: "http://in.process",
    token: "none",
    fetch: async (url, init) => app.request(url, init),
  })
  const { session } = await client.sessions.create({ workspace_root: workspace })
  const message = () => ({
    parts: [
      { type: "text" as const, text: "What is in " },
      { type: "file-ref" as const, ref: { kind: "path" as const, path: "a.ts" } },
    ],
    model: { provider_id: "anthropic", model_id: "claude-sonnet-4-5" },
  })
  return {
    send: async () => {
      await client.send(session.id, message())
      await host.idle()
    },
    close: () => host.close(),
  }
}

function answer(response: ServerResponse) {
  const say = (event: { readonly type: string } & Record<string, unknown>) =>
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  response.writeHead(200, { "content-type": "text/event-stream" })
  say({ type: "message_start", message: { usage: { input_tokens: 9, output_tokens: 1 } } })
  say({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } })
  say({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "One." } })
  say({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } })
  say({ type: "message_stop" })
  response.end()
}

type Counted = readonly {
  readonly url: string
  readonly functions: readonly {
    readonly functionName: string
    readonly ranges: readonly { readonly count: number }[]
  }[]
}[]

function functionsByFile(counted: Counted): Map<string, string[]> {
  const files = new Map<string, string[]>()
  for (const { url, functions } of counted) {
    const path = url.startsWith(ROOT) ? url.slice(ROOT.length) : ""
    const ran = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
    const names = ran.map(({ functionName }) => functionName).filter((name) => name !== "")
    if (PACKAGES.test(path) && names.length > 0) files.set(path.slice(1), names)
  }
  return new Map([...files].sort(([a], [b]) => a.localeCompare(b)))
}
