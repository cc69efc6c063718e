import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { until } from "../session/house.ts"
import { caller } from "../session/tools.ts"
import { newSession, openServed, partsOf, type Served, settled } from "./served.ts"

function growing(tools: number) {
  const args = [join(import.meta.dirname, "growing-server.ts"), String(tools)]
  return { mcpServers: { growing: { command: process.execPath, args } } }
}

async function approveAll({ client }: Served, id: string) {
  await until(async () => (await client.status(id)).state === "waiting_on_approval")
  const [turn] = (await client.turns(id)).turns.filter(({ waiting }) => waiting.length > 0)
  for (const { call_id } of turn?.waiting ?? [])
    await client.calls.approve({ session_id: id, turn_id: turn?.id ?? "", call_id })
}

function offered({ model }: Served): string[] {
  const { tools = [] } = model.calls.at(-1)?.call.envelope ?? {}
  return tools.map(({ name }) => name)
}

const SLOW = 60_000

describe("the lists of a server", () => {
  it(
    "[MCP-001] are read again when they change, for the next turn",
    async () => {
      const served = await openServed({
        files: { "data/config.json": growing(2) },
        script: caller([{ name: "growing_grow", input: {} }]),
      })
      const { client, workspace } = served
      const prompts = async () =>
        (await client.commands.list({ workspace })).commands
          .filter(({ command }) => command.kind === "mcp")
          .map(({ name }) => name)
      expect(await prompts()).toEqual(["growing:first"])
      const id = await newSession(served)
      await client.send(id, { source: "grow" })
      await approveAll(served, id)
      await settled(served, id)
      // Within the turn, the tools were what they were.
      expect(offered(served)).not.toContain("growing_grown-3")
      await until(async () => (await prompts()).length === 2)
      const other = await newSession(served)
      await client.send(other, { source: "/growing:grown-1" })
      await until(() => offered(served).includes("growing_grown-3"))
      const { messages } = await client.messages(other)
      expect(partsOf(messages, "text")[0]?.data.text).toBe("The prompt grown-1.")
    },
    SLOW,
  )

  it(
    "[MCP-001] of more than twenty tools are searched, every page of them, and called by what was found",
    async () => {
      let step = 0
      const calls = [
        { id: "c1", name: "tool_search", input: { query: "tool-24" } },
        { id: "c2", name: "tool_call", input: { id: "growing_tool-24", input: { text: "hi" } } },
        { id: "c3", name: "tool_call", input: { id: "growing_tool-99", input: {} } },
        { id: "c4", name: "tool_call", input: { id: "growing_tool-1", input: { text: 1 } } },
      ]
      const served = await openServed({
        files: { "data/config.json": growing(25) },
        script: () => {
          const call = calls[step++]
          return call ? [{ call }] : [{ text: "done" }]
        },
      })
      const { client } = served
      const id = await newSession(served)
      await client.send(id, { source: "use one" })
      await until(async () => (await client.status(id)).state === "waiting_on_approval")
      const [turn] = (await client.turns(id)).turns
      expect(turn?.waiting).toMatchObject([
        { tool: "tool_call", asks: [{ permission: "mcp.call", subject: "growing/tool-24" }] },
      ])
      await approveAll(served, id)
      const messages = await settled(served, id)
      const names = offered(served)
      expect(names).toEqual(expect.arrayContaining(["tool_search", "tool_call"]))
      expect(names.filter((name) => name.startsWith("growing_"))).toEqual([])
      const [search] = partsOf(messages, "tool-tool_search")
      const output = search?.data.output as { data: { tools: object[] } } | undefined
      expect(output?.data.tools).toHaveLength(10)
      expect(output?.data.tools[0]).toMatchObject({
        id: "growing_tool-24",
        parameters: { properties: { text: { type: "string" } } },
      })
      expect(partsOf(messages, "tool-tool_call").map(({ data }) => data)).toMatchObject([
        { output: { data: "tool-24 says hi" } },
        { error_text: expect.stringContaining("there is no tool growing_tool-99") },
        { error_text: expect.stringContaining("input.text") },
      ])
    },
    SLOW,
  )
})
