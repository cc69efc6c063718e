import { describe, expect, it } from "vitest"
import { triggerAt } from "../../packages/core/compose/trigger.ts"

describe("triggerAt", () => {
  /** The cursor is the bar. */
  function triggers(marked: string, kind: "command" | "mention", query: string) {
    const cursor = marked.indexOf("|")
    const source = marked.replace("|", "")
    const found = triggerAt(source, cursor)
    expect(found).toMatchObject({ kind, query, to: cursor })
    expect(source.charAt(found?.from ?? -1)).toBe(kind === "command" ? "/" : "@")
  }
  function isQuiet(marked: string) {
    expect(triggerAt(marked.replace("|", ""), marked.indexOf("|"))).toBeUndefined()
  }

  it("[EA-040] sees a command being typed", () => {
    triggers("/|", "command", "")
    triggers("please /rev|", "command", "rev")
    triggers("a\n/mcp:gh:tri|age", "command", "mcp:gh:tri")
    triggers("/评|", "command", "评")
  })
  it("[EA-040] sees a reference being typed", () => {
    triggers("@|", "mention", "")
    triggers("see (@src/ma|", "mention", "src/ma")
    triggers("see @skill:p|df now", "mention", "skill:p")
    triggers("看（@报|", "mention", "报")
    triggers('see "@a|', "mention", "a")
  })
  it("sees a quoted path, which has spaces", () => {
    triggers('see @"my no|', "mention", "my no")
    triggers('@"|', "mention", "")
    isQuiet('@"a.md" and|')
    isQuiet('@"a\nb|')
    isQuiet('x@"a b|')
  })
  it("is quiet elsewhere", () => {
    for (const marked of ["|", "a |", "me@ex|", "a/b|", "1/|", "`@a|", "https://a.b/@c|"])
      isQuiet(marked)
    isQuiet("|/review")
    isQuiet("/(|")
  })
  it("looks at no more than one token", () => {
    isQuiet(`@${"a".repeat(300)}|`)
    const long = "word ".repeat(200_000)
    expect(triggerAt(`${long}@src`, long.length + 4)).toMatchObject({
      from: long.length,
      query: "src",
    })
  })
})
