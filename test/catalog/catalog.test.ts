import { describe, expect, it } from "vitest"
import { BUILTINS } from "../../packages/core/commands/table.ts"
import { Catalog, vocabulary } from "../../packages/core/catalog/catalog.ts"
import type { Command, CommandScope } from "../../packages/core/catalog/command.ts"
import { entityCommands, mcpCommands } from "../../packages/core/catalog/foreign.ts"
import { template } from "./build.ts"

function from(scope: CommandScope, tool: string, name: string): Command {
  const path = `/${scope}/${tool}/${name}.md`
  return template("claude", "x", { name, source: { tool, scope, owner: scope, path } })
}

function skill(scope: CommandScope, tool: string, name: string, digest = "sha256:1"): Command {
  const { kind: _kind, ...rest } = template("skill", "x", { name, digest })
  return {
    ...rest,
    kind: "skill",
    skill: name,
    source: { tool, scope, owner: scope, path: `/${tool}` },
  }
}

const builtin = { owner: "builtin", commands: BUILTINS }

function catalog(...commands: Command[]): Catalog {
  const owners = new Set(commands.map(({ source }) => source.owner))
  const layers = [...owners].map((owner) => ({
    owner,
    commands: commands.filter(({ source }) => source.owner === owner),
  }))
  return new Catalog([...layers, builtin])
}

function names(of: Catalog): string[] {
  return of
    .list()
    .flatMap(({ name, command }) => (command.source.scope === "builtin" ? [] : [name]))
}

describe("names", () => {
  it("[CMP-045] keep the first: project before user before bundled", () => {
    const both = catalog(from("user", "claude", "review"), from("project", "gemini", "review"))
    expect(both.get("review")?.source.scope).toBe("project")
    expect(names(both)).toEqual(["review", "claude:review"])
  })
  it("[CMP-045] are changed in sight, with the reason", () => {
    const three = catalog(
      from("project", "compositor", "review"),
      from("project", "gemini", "review"),
      from("user", "gemini", "review"),
    )
    expect(names(three)).toEqual(["review", "gemini:review", "user:gemini:review"])
    expect(three.entry("gemini:review")?.because).toBe(
      "/review is taken by /project/compositor/review.md",
    )
  })
  it("number what cannot be told apart otherwise", () => {
    const same = from("project", "claude", "a")
    expect(names(catalog(same, { ...same }, { ...same }, { ...same }))).toEqual([
      "a",
      "claude:a",
      "project:claude:a",
      "claude:a~2",
    ])
  })
  it("[CMP-045] of built-ins and their aliases are taken from nobody", () => {
    const all = catalog(from("project", "claude", "compact"), from("project", "claude", "fork"))
    expect(all.get("compact")?.kind).toBe("action")
    expect(all.get("fork")?.name).toBe("branch")
    expect(names(all)).toEqual(["claude:compact", "claude:fork"])
    expect(all.entry("claude:compact")?.because).toBe(
      "/compact is built in, and nothing hides a built-in",
    )
  })
  it("[CMP-046] of skills come after commands, and the first skill hides the others", () => {
    const all = catalog(
      skill("project", "compositor", "pdf"),
      skill("user", "claude", "pdf"),
      from("project", "claude", "pdf"),
    )
    expect(all.get("pdf")?.kind).toBe("template")
    expect(names(all)).toEqual(["pdf", "skill:pdf", "claude:pdf"])
    const skills = catalog(skill("project", "a", "pdf"), skill("user", "b", "pdf"))
    expect(skills.hidden().map(({ because }) => because)).toEqual([
      "the skill pdf of /a was found first, with the same content",
    ])
  })
  it("are understood in the spellings people know", () => {
    const all = catalog(
      { ...from("user", "codex", "draft") },
      skill("project", "claude", "pdf"),
      ...mcpCommands("docs", [{ name: "find" }]),
    )
    for (const typed of ["draft", "codex:draft", "prompts:draft", "user:draft"])
      expect(all.get(typed)?.name, typed).toBe("draft")
    for (const typed of ["pdf", "skill:pdf", "claude:pdf", "project:pdf"])
      expect(all.get(typed)?.name, typed).toBe("pdf")
    for (const typed of ["docs:find", "mcp:docs:find", "docs.find", "mcp__docs__find"])
      expect(all.get(typed)?.name, typed).toBe("docs:find")
    expect(all.get("find")).toBeUndefined()
  })
  it("[CMP-044] are unknown when nobody has them, inherited ones included", () => {
    for (const typed of ["foo", "constructor", "__proto__", ""])
      expect(catalog().get(typed)).toBeUndefined()
  })
})

describe("Catalog", () => {
  const [declared] = entityCommands("e1", [{ name: "ship", description: "declared" }])
  const [learnt] = entityCommands("e1", [{ name: "ship", description: "learnt" }])
  if (!declared || !learnt) throw new Error("two commands are needed")

  it("[EA-013] hides what was declared by what was learnt, and shows it again", () => {
    const all = new Catalog([{ owner: "e1", commands: [declared] }])
    all.register("e1", learnt)
    expect(all.get("ship")?.description).toBe("learnt")
    expect(all.list()).toHaveLength(1)
    expect(all.unregister("e1", "ship")).toBe(true)
    expect(all.get("ship")?.description).toBe("declared")
    expect(all.unregister("e1", "ship")).toBe(false)
  })
  it("[EA-014] changes nothing when nothing changed", () => {
    const all = new Catalog()
    expect(all.replaceOwned("loader", [learnt])).toBe(true)
    const before = vocabulary(all)
    expect(all.replaceOwned("loader", [{ ...learnt }])).toBe(false)
    expect(all.register("loader", { ...learnt })).toBe(false)
    expect(all.revision).toBe(1)
    expect(vocabulary(all)).toBe(before)
    expect(all.replaceOwned("loader", [])).toBe(true)
    expect(all.get("ship")).toBeUndefined()
    expect(vocabulary(all)).not.toBe(before)
  })
  it("[EA-013] forgets an owner with all it brought", () => {
    const all = new Catalog([{ owner: "e1", commands: [declared] }])
    all.register("e1", { ...learnt, name: "other" })
    expect(all.remove("e1")).toBe(true)
    expect(all.list()).toEqual([])
    expect(all.remove("e1")).toBe(false)
  })
  it("[EA-013] lets an entity's command stand before the project's", () =>
    expect(catalog(from("project", "claude", "ship"), declared).get("ship")?.kind).toBe("entity"))
  it("gives the parser every name with its kind", () => {
    const { commands } = vocabulary(catalog(from("project", "claude", "review")))
    expect(commands.get("review")).toBe("template")
    expect(commands.get("project:review")).toBe("template")
    expect(commands.get("fork")).toBe("action")
    expect(commands.get("search")).toBe("structured")
    expect(commands.get("nobody")).toBeUndefined()
  })
})
