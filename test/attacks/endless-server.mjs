// An MCP server that answers without end, as its first word says: on stdio, or with a second word over HTTP,
// where it prints its address. It is started, never imported.

import { createServer } from "node:http"
import { createInterface } from "node:readline"

const [attack, http] = process.argv.slice(2)
const MB = 1024 * 1024

const INITIALIZED = (params) => ({
  protocolVersion: params?.protocolVersion,
  capabilities: { tools: {} },
  serverInfo: { name: "endless", version: "1" },
})
const tool = (name) => ({ name, inputSchema: { type: "object" } })

function* answer({ id, method, params }) {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`
  if (method === "initialize") return yield `${head}${JSON.stringify(INITIALIZED(params))}}\n`
  if (method === "tools/list") return yield* listed(head, params?.cursor)
  if (method === "tools/call") return yield* called(head)
  yield `${head}{}}\n`
}

function* listed(head, cursor = "0") {
  if (attack === "tools") {
    yield `${head}{"tools":[`
    const thousand = `${JSON.stringify(tool("again"))},`.repeat(1000)
    for (let count = 0; count < 1000; count++) yield thousand
    return yield `${JSON.stringify(tool("last"))}]}}\n`
  }
  const pages = attack === "pages" ? { nextCursor: String(Number(cursor) + 1) } : {}
  yield `${head}${JSON.stringify({ tools: [tool(`say${cursor}`)], ...pages })}}\n`
}

function* called(head) {
  yield `${head}{"content":[{"type":"text","text":"`
  for (let count = 0; attack === "line" || count < 200; count++) yield "x".repeat(MB)
  yield `"}]}}\n`
}

async function write(stream, chunks) {
  for (const chunk of chunks) {
    if (stream.destroyed) return
    if (!stream.write(chunk))
      await new Promise((resolve) => stream.once("drain", resolve).once("close", resolve))
  }
}

process.stdout.on("error", () => process.exit(0))
if (http === undefined) {
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line)
    if (message.id !== undefined) await write(process.stdout, answer(message))
  }
} else {
  const serve = async (request, response) => {
    let text = ""
    for await (const chunk of request) text += chunk
    if (request.method !== "POST") return void response.writeHead(405).end()
    const message = JSON.parse(text)
    if (message.id === undefined) return void response.writeHead(202).end()
    const isEvents = http === "events"
    const type = isEvents ? "text/event-stream" : "application/json"
    response.writeHead(200, { "content-type": type })
    if (isEvents) response.write("data: ")
    await write(response, answer(message))
    response.end(isEvents ? "\n\n" : "")
  }
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`))
}
