import { describe, expect, it } from "vitest"
import { doctor } from "../../packages/core/catalog/doctor.ts"
import { exportTo } from "../../packages/core/catalog/export.ts"
import { expand } from "../../packages/core/catalog/expand.ts"
import { TRUST_ALL } from "../../packages/engine/skills/trust.ts"
import { catalogOf, look, workspaceOfEveryone } from "./workspace.ts"

describe("the workspace of everyone", () => {
  it("[BEY-06] lists every tool's commands with source, dialect and trust", async () => {
    const catalog = catalogOf(await look(await workspaceOfEveryone()))
    const rows = catalog.list().flatMap(({ name, command }) => {
      const { kind, source, trust } = command
      const dialect = "dialect" in command ? command.dialect : ""
      if (source.scope === "builtin") return []
      return [`${name} ${kind} ${source.tool} ${source.scope} ${dialect} ${trust}`]
    })
    expect(rows).toEqual([
      "git:commit template compositor project compositor untrusted",
      "review template compositor project compositor untrusted",
      "翻訳 template compositor project compositor untrusted",
      "claude:compact template claude project claude untrusted",
      "db:migrate template claude project claude untrusted",
      "fix-issue template claude project claude untrusted",
      "claude:review template claude project claude untrusted",
      "test template opencode project opencode untrusted",
      "nested/child template opencode project opencode untrusted",
      "deploy template opencode project opencode untrusted",
      "git:summary template gemini project gemini untrusted",
      "gemini:review template gemini project gemini untrusted",
      "logs template gemini project gemini untrusted",
      "explain template pi project pi untrusted",
      "Refactor-it template continue project continue untrusted",
      "write-tests template continue project continue untrusted",
      "old template continue project continue-v1 untrusted",
      "check template continue project continue untrusted",
      "release template goose project goose untrusted",
      "loop template goose project goose untrusted",
      "pr-review template cline project plain untrusted",
      "onboard template cline project plain untrusted",
      "form template copilot project copilot untrusted",
      "changelog template cursor project plain untrusted",
      "release-check template windsurf project plain untrusted",
      "estimate template roo project plain untrusted",
      "haiku template pi project pi untrusted",
      "pdf skill compositor project skill untrusted",
      "deploy-app skill claude project claude untrusted",
      "loose skill opencode project skill untrusted",
      "plan skill codex project skill untrusted",
      "web:theme skill compositor project skill untrusted",
      "compositor:review template compositor user compositor trusted",
      "standup template claude user claude trusted",
      "joke template opencode user opencode trusted",
      "draft-pr template codex user codex trusted",
      "tidy template codex user codex trusted",
      "why template gemini user gemini trusted",
      "brief template pi user pi trusted",
      "3000 template continue user continue trusted",
      "goose:standup template goose user goose trusted",
      "daily template goose user goose trusted",
      "notes skill claude user claude trusted",
    ])
  })

  it("[BEY-06] has a doctor who explains each collision, trap and slip, with its line", async () => {
    const workspace = await workspaceOfEveryone()
    const findings = doctor(catalogOf(await look(workspace)))
    const shown = findings.map(
      ({ level, path, line, message }) =>
        `${level} ${path.replace(`${workspace.folder}/`, "")}:${line} ${message.replaceAll(`${workspace.folder}/`, "")}`,
    )
    expect(shown).toEqual([
      "error project/.agents/recipes/loop.json:5 it uses {% for x in y %}, which this host does not run",
      "error project/.agents/recipes/loop.json:5 it uses x, which is not among its parameters",
      "error project/.agents/recipes/loop.json:5 it uses {% endfor %}, which this host does not run",
      "error project/.gemini/commands/bad.toml:1 it cannot be read: unfinished string",
      "error project/.gemini/skills/nameless/SKILL.md:2 it has no description, so nobody would know when to use it",
      "error project/opencode.json:9 its command broken has no template",
      "warning project/.agents/commands/review.md:15 it would run !`git log -n 3 -- $1` once it is trusted",
      "warning project/.claude/commands/fix-issue.md:2 the value of description was read as if it were quoted",
      "warning project/.claude/commands/review.md:7 $1 is the second argument here: Claude Code counts from $0",
      "warning project/.claude/commands/review.md:9 it would run !`git diff --stat` once it is trusted",
      "warning project/.claude/skills/deploy/SKILL.md:2 it calls itself deploy-app, but its folder is deploy",
      "warning project/.claude/skills/deploy/SKILL.md:3 the value of description was read as if it were quoted",
      "warning project/.claude/skills/deploy/SKILL.md:8 it would run !`kubectl config current-context` once it is trusted",
      "warning project/.claude/skills/pdf/SKILL.md:1 the skill pdf of project/.agents/skills/pdf/SKILL.md was found first",
      "warning project/.gemini/commands/git/summary.toml:2 $1 is a slot for compositor, claude, opencode, codex, pi, but text for gemini",
      "warning project/.gemini/commands/review.toml:4 it would run !{grep -rn {{args}} src} once it is trusted",
      "warning project/.opencode/command/test.md:8 it would run !`npm test` once it is trusted",
      "note home/.agents/commands/review.md:1 /review is taken by project/.agents/commands/review.md; this one is typed as /compositor:review",
      "note home/.codex/prompts/tidy.md:1 /tidy has no description",
      "note home/.config/goose/recipes/standup.yaml:1 /standup is taken by home/.claude/commands/standup.md; this one is typed as /goose:standup",
      "note home/.config/opencode/command/joke.md:1 /joke has no description",
      "note project/.claude/commands/compact.md:1 /compact is built in, and nothing hides a built-in; this one is typed as /claude:compact",
      "note project/.claude/commands/db/migrate.md:1 /db:migrate has no description",
      "note project/.claude/commands/review.md:1 /review is taken by project/.agents/commands/review.md; this one is typed as /claude:review",
      "note project/.claude/commands/review.md:3 argument-hint is a YAML list here; it was read as the text it is",
      "note project/.claude/skills/deploy/SKILL.md:4 argument-hint is a YAML list here; it was read as the text it is",
      "note project/.continue/prompts/refactor.prompt:1 Refactor it is typed as /Refactor-it",
      "note project/.gemini/commands/git/summary.toml:1 /git:summary has no description",
      "note project/.gemini/commands/review.toml:1 /review is taken by project/.agents/commands/review.md; this one is typed as /gemini:review",
    ])
  })

  it("[BEY-05] expands each command by its own tool's rules, once trusted", async () => {
    const catalog = catalogOf(await look(await workspaceOfEveryone(), { trust: TRUST_ALL }))
    function shows(name: string, typed: string): unknown {
      const command = catalog.get(name)
      if (!command) throw new Error(`there is no /${name}`)
      const expansion = expand(command, typed)
      return expansion.type === "parts" ? expansion.parts : expansion
    }
    expect(shows("review", "src/a.ts speed first")).toEqual([
      {
        type: "text",
        text: "Review src/a.ts for speed first.\n\nFirst word: src/a.ts. All of it: src/a.ts speed first. It costs $5, and $1 is text.\n\nThe rules: ",
      },
      {
        type: "file-ref",
        ref: { kind: "path", path: "docs/rules.md", range: { start: 1, end: 3 } },
        raw: "@{docs/rules.md#L1-3}",
      },
      { type: "text", text: "\nLast commits: " },
      { type: "shell", command: "git log -n 3 -- 'src/a.ts'", raw: "!`git log -n 3 -- $1`" },
    ])
    expect(shows("review", "")).toMatchObject({ type: "missing", missing: [{ name: "path" }] })
    expect(shows("gemini:review", "a; id")).toEqual([
      { type: "text", text: "Review this: a; id\n\nMatches: " },
      { type: "shell", command: "grep -rn 'a; id' src", raw: "!{grep -rn {{args}} src}" },
      { type: "text", text: "\nNotes: " },
      { type: "file-ref", ref: { kind: "path", path: "docs/notes.md" }, raw: "@{docs/notes.md}" },
    ])
    const texts: readonly (readonly [string, string, string])[] = [
      ["fix-issue", "12 high", "Fix issue #12 (high). First: 12, second: high. All: 12 high"],
      ["db:migrate", "users", "Write a migration for the change below.\n\nARGUMENTS: users"],
      [
        "prompts:draft-pr",
        'TITLE="A b" c.ts',
        "Draft a pull request called A b for c.ts. It costs $$5.",
      ],
      ["explain", "a b c", "Explain a to me, then the rest: b c. First two: a b. All: a b c"],
      ["old", "it", "<system>Be kind.</system>\nExplain it in {{ currentFile }}."],
      ["翻訳", "hello", "Translate to Japanese: hello"],
      ["nested/child", "it all", "Do it for it all"],
      ["changelog", "now", "Write the changelog entry for the change.\n\nnow"],
      [
        "release",
        "1.0",
        "You write release notes for users.\n\nWrite the notes of 1.0.\nKeep {{ this }} as it is.",
      ],
    ]
    for (const [name, typed, text] of texts)
      expect(shows(name, typed)).toEqual([{ type: "text", text }])
    expect(shows("loop", "")).toMatchObject({ type: "refused", code: "template" })
  })

  it("[BEY-06] exports what each tool can say, and lists the rest", async () => {
    const catalog = catalogOf(await look(await workspaceOfEveryone(), { trust: TRUST_ALL }))
    const commands = catalog.list().map(({ command }) => command)
    for (const target of ["claude", "opencode", "gemini", "codex"] as const) {
      const { files, losses } = exportTo(target, commands)
      expect(files.length).toBe(new Set(files.map(({ path }) => path)).size)
      expect(losses.filter(({ command }) => command === "loop")).toHaveLength(1)
      expect(files.length).toBeGreaterThanOrEqual(34)
    }
  })
})
