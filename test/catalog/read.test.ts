import { describe, expect, it } from "vitest"
import { Command } from "../../packages/core/catalog/command.ts"
import { type ReaderName, readCommandFile } from "../../packages/core/catalog/read/read.ts"
import { readGooseSlashMap } from "../../packages/core/catalog/read/recipe.ts"
import { commandFile } from "./build.ts"

function read(tool: string, relative: string, text: string, reader: ReaderName = "markdown") {
  const { commands, findings } = readCommandFile(commandFile(tool, relative, text), reader)
  for (const command of commands) expect(Command.parse(command)).toEqual(command)
  return { commands, says: findings.map(({ line, message }) => `${line} ${message}`) }
}
function one(tool: string, relative: string, text: string, reader: ReaderName = "markdown") {
  const [command, ...others] = read(tool, relative, text, reader).commands
  if (!command || others.length > 0) throw new Error(`one command is expected of ${relative}`)
  return command
}

describe("Markdown commands", () => {
  it("[BEY-06] know where they came from", () =>
    expect(one("claude", "git/commit.md", "---\ndescription: Commit\n---\n\nDo it.\n")).toEqual({
      kind: "template",
      name: "git:commit",
      dialect: "claude",
      description: "Commit",
      body: "Do it.",
      source: {
        tool: "claude",
        scope: "project",
        owner: "project",
        path: "/project/git/commit.md",
        line: 5,
      },
      trust: "untrusted",
      digest: "sha256:0",
    }))
  it("are named after their folders, as their tool does", () => {
    expect(one("opencode", "a/b.md", "x").name).toBe("a/b")
    expect(one("compositor", "a/b.md", "x").name).toBe("a:b")
    expect(one("copilot", "a.prompt.md", "x").name).toBe("a")
    expect(one("cline", "a.markdown", "x").name).toBe("a")
    expect(one("claude", "my command.md", "x").name).toBe("my-command")
    expect(one("claude", "翻訳.md", "x").name).toBe("翻訳")
    expect(one("claude", "e\u0301.md", "x").name).toBe("\u00e9")
    expect(read("claude", "\u202e.md", "x").says).toEqual(["1 its name cannot be typed"])
  })

  it.each([
    ["\uFEFF---\ndescription: x\n---\nbody"],
    ["---\r\ndescription: x\r\n---\r\nbody\r\n"],
    ["---  \ndescription: x\n--- \nbody"],
  ])("are read whatever their byte order mark and line ends: %j", (text) =>
    expect(one("claude", "a.md", text)).toMatchObject({ description: "x", body: "body" }),
  )
  it("may have an empty head, or none", () => {
    expect(one("claude", "a.md", "---\n---\nbody")).toMatchObject({ body: "body" })
    expect(one("claude", "a.md", "---\n\nA rule.\n\n---\nbody").kind).toBe("template")
    expect(one("claude", "a.md", "---\n\nA rule.\n\n---\nbody")).toMatchObject({
      body: "---\n\nA rule.\n\n---\nbody",
    })
    expect(one("claude", "a.md", "---js\nprocess.exit()\n---\nbody")).toMatchObject({
      body: "---js\nprocess.exit()\n---\nbody",
    })
  })
  it("keep their body when the head cannot be read, and tell", () => {
    const { commands, says } = read("claude", "a.md", "---\na: b\n\tc: [d\n---\nbody")
    expect(commands).toMatchObject([{ body: "body" }])
    expect(says[0]).toMatch(/^3 the head cannot be read: /)
  })
  it("have limits", () => {
    expect(read("claude", "a.md", `---\na: ${"x".repeat(70_000)}\n---\nbody`).says[0]).toBe(
      "2 the head is longer than 65536 characters",
    )
    expect(read("claude", "a.md", "x".repeat(300_000))).toEqual({
      commands: [],
      says: ["1 it is larger than 262144 bytes"],
    })
  })
  it("without text are left out", () =>
    expect(read("claude", "a.md", "---\ndescription: x\n---\n \n")).toEqual({
      commands: [],
      says: ["1 it has no text, so it is left out"],
    }))

  it("read the slips people make in YAML", () => {
    expect(one("claude", "a.md", "---\ndescription: a: b\n---\nx").description).toBe("a: b")
    expect(one("claude", "a.md", "---\nargument-hint: [topic: x | y]\n---\nx").argument_hint).toBe(
      "[topic: x | y]",
    )
    expect(one("continue", "a.md", "---\nname: 3000\ndescription: d\n---\nx").name).toBe("3000")
    expect(one("continue", "a.md", "---\nname: true\ndescription: d\n---\nx").name).toBe("true")
    expect(read("claude", "a.md", "---\nname: 3000\ndescription: d\n---\nx").says).toEqual([
      "2 it calls itself 3000, but is typed as /a",
    ])
  })
  it("keep what else they ask for, without obeying", () =>
    expect(
      one(
        "claude",
        "a.md",
        "---\nallowed-tools: Bash(git add:*), Bash(git status:*), Read\nmodel: opus\ndisableModelInvocation: yes\n---\nx",
      ).hints,
    ).toEqual({
      allowed_tools: ["Bash(git add:*)", "Bash(git status:*)", "Read"],
      model: "opus",
      disable_model_invocation: "yes",
    }))
  it("show a stranger's description in one plain line", () =>
    expect(
      one("claude", "a.md", '---\ndescription: "a\\n\\e[31mb\\u202ec"\n---\nx').description,
    ).toBe("a [31mbc"))

  it("[EA-011] declare arguments as names or with all there is to say", () => {
    const names = [
      { name: "a", type: "string" },
      { name: "b", type: "string" },
    ]
    expect(one("claude", "a.md", "---\narguments: [a, b]\n---\nx").arguments).toEqual(names)
    expect(one("claude", "a.md", "---\narguments: a b\n---\nx").arguments).toEqual(names)
    const text =
      "---\narguments:\n  - name: n\n    type: number\n    required: true\n    description: how many\n  - name: m\n    default: 5\n    required: true\n---\nx"
    expect(one("compositor", "a.md", text).arguments).toEqual([
      { name: "n", type: "number", required: true, description: "how many" },
      { name: "m", type: "string", default: "5" },
    ])
  })
  it("of Codex and Copilot declare what they use", () => {
    expect(one("codex", "a.md", "$FILE and $FILE, $1, $ARGUMENTS, $$NOT").arguments).toEqual([
      { name: "FILE", type: "string", required: true },
    ])
    expect(one("copilot", "a.prompt.md", "${input:x:Which one?} ${input:y}").arguments).toEqual([
      { name: "x", type: "string", required: true, description: "Which one?" },
      { name: "y", type: "string", required: true },
    ])
  })
  it("of Cline can be switched off, by a boolean", () => {
    expect(read("cline", "a.md", "---\ndisabled: true\n---\nx").commands).toEqual([])
    expect(read("cline", "a.md", "---\nenabled: no\n---\nx").commands).toEqual([])
    expect(read("cline", "a.md", "---\ndisabled: maybe\n---\nx")).toMatchObject({
      commands: [{ name: "a" }],
      says: ["2 disabled must be true or false, not maybe"],
    })
  })
  it("of Continue are Handlebars in their first version", () => {
    const v1 = one("continue", "a.prompt", "name: a\nversion: 1\n---\nSay {{{input}}}")
    expect(v1).toMatchObject({ dialect: "continue-v1", body: "Say {{{input}}}", name: "a" })
    expect(one("continue", "b.prompt", "Say it.")).toMatchObject({ dialect: "continue", name: "b" })
  })
  it("of Continue's rules are commands only when they say so", () => {
    expect(read("continue", "a.md", "---\nname: r\n---\nx", "continue-rule").commands).toEqual([])
    expect(
      one("continue", "a.md", "---\nname: r\ninvokable: true\n---\nx", "continue-rule").name,
    ).toBe("r")
  })
})

