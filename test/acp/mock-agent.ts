// An agent that says back what it was told: the params of each prompt, as JSON. What it announces stands
// in MOCK_CAPABILITIES. "die" in a prompt ends the process, "slow" makes it wait for the next line, "ask"
// makes it ask for permission first, and "flood" makes it talk at length.

import { createInterface } from "node:readline"

interface Line {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly sessionId?: string; readonly [name: string]: unknown }
  readonly result?: unknown
}

const capabilities: unknown = JSON.parse(process.env["MOCK_CAPABILITIES"] ?? "{}")
const lines: string[] = []
const waiting: (() => void)[] = []
let sessions = 0

function say(message: object) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
}

function update(sessionId: string | undefined, told: object) {
  say({ method: "session/update", params: { sessionId, update: told } })
}

function chunk(sessionId: string | undefined, text: string) {
  update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } })
}

async function prompt({ id, params }: Line) {
  const said = JSON.stringify(params?.["prompt"])
  const session = params?.sessionId
  if (said.includes("die")) process.exit(3)
  if (said.includes("slow")) await new Promise<void>((resolve) => waiting.push(resolve))
  if (said.includes("ask")) {
    const toolCall = { toolCallId: "t1", title: "pay", kind: "other" }
    update(session, { sessionUpdate: "tool_call", ...toolCall, status: "pending" })
    const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }]
    say({
      id: "ask-1",
      method: "session/request_permission",
      params: { sessionId: session, toolCall, options },
    })
    await new Promise<void>((resolve) => waiting.push(resolve))
    const done = { toolCallId: "t1", status: "completed", rawOutput: lines.at(-1) }
    update(session, { sessionUpdate: "tool_call_update", ...done })
  }
  if (said.includes("flood")) for (let n = 0; n < 2000; n++) chunk(session, "x".repeat(1000))
  chunk(session, JSON.stringify(params))
  say({ id, result: { stopReason: "end_turn" } })
}

function hear(line: string) {
  lines.push(line)
  const message = JSON.parse(line) as Line
  const { id, method } = message
  if (method === undefined) return waiting.shift()?.()
  switch (method) {
    case "initialize":
      say({ id, result: { protocolVersion: 1, agentCapabilities: capabilities } })
      return
    case "session/new":
      say({ id, result: { sessionId: `mock-${process.pid}-${++sessions}` } })
      return
    case "session/load":
      chunk(message.params?.sessionId, "history that was told before")
      say({ id, result: {} })
      return
    case "session/prompt":
      void prompt(message)
      return
    case "session/cancel":
      waiting.shift()?.()
      return
    default:
      if (id !== undefined) say({ id, error: { code: -32601, message: `no ${method}` } })
  }
}

createInterface({ input: process.stdin }).on("line", hear)
