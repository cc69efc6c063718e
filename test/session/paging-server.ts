// An MCP server whose prompts come on three pages.

import { createInterface } from "node:readline"

const PAGES = [["one"], ["two"], ["three"]]

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  process.stdout.write(
    `${JSON.stringify({ jsonrpc: "2.0", id, result: answer(method, params) })}\n`,
  )
}

function answer(
  method: string,
  params: { cursor?: string; protocolVersion?: string } = {},
): object {
  if (method === "initialize")
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { prompts: {} },
      serverInfo: { name: "paging", version: "1" },
    }
  if (method !== "prompts/list") return {}
  const page = Number(params.cursor ?? 0)
  const prompts = (PAGES[page] ?? []).map((name) => ({ name }))
  return page + 1 < PAGES.length ? { prompts, nextCursor: String(page + 1) } : { prompts }
}
