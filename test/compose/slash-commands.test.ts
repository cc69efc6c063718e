import { describe, expect, it } from "vitest"
import type { ComposerNode } from "../../packages/core/compose/node.ts"
import {
  argumentText,
  firstSlashCommand,
  hasSlashCommand,
  knownNodes,
  nodesAfter,
  type HandlerPayload,
  slashCommands,
  sliceBetween,
  unknownNodes,
} from "../../packages/core/compose/slash-commands.ts"
import { parse } from "../../packages/core/compose/parse.ts"
import { vocabulary } from "./words.ts"

const SOURCE = "/pr-review 123 in /worktree see @branch:main !"

describe("the helper library", () => {
  const attachment: ComposerNode = { kind: "attachment", start: 45, end: 46, raw: "!", id: "7" }
  const payload: HandlerPayload = {
    source: SOURCE,
    nodes: [...parse(SOURCE, vocabulary), attachment],
  }
  const [review, worktree, branch] = parse(SOURCE, vocabulary) as [
    ComposerNode,
    ComposerNode,
    ComposerNode,
  ]

  it("[EA-032] finds the commands of an input", () => {
    expect(slashCommands(payload).map(({ name }) => name)).toEqual(["pr-review", "worktree"])
    expect(hasSlashCommand(payload, "worktree")).toBe(true)
    expect(hasSlashCommand(payload, "clear")).toBe(false)
    expect(hasSlashCommand(payload)).toBe(true)
    expect(hasSlashCommand({ source: "hi" })).toBe(false)
    expect(firstSlashCommand(payload)?.name).toBe("pr-review")
  })
  it("[EA-032] [CMP-051] gives a command the text up to the next one", () => {
    expect(argumentText(payload, review)).toBe("123 in")
    expect(argumentText(payload, worktree)).toBe("see @branch:main !")
  })
  it("[EA-032] walks and slices between nodes", () => {
    expect(nodesAfter(payload, worktree)).toEqual([branch, attachment])
    expect(sliceBetween(payload, review, worktree)).toBe(" 123 in ")
    expect(sliceBetween(payload, worktree, review)).toBe(" 123 in ")
  })
  it("[EA-032] tells the kinds it knows from those it does not", () => {
    expect(knownNodes(payload)).toEqual([review, worktree, branch])
    expect(unknownNodes(payload)).toEqual([attachment])
  })
  it("[EA-003] has nothing to find without nodes", () => {
    expect(slashCommands({ source: SOURCE })).toEqual([])
    expect(firstSlashCommand({ source: SOURCE })).toBeUndefined()
    expect(knownNodes({ source: SOURCE })).toEqual([])
  })
})
