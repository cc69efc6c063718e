import { describe, expect, it } from "vitest"
import { BUILTINS, structuredParts } from "../../packages/core/catalog/builtin.ts"
import { Command, type StructuredCommand } from "../../packages/core/catalog/command.ts"

function builtin(name: string): Command {
  const found = BUILTINS.find((command) => command.name === name)
  if (!found) throw new Error(`/${name} is not built in`)
  return found
}

describe("the built-ins", () => {
  it("[CMP-045] are there under the names of the documents", () => {
    const names = BUILTINS.map(({ name }) => `/${name}`).join(" ")
    expect(names).toBe(
      "/branch /compact /archive /rewind /clear /model /memory /help /xray /search /read",
    )
    expect(builtin("branch").aliases).toEqual(["fork"])
  })
  it("are what the schema says, so that they can be sent", () => {
    for (const command of BUILTINS) expect(Command.parse(command)).toEqual(command)
  })
  it("[CMP-042] act on the session in its turn; help and xray only show", () => {
    const runs = Object.fromEntries(
      BUILTINS.flatMap((command) =>
        command.kind === "action" ? [[command.name, command.runs]] : [],
      ),
    )
    expect(runs).toEqual({
      branch: "queued",
      compact: "queued",
      archive: "queued",
      rewind: "queued",
      clear: "queued",
      model: "queued",
      memory: "at-once",
      help: "at-once",
      xray: "at-once",
    })
  })
})

describe("structuredParts", () => {
  const search = builtin("search") as StructuredCommand
  const read = builtin("read") as StructuredCommand

  it("[CMP-043] makes a text with the intent of /search", () =>
    expect(structuredParts(search, " how to $1 ")).toEqual({
      type: "parts",
      parts: [{ type: "text", text: "how to $1", intent: "search" }],
    }))
  it("[CMP-106] makes a file reference of /read, with its lines", () => {
    expect(structuredParts(read, "src/a.ts")).toEqual({
      type: "parts",
      parts: [{ type: "file-ref", ref: { kind: "path", path: "src/a.ts" } }],
    })
    expect(structuredParts(read, "a.ts#L3-9")).toEqual({
      type: "parts",
      parts: [
        { type: "file-ref", ref: { kind: "path", path: "a.ts", range: { start: 3, end: 9 } } },
      ],
    })
  })
  it("[BEY-05] asks for what is missing", () =>
    expect(structuredParts(search, "\t")).toMatchObject({
      type: "missing",
      missing: [{ name: "query" }],
    }))
})