describe("other files", () => {
  it("[BEY-06] reads Gemini's TOML", () => {
    const text = `description = "Find"\nprompt = """\nFind {{args}}\n"""\n`
    expect(one("gemini", "a b/c@d.toml", text, "toml")).toMatchObject({
      name: "a_b:c_d",
      dialect: "gemini",
      description: "Find",
      body: "Find {{args}}",
      source: { line: 2 },
    })
    expect(read("gemini", "a.toml", "prompt = 3", "toml").says).toEqual([
      "1 it has no prompt, which every command needs",
    ])
    expect(read("gemini", "a.toml", "prompt = [", "toml").says).toEqual([
      "1 it cannot be read: unfinished array",
    ])
  })
  it("[BEY-06] reads the commands of opencode.json", () => {
    const text = `{\n  "command": {\n    "ship it": { "template": "Ship $1", "agent": "build", },\n    "bad": {}\n  }\n}`
    const { commands, says } = read("opencode", "opencode.json", text, "opencode-config")
    expect(commands).toMatchObject([
      { name: "ship-it", body: "Ship $1", hints: { agent: "build" }, source: { line: 3 } },
    ])
    expect(says).toEqual(["3 /ship-it has no description", "4 its command bad has no template"])
    expect(read("opencode", "o.json", "{", "opencode-config").says[0]).toMatch(
      /^1 it cannot be read/,
    )
    expect(read("opencode", "o.json", '{"command":[]}', "opencode-config").commands).toEqual([])
    expect(read("opencode", "o.json", "{}", "opencode-config")).toEqual({ commands: [], says: [] })
  })
  it("lets no key of a file reach into objects", () => {
    const text =
      '{"command":{"__proto__":{"template":"x","a":1},"b":{"template":"y","__proto__":{"a":1}}}}'
    read("opencode", "o.json", text, "opencode-config")
    read("claude", "a.md", "---\n__proto__: {a: 1}\nb: {constructor: {a: 1}}\n---\nx")
    expect(({} as { a?: number }).a).toBeUndefined()
    expect(Object.hasOwn(Object.prototype, "a")).toBe(false)
  })
  it("[BEY-06] reads goose's recipes, the desktop's too", () => {
    const yaml =
      "title: T\ndescription: D\ninstructions: I {{ a }}\nprompt: P\nparameters:\n  - key: a\n    input_type: file\n    requirement: user_prompt\n    description: which\nsettings:\n  goose_model: m"
    expect(one("goose", "x/recipe.yaml", yaml, "recipe")).toMatchObject({
      name: "x",
      description: "D",
      body: "I {{ a }}\n\nP",
      arguments: [{ name: "a", type: "string", required: true, description: "which", file: true }],
      hints: { settings: { goose_model: "m" } },
    })
    expect(
      one("goose", "d.json", '{"name":"n","recipe":{"title":"T","prompt":"P"}}', "recipe"),
    ).toMatchObject({ name: "d", description: "T", body: "P" })
    expect(read("goose", "e.yaml", "title: T", "recipe").says).toEqual([
      "1 it has neither instructions nor a prompt",
    ])
  })
  it("[BEY-06] reads the prompts of Continue's settings", () =>
    expect(
      one(
        "continue",
        "config.yaml",
        "prompts:\n  - name: a b\n    prompt: P\n  - x\n",
        "continue-config",
      ),
    ).toMatchObject({ name: "a-b", body: "P", dialect: "continue" }))
  it("[BEY-06] reads the slash commands of goose's settings", () => {
    const yaml = "slash_commands:\n  - command: daily\n    recipe_path: ~/d.yaml\n  - command: x\n"
    expect(readGooseSlashMap(yaml)).toEqual([{ name: "daily", path: "~/d.yaml" }])
    expect(readGooseSlashMap("a: [")).toEqual([])
  })
})
