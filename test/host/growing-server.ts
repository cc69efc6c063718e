// A small MCP server over standard input and output: it has as many tools as it was told, in pages of
// ten, and its tool `grow` gives it another tool and another prompt.

import { createInterface } from "node:readline"

const PAGE = 10
const tools = Array.from({ length: Number(process.argv[2] ?? 1) }, (_, at) => toolOf(`tool-${at}`))
tools.push(toolOf("grow"))
const prompts = [{ name: "first" }]

function toolOf(name: string) {
  const properties = { text: { type: "string" } }
  return { name, description: `Says ${name}.`, inputSchema: { type: "object", properties } }
}

type Handler = (params: Record<string, unknown>) => object

const HANDLERS: Readonly<Record<string, Handler>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, prompts: { listChanged: true } },
    serverInfo: { name: "growing", version: "1" },
  }),
  "tools/list": (params) => paged("tools", tools, params),
  "prompts/list": (params) => paged("prompts", prompts, params),
  "prompts/get": ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `The prompt ${String(name)}.` } }],
  }),
  "tools/call": ({ name, arguments: given }) => {
    if (name === "grow") grow()
    const { text = "" } = (given ?? {}) as { text?: string }
    return { content: [{ type: "text", text: `${String(name)} says ${text}` }] }
  },
}

function paged(key: string, items: readonly object[], { cursor }: Record<string, unknown>) {
  const from = Number(cursor ?? 0)
  const next = from + PAGE < items.length ? { nextCursor: String(from + PAGE) } : {}
  return { [key]: items.slice(from, from + PAGE), ...next }
}

function grow() {
  tools.push(toolOf(`grown-${tools.length}`))
  prompts.push({ name: `grown-${prompts.length}` })
  for (const kind of ["tools", "prompts"]) tell({ method: `notifications/${kind}/list_changed` })
}

function tell(message: object) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) continue
  const handler = HANDLERS[method]
  if (handler) tell({ id, result: handler(params) })
  else tell({ id, error: { code: -32601, message: `there is no ${method}` } })
}
