import { describe, expect, it } from "vitest"
import { Command } from "../../packages/core/catalog/command.ts"
import { entityCommands, mcpArguments, mcpCommands } from "../../packages/core/catalog/foreign.ts"

describe("mcpCommands", () => {
  const [find] = mcpCommands("docs", [
    {
      name: "find",
      description: "Finds\nthings \u202ereversed",
      arguments: [{ name: "query", required: true }, { name: "limit" }],
    },
  ])
  if (!find) throw new Error("one command is needed")

  it("[CMP-045] makes a command of each prompt, untrusted and in one line", () => {
    expect(Command.parse(find)).toEqual(find)
    expect(find).toMatchObject({
      kind: "mcp",
      name: "docs:find",
      server: "docs",
      prompt: "find",
      trust: "untrusted",
      description: "Finds things reversed",
    })
  })
  it("leaves out what cannot be typed", () =>
    expect(mcpCommands("docs", [{ name: "x".repeat(200) }])).toEqual([]))

  it.each([
    ["how to", { query: "how", limit: "to" }],
    ['"how to" 5', { query: "how to", limit: "5" }],
    ["limit=5 how to  do it", { limit: "5", query: "how to  do it" }],
    ["--limit=5 --query='a b'", { limit: "5", query: "a b" }],
    ["what about c=d", { query: "what", limit: "about c=d" }],
    ["don't", { query: "don't" }],
  ])("gives real arguments for %j", (typed, values) =>
    expect(mcpArguments(find, typed)).toEqual({ type: "values", values }),
  )
  it("asks for what is missing", () => {
    expect(mcpArguments(find, "")).toMatchObject({ type: "missing", missing: [{ name: "query" }] })
    expect(mcpArguments(find, { limit: "1", __proto__: "x" })).toMatchObject({ type: "missing" })
  })
})

describe("entityCommands", () => {
  it("[EA-011] takes a definition as it is", () =>
    expect(
      entityCommands("e1", [
        { name: "ship", arguments: [{ name: "to", type: "string", required: true }] },
      ]),
    ).toEqual([
      {
        kind: "entity",
        name: "ship",
        source: { tool: "compositor", scope: "entity", owner: "e1" },
        trust: "trusted",
        arguments: [{ name: "to", type: "string", required: true }],
      },
    ]))
})
