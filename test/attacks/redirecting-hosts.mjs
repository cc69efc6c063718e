// Runs alone in a network of its own, in which two public addresses are there: one sends on to the other.
// It starts the server that its words say, beside a model that asks for the first, and tells who was
// called. It is started, never imported.

import { execFileSync, spawn } from "node:child_process"
import { createServer } from "node:http"

const [ALLOWED, OTHER] = ["93.184.216.34", "93.184.216.35"]
for (const words of [
  "link set lo up",
  `addr add ${ALLOWED}/32 dev lo`,
  `addr add ${OTHER}/32 dev lo`,
])
  execFileSync("ip", words.split(" "))

const called = []
const asked = []

const hosts = createServer((request, response) => {
  called.push(request.socket.localAddress)
  if (request.socket.localAddress === OTHER) return void response.end("SECRET-OF-ANOTHER")
  response.writeHead(302, { location: `http://${OTHER}/secret` }).end()
})
const answer = async (request, response) => {
  let text = ""
  for await (const chunk of request) text += chunk
  asked.push(text)
  const frame = (event) => `data: ${JSON.stringify(event)}\n\n`
  const url = `http://${ALLOWED}/go`
  const isFirst = !text.includes("tool_result")
  const start = isFirst
    ? { type: "tool_use", id: "t1", name: "web_fetch", input: {} }
    : { type: "text", text: "" }
  const delta = isFirst
    ? { type: "input_json_delta", partial_json: JSON.stringify({ url }) }
    : { type: "text_delta", text: "done" }
  response.writeHead(200, { "content-type": "text/event-stream" }).end(
    [
      {
        type: "message_start",
        message: { id: "m", usage: { input_tokens: 1, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: start },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: isFirst ? "tool_use" : "end_turn" },
        usage: {},
      },
      { type: "message_stop" },
    ]
      .map(frame)
      .join(""),
  )
}
const model = createServer((request, response) => void answer(request, response))
await new Promise((resolve) => hosts.listen(80, "0.0.0.0", resolve))
await new Promise((resolve) => model.listen(0, "127.0.0.1", resolve))

const [program, ...words] = process.argv.slice(2)
const address = `http://127.0.0.1:${model.address().port}`
const env = { ...process.env, ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: "loopback" }
const child = spawn(program, words, { env, stdio: ["ignore", "pipe", "inherit"] })
let out = ""
for await (const chunk of child.stdout) {
  out += chunk
  if (out.trimEnd().endsWith("}")) break
}
const { url, token } = JSON.parse(out)
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
const call = async (path, body) => {
  const about = body ? { method: "POST", body: JSON.stringify(body) } : {}
  return (await fetch(`${url}${path}`, { headers, ...about })).json()
}
const { session } = await call("/v1/sessions", {
  agent: "fetcher",
  model: { provider_id: "anthropic", model_id: "claude-sonnet-4-5" },
})
await call(`/v1/sessions/${session.id}/messages`, { parts: [{ type: "text", text: "fetch it" }] })
const isBusy = async () => {
  const { status, queued } = await call(`/v1/sessions/${session.id}`)
  return queued > 0 || ["busy", "retrying"].includes(status.state)
}
while (await isBusy()) await new Promise((resolve) => setTimeout(resolve, 50))
console.log(JSON.stringify({ called, told: asked.join("\n") }))
child.kill("SIGTERM")
await new Promise((resolve) => child.on("close", resolve))
process.exit(0)
