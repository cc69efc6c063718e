import { describe, expect, it } from "vitest"
import { BUILTINS } from "../../packages/core/commands/table.ts"
import { Catalog } from "../../packages/core/catalog/catalog.ts"
import type { Command } from "../../packages/core/catalog/command.ts"
import { doctor } from "../../packages/core/catalog/doctor.ts"
import { template } from "./build.ts"

function says(...commands: Command[]): string[] {
  const catalog = new Catalog([
    { owner: "builtin", commands: BUILTINS },
    { owner: "user", commands },
  ])
  return doctor(catalog).map(
    ({ level, rule, line, message }) => `${level} ${rule} ${line}: ${message}`,
  )
}
const at = { tool: "claude", scope: "project", owner: "project", path: "/p/x.md", line: 5 } as const

describe("doctor", () => {
  it("[BEY-06] has nothing to say of what is well", () => {
    expect(says(template("claude", "$0 $1 @a.md !`ls`"))).toEqual([])
    expect(says(template("compositor", "$1 $ARGUMENTS {{x}}"))).toEqual([])
    expect(says(template("skill", "Write $1 and !`x` and {{args}}"))).toEqual([])
  })
  it("[BEY-06] tells where Claude Code's counting misleads, with the line", () =>
    expect(says(template("claude", "one\ntwo $1\n$2", { source: at }))).toEqual([
      "warning counting 6: $1 is the second argument here: Claude Code counts from $0",
    ]))
  it("[BEY-06] tells of slots of other dialects", () => {
    expect(says(template("gemini", "Do $ARGUMENTS"))).toEqual([
      "warning dialect 1: $ARGUMENTS is a slot for compositor, claude, opencode, codex, pi, but text for gemini",
    ])
    expect(says(template("claude", "Do {{args}} $0"))).toEqual([
      "warning dialect 1: {{args}} is a slot for gemini, but text for claude",
    ])
    expect(says(template("compositor", "Do $0"))).toEqual([
      "warning dialect 1: $0 is a slot for claude, but text for compositor",
    ])
    expect(says(template("pi", "Now:\n!`date` $1"))).toEqual([
      "warning dialect 2: !`date` is a slot for compositor, claude, opencode, but text for pi",
    ])
  })
  it("[BEY-06] tells what would run once it is trusted", () => {
    const command = template("claude", "x\n!`rm -rf $0`", { trust: "untrusted" })
    expect(says(command)).toEqual([
      "warning untrusted-shell 2: it would run !`rm -rf $0` once it is trusted",
    ])
    expect(says({ ...command, trust: "trusted" })).toEqual([])
  })
  it("[BEY-06] explains each collision", () =>
    expect(
      says(
        template("claude", "a", { name: "compact" }),
        template("claude", "b"),
        template("pi", "c"),
      ),
    ).toEqual([
      "note shadowed 1: /compact is built in, and nothing hides a built-in; this one is typed as /claude:compact",
      "note shadowed 1: /x is taken by /home/x.md; this one is typed as /pi:x",
    ]))
  it("[BEY-05] tells of money, of hints that promise too much, and of templates nobody can fill", () => {
    expect(says(template("compositor", "It costs $1,000"))).toEqual([
      "note money 1: $1 looks like money, but is a slot: write \\$1",
    ])
    expect(says(template("codex", "Do it.", { argument_hint: "<file>" }))).toEqual([
      "warning unused-arguments 1: it hints at <file>, but no slot takes what is typed",
    ])
    expect(says(template("goose", "{% if x %}"))).toEqual([
      "error template 1: it uses {% if x %}, which this host does not run",
    ])
    expect(says(template("gemini", "!{ls {{args}}"))).toEqual([
      "warning template 1: it opens !{ and never closes it",
    ])
  })
  it("puts what the readers found before notes, and orders by place", () => {
    const finding = { level: "error", rule: "toml", path: "/b", line: 2, message: "m" } as const
    const catalog = new Catalog([
      { owner: "user", commands: [template("pi", "a"), template("pi", "b")], findings: [finding] },
    ])
    expect(doctor(catalog).map(({ path }) => path)).toEqual(["/b", "/home/x.md"])
  })
  it("does not tire of a hostile file", () => {
    const began = performance.now()
    const body = "${input:a !{a !`a` $1,1 {{args}} ".repeat(8000)
    expect(says(template("claude", body, { trust: "untrusted" })).length).toBeLessThan(50)
    expect(performance.now() - began).toBeLessThan(3000)
  })
})
