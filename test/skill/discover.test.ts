import { mkdir, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { TextFiles } from "../../packages/engine/skills/files.ts"
import { catalogOf, emptyWorkspace, findingsOf, look, namesOf, write } from "./workspace.ts"

const SKILL = "---\ndescription: d\n---\nx"

describe("discover", () => {
  it("[SKL-002] walks from the working directory to the repository's root, the nearest first", async () => {
    const workspace = await emptyWorkspace()
    await write(workspace.folder, {
      "project/.claude/commands/a.md": "root",
      "project/.claude/commands/b.md": "root",
      "project/packages/web/.claude/commands/a.md": "web",
      "project/packages/.claude/skills/s/SKILL.md": SKILL,
      ".claude/commands/outside.md": "above the repository",
    })
    const found = await look({ ...workspace, project: join(workspace.project, "packages/web") })
    expect(found.project.root).toBe(workspace.project)
    expect(namesOf(found)).toEqual(["a", "claude:a", "b", "s"])
    expect(catalogOf(found).get("a")).toMatchObject({ body: "web" })
  })
  it("stays in the working directory where there is no repository", async () => {
    const workspace = await emptyWorkspace()
    await rm(join(workspace.project, ".git"), { recursive: true })
    await write(workspace.folder, {
      "project/.claude/commands/a.md": "x",
      "project/in/.claude/commands/b.md": "x",
    })
    expect(namesOf(await look({ ...workspace, project: join(workspace.project, "in") }))).toEqual([
      "b",
    ])
  })
  it("takes nothing in the user's home for the project's, even where the home is a repository", async () => {
    const workspace = await emptyWorkspace()
    await mkdir(join(workspace.home, ".git"))
    await write(workspace.home, {
      ".claude/commands/mine.md": "x",
      "work/.claude/commands/theirs.md": "x",
    })
    const found = await look({ ...workspace, project: join(workspace.home, "work") })
    const trust = catalogOf(found)
      .list()
      .flatMap(({ name, command }) =>
        command.source.scope === "builtin" ? [] : [`${name} ${command.trust}`],
      )
    expect(trust).toEqual(["theirs untrusted", "mine trusted"])
  })
  it("looks where the environment says", async () => {
    const workspace = await emptyWorkspace()
    await write(workspace.folder, {
      "config/opencode/command/a.md": "x",
      "codex/prompts/b.md": "x",
      "codex/skills/s/SKILL.md": SKILL,
      "recipes/c.yaml": "prompt: x",
      "more/t/SKILL.md": SKILL,
      "bundled/u/SKILL.md": SKILL,
      "far/v/SKILL.md": SKILL,
    })
    const variables = {
      XDG_CONFIG_HOME: join(workspace.folder, "config"),
      CODEX_HOME: join(workspace.folder, "codex"),
      GOOSE_RECIPE_PATH: `${join(workspace.folder, "recipes")}:relative/is/ignored`,
    }
    const found = await look(workspace, {
      environment: { home: workspace.home, variables },
      skillPaths: [join(workspace.folder, "more")],
      bundled: join(workspace.folder, "bundled"),
      remoteSkills: [join(workspace.folder, "far")],
    })
    expect(namesOf(found)).toEqual(["a", "b", "c", "s", "u", "t", "v"])
    expect(found.skills.map(({ name, trust }) => `${name} ${trust}`)).toEqual([
      "s trusted",
      "u trusted",
      "t trusted",
      "v trusted",
    ])
  })
  it("reads plugins and extensions by their folder", async () => {
    const workspace = await emptyWorkspace()
    await write(workspace.folder, {
      "home/.claude/plugins/tools/commands/a.md": "x",
      "home/.gemini/extensions/cloud/commands/b.toml": 'prompt = "x"',
      "project/commands/c.md": "x",
      "project/.claude-plugin/plugin.json": "{}",
      "home/.pi/agent/settings.json": '{ "prompts": ["./more"] }',
      "home/.pi/agent/more/d.md": "x",
    })
    expect(namesOf(await look(workspace))).toEqual(["c", "tools:a", "b", "d"])
  })

  it("[SKL-002] keeps the first skill of a name, and the doctor tells of the other", async () => {
    const workspace = await emptyWorkspace()
    await write(workspace.folder, {
      "project/.agents/skills/s/SKILL.md": "---\ndescription: first\n---\nx",
      "home/.agents/skills/s/SKILL.md": "---\ndescription: second\n---\nx",
    })
    const found = await look(workspace)
    expect(found.skills.map(({ description }) => description)).toEqual(["first"])
    expect(
      catalogOf(found)
        .hidden()
        .map(({ because }) => because),
    ).toEqual([`the skill s of ${workspace.project}/.agents/skills/s/SKILL.md was found first`])
  })
  it("[SKL-002] names the skills of packages inside the repository after them", async () => {
    const workspace = await emptyWorkspace()
    await write(workspace.project, {
      "packages/web/.claude/skills/s/SKILL.md": SKILL,
      "apps/web/.agents/skills/s/SKILL.md": SKILL,
      "node_modules/x/.claude/skills/evil/SKILL.md": SKILL,
      "other-repository/.git/HEAD": "",
      "other-repository/.claude/skills/theirs/SKILL.md": SKILL,
      "a/b/c/d/e/f/.claude/skills/deep/SKILL.md": SKILL,
    })
    expect(namesOf(await look(workspace))).toEqual(["web:s", "packages/web:s"])
  })
  it("takes a package for one skill, and lists its files without reading them", async () => {
    const workspace = await emptyWorkspace()
    await write(join(workspace.project, ".agents/skills"), {
      "s/SKILL.md": SKILL,
      "s/scripts/run.sh": "x",
      "s/references/inner/SKILL.md": SKILL,
      "s/.hidden": "x",
      "group/t/SKILL.md": SKILL,
    })
    const { skills } = await look(workspace)
    expect(skills.map(({ name, resources }) => [name, resources])).toEqual([
      ["t", []],
      ["s", ["references/inner/SKILL.md", "scripts/run.sh"]],
    ])
  })

  it("reads what Codex keeps beside a skill", async () => {
    const workspace = await emptyWorkspace()
    await write(join(workspace.project, ".codex/skills"), {
      "s/SKILL.md": SKILL,
      "s/agents/openai.yaml":
        "interface:\n  display_name: S\npolicy:\n  allow_implicit_invocation: false\n",
      "t/SKILL.md": SKILL,
      "t/agents/openai.yaml": "a: [",
    })
    const { skills } = await look(workspace)
    expect(skills).toMatchObject([
      {
        name: "s",
        model_invocable: false,
        hints: { openai: { interface: { display_name: "S" } } },
      },
      { name: "t", model_invocable: true },
    ])
  })

  it("follows no link out of the project, and none in a circle", async () => {
    const workspace = await emptyWorkspace()
    await write(workspace.folder, {
      "secret/a.md": "secret",
      "project/.claude/commands/b.md": "x",
      "project/shared/c.md": "x",
    })
    const commands = join(workspace.project, ".claude/commands")
    await symlink(join(workspace.folder, "secret"), join(commands, "out"))
    await symlink(join(workspace.folder, "secret/a.md"), join(commands, "out.md"))
    await symlink("/etc/passwd", join(commands, "passwd.md"))
    await symlink(commands, join(commands, "circle"))
    await symlink("../../shared", join(commands, "shared"))
    await symlink("nowhere", join(commands, "dead.md"))
    const found = await look(workspace)
    expect(namesOf(found)).toEqual(["b", "shared:c"])
    expect(findingsOf(found).filter((told) => told.startsWith("unreadable"))).toEqual([
      expect.stringContaining("is outside the workspace"),
      expect.stringContaining("is outside the workspace"),
    ])
  })
  it("follows the links of the user's own folders anywhere", async () => {
    const workspace = await emptyWorkspace()
    await write(workspace.folder, { "dotfiles/a.md": "x" })
    await mkdir(join(workspace.home, ".claude"))
    await symlink(join(workspace.folder, "dotfiles"), join(workspace.home, ".claude/commands"))
    expect(namesOf(await look(workspace))).toEqual(["a"])
  })
  it("reads a file once that two tools share by a link", async () => {
    const workspace = await emptyWorkspace()
    await write(workspace.project, { ".agents/commands/a.md": "x $1" })
    await mkdir(join(workspace.project, ".claude/commands"), { recursive: true })
    await symlink("../../.agents/commands/a.md", join(workspace.project, ".claude/commands/a.md"))
    const found = await look(workspace)
    expect(namesOf(found)).toEqual(["a"])
    expect(findingsOf(found)).toContainEqual(
      expect.stringMatching(/^duplicate: it is the same file as /),
    )
  })
  it("passes over what is no small UTF-8 text, and tells", async () => {
    const workspace = await emptyWorkspace()
    await write(workspace.project, { ".claude/commands/big.md": "x".repeat(300_000) })
    await writeFile(join(workspace.project, ".claude/commands/bytes.md"), Buffer.from([0xff, 0xfe]))
    expect(findingsOf(await look(workspace))).toEqual([
      "unreadable: it is larger than 262144 bytes",
      "unreadable: it is no UTF-8 text",
    ])
  })
  it("looks only so far", async () => {
    const workspace = await emptyWorkspace()
    const folders = Array.from({ length: 2100 }, (_, at) => `.claude/commands/f${at}/x.md`)
    await write(workspace.project, Object.fromEntries(folders.map((path) => [path, "x"])))
    const found = await look(workspace)
    expect(namesOf(found).length).toBeLessThanOrEqual(2000)
    expect(findingsOf(found)).toContain(
      "limit: there are more command files than are looked through",
    )
    await write(workspace.home, {
      ".agents/commands/1/2/3/4/5/6/7.md": "x",
      ".agents/commands/1/2/3/4/5/6.md": "x",
    })
    expect(namesOf(await look({ ...workspace, project: workspace.home }))).toEqual(["1:2:3:4:5:6"])
  })
  it("gives goose's slash commands the names its settings say", async () => {
    const workspace = await emptyWorkspace()
    const config = `slash_commands:\n  - command: ours\n    recipe_path: ${workspace.project}/r.yaml\n  - command: gone\n    recipe_path: ~/gone.yaml\n`
    await write(workspace.folder, {
      "home/.config/goose/config.yaml": config,
      "project/r.yaml": "prompt: x",
    })
    const found = await look(workspace)
    expect(catalogOf(found).get("ours")).toMatchObject({
      trust: "untrusted",
      source: { scope: "project" },
    })
    expect(findingsOf(found)).toEqual([expect.stringContaining("does not exist")])
  })
  it("reads again only what changed", async () => {
    const workspace = await emptyWorkspace()
    await write(workspace.project, { ".claude/commands/a.md": "one" })
    const files = new TextFiles()
    const path = join(workspace.project, ".claude/commands/a.md")
    const first = await files.read(path, workspace.project)
    expect(await files.read(path, workspace.project)).toBe(first)
    await writeFile(path, "two")
    expect(await files.read(path, workspace.project)).toMatchObject({ type: "text", text: "two" })
  })
  it("finds nothing where there is nothing", async () => {
    const workspace = await emptyWorkspace()
    await rm(workspace.project, { recursive: true })
    expect(namesOf(await look(workspace))).toEqual([])
  })
})
