import { describe, expect, it } from "vitest"
import { Command } from "../../packages/core/catalog/command.ts"
import { archiveCommand } from "../../packages/core/commands/archive.ts"
import { modelCommand } from "../../packages/core/commands/model.ts"
import { readQueueEffect } from "../../packages/core/commands/queue-effect.ts"
import { readCommand } from "../../packages/core/commands/read.ts"
import { searchCommand } from "../../packages/core/commands/search.ts"
import { BUILTINS } from "../../packages/core/commands/table.ts"
import { refuseMissing } from "../../packages/engine/submit/command-arguments.ts"
import { EMPTY_ACTIONS } from "./actions.ts"

function call(typed: string) {
  return { typed, named: {} }
}

function builtin(name: string): Command {
  const found = BUILTINS.find((command) => command.name === name)
  if (!found) throw new Error(`/${name} is not built in`)
  return found
}

describe("the built-ins", () => {
  it("[CMP-045] are there under the names of the documents", () => {
    const names = BUILTINS.map(({ name }) => `/${name}`).join(" ")
    // A later command stands behind these.
    expect(`${names} `).toMatch(
      /^\/branch \/compact \/archive \/rewind \/clear \/model \/memory \/help \/xray \/search \/read /,
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
    expect(runs).toMatchObject({
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

describe("a command that composes", () => {
  it("[CMP-043] makes a text with the intent of /search", async () =>
    expect(await searchCommand.perform(call(" how to $1 "))).toEqual([
      { type: "text", text: "how to $1", intent: "search" },
    ]))
  it("[CMP-106] makes a file reference of /read, with its lines", async () => {
    expect(await readCommand.perform(call("src/a.ts"), EMPTY_ACTIONS)).toEqual([
      { type: "file-ref", ref: { kind: "path", path: "src/a.ts" } },
    ])
    expect(await readCommand.perform(call("a.ts#L3-9"), EMPTY_ACTIONS)).toEqual([
      { type: "file-ref", ref: { kind: "path", path: "a.ts", range: { start: 3, end: 9 } } },
    ])
  })
  it("[BEY-05] asks for what is missing", () => {
    const part = { type: "command", id: "/search", args: { raw: "\t" } } as const
    expect(() => refuseMissing(builtin("search"), part, 0)).toThrow(
      expect.objectContaining({
        code: "missing_arguments",
        details: [expect.objectContaining({ path: "/parts/0/args/query" })],
      }),
    )
  })
})

describe("readQueueEffect", () => {
  it("understands what version 0.1 left in a queue", () => {
    expect(readQueueEffect({ type: "archive" })).toEqual(archiveCommand.perform())
    const model = { provider_id: "a", model_id: "b" }
    expect(readQueueEffect({ type: "model", model })).toEqual(modelCommand.perform(call("a/b")))
    expect(readQueueEffect({ type: "clear" })).toEqual({ type: "clear" })
  })
})
