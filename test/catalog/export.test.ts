import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type {
  Command,
  CommandDialect,
  TemplateCommand,
} from "../../packages/core/catalog/command.ts"
import { exportTo } from "../../packages/core/catalog/export.ts"
import type { PrintTarget } from "../../packages/core/catalog/print.ts"
import { readCommandFile } from "../../packages/core/catalog/read/read.ts"
import { commandFile, shows, template } from "./build.ts"

const TARGETS: readonly PrintTarget[] = ["claude", "opencode", "gemini", "codex"]
const FOLDER = /^\.(?:claude\/commands|opencode\/command|gemini\/commands|codex\/prompts)\//

function readBack(target: PrintTarget, path: string, text: string): TemplateCommand {
  const reader = target === "gemini" ? "toml" : "markdown"
  const file = commandFile(target, path.replace(FOLDER, ""), text)
  const [command] = readCommandFile({ ...file, trust: "trusted" }, reader).commands
  if (command?.kind !== "template") throw new Error(`${path} holds no template: ${text}`)
  return command
}
function files(target: PrintTarget, ...commands: Command[]): Record<string, string> {
  return Object.fromEntries(exportTo(target, commands).files.map(({ path, text }) => [path, text]))
}
function losses(target: PrintTarget, command: Command): string[] {
  return exportTo(target, [command]).losses.map(({ message }) => message)
}

describe("exportTo", () => {
  const command = template("compositor", "Look at $2, all: $ARGUMENTS\n!`ls $1`\nIt is \\$1.", {
    name: "git:look",
    description: 'Look: "well"',
    argument_hint: "<a> <b>",
  })

  it("[BEY-06] writes a file where the tool looks for it", () => {
    expect(files("claude", command)).toEqual({
      ".claude/commands/git/look.md":
        '---\ndescription: "Look: \\"well\\""\nargument-hint: "<a> <b>"\n---\nLook at $1, all: $ARGUMENTS\n!`ls $0`\nIt is \\$1.\n',
    })
    expect(Object.keys(files("opencode", command))).toEqual([".opencode/command/git/look.md"])
    expect(Object.keys(files("codex", command))).toEqual([".codex/prompts/git-look.md"])
    expect(files("gemini", template("gemini", "Hi {{args}}", { name: "hi" }))).toEqual({
      ".gemini/commands/hi.toml": "prompt = '''\nHi {{args}}\n'''\n",
    })
  })
  it("[BEY-06] lists what cannot be said there", () => {
    expect(losses("gemini", template("compositor", "$1 of $2"))).toEqual([
      "gemini has no single arguments: $1 becomes all of them",
      "gemini has no single arguments: $2 becomes all of them",
    ])
    expect(losses("codex", template("claude", "@a.md !`ls`"))).toEqual([
      "codex does not read the file of @a.md",
      "codex does not run !`ls`",
    ])
    expect(losses("opencode", template("claude", "$0, then $1"))).toEqual([
      "opencode gives its last place all that is left",
    ])
    expect(losses("claude", template("gemini", "x!{ls}"))).toEqual([
      "claude reads a slot of it as text, or text as a slot",
    ])
    expect(losses("claude", template("codex", "Do it."))).toEqual([
      "claude appends what is typed after it",
    ])
    expect(losses("codex", template("gemini", "It costs $5 at {{args}}"))).toEqual([
      "$5 is text here, and a slot for codex",
    ])
    const release = template("goose", "{{ v }}", {
      arguments: [{ name: "v", type: "string", required: true, default: "1" }],
      hints: { settings: {} },
    })
    expect(losses("opencode", release)).toEqual([
      "opencode gives {{ v }} by its place, as $1",
      "opencode does not ask for arguments that are missing",
      "opencode has no defaults for arguments",
      "settings: not carried over to opencode",
    ])
    expect(losses("claude", template("goose", "{% if x %}"))).toEqual([
      "its template uses what only its own tool can run",
    ])
  })
  it("carries a tool's own settings back to it", () =>
    expect(
      files("claude", template("claude", "x", { name: "a", hints: { allowed_tools: ["Read"] } })),
    ).toEqual({ ".claude/commands/a.md": '---\nallowed-tools: ["Read"]\n---\nx\n' }))
  it("appends by a slot where the other tool would not", () =>
    expect(files("codex", template("plain", "Do it.", { name: "a" }))).toEqual({
      ".codex/prompts/a.md": "Do it.\n\n$ARGUMENTS\n",
    }))
  it("keeps two of one name apart", () => {
    const other = template("pi", "b", {
      name: "a",
      source: { tool: "pi", scope: "user", owner: "u" },
    })
    expect(Object.keys(files("claude", template("claude", "a", { name: "a" }), other))).toEqual([
      ".claude/commands/a.md",
      ".claude/commands/pi/a.md",
    ])
  })
  it("writes nowhere but in the tool's folder, whatever a name looks like", () => {
    for (const name of ["../../etc/x", "..", "a/../../b", ".ssh/id", "a\\..\\b", "a:..:b", "~/x"])
      for (const target of TARGETS)
        for (const path of Object.keys(files(target, template("plain", "x", { name })))) {
          expect(path).toMatch(FOLDER)
          expect(path.split("/").some((part) => part === "" || part === "." || part === "..")).toBe(
            false,
          )
          expect(path).not.toContain("\\")
        }
  })

  const pieces = fc.array(
    fc.constantFrom(
      "text ",
      "it's ",
      "日本 ",
      "\n",
      "$5.00 ",
      "\\$0 ",
      "\\\\$1 ",
      "$1 ",
      "$2 ",
      "$0 ",
      "$ARGUMENTS ",
      "{{args}} ",
      "!`ls -l` ",
      "!{date} ",
      "@docs/a.md ",
      "@{docs/a.md} ",
      "$$ ",
      "''' ",
      '""" ',
      "--- ",
      "\\ ",
      "{ ",
      "} ",
    ),
    { minLength: 1, maxLength: 8 },
  )
  const dialects: readonly CommandDialect[] = [
    "compositor",
    "claude",
    "opencode",
    "codex",
    "gemini",
    "pi",
    "plain",
  ]
  const typed = fc.constantFrom("", "one", "one two", "one two three", "$1 {{args}} !`x`")

  it("[BEY-06] means the same after a round trip, wherever it lists no loss", () => {
    let compared = 0
    fc.assert(
      fc.property(
        fc.constantFrom(...TARGETS),
        fc.constantFrom(...dialects),
        pieces,
        typed,
        (target, dialect, parts, words) => {
          const body = parts.join("").trim()
          fc.pre(body !== "")
          const command = template(dialect, body, { name: "a", description: "d" })
          const exported = exportTo(target, [command])
          const [file] = exported.files
          if (!file) throw new Error("one file is expected")
          const back = readBack(target, file.path, file.text)
          expect(back).toMatchObject({ name: "a", description: "d" })
          if (exported.losses.length > 0) return
          compared += 1
          // Where a place has no word the slot stays as its own tool writes it.
          fc.pre(!/\$\d/.test(shows(command, words)) && !/\$\d/.test(shows(back, words)))
          expect(withoutMarks(shows(back, words))).toBe(withoutMarks(shows(command, words)))
        },
      ),
      { numRuns: 3000 },
    )
    expect(compared).toBeGreaterThan(300)
  })
})

/** How appended arguments are announced differs, and white space at the end means nothing. */
function withoutMarks(text: string): string {
  return text.replace("\n\nARGUMENTS: ", "\n\n").trim()
}
