import { describe, expect, it } from "vitest"
import type {
  CommandArgument,
  CommandDialect,
  TemplateCommand,
} from "../../packages/core/catalog/command.ts"
import { BUILTINS } from "../../packages/core/commands/table.ts"
import { expand } from "../../packages/core/catalog/expand.ts"
import { template, shows } from "./build.ts"

const path: CommandArgument = { name: "path", type: "string", required: true }
const focus: CommandArgument = { name: "focus", type: "string" }

function gives(
  dialect: CommandDialect,
  rows: readonly (readonly [string, string, string, string])[],
) {
  it.each(rows)("%s", (_title, body, typed, expected) =>
    expect(shows(template(dialect, body), typed)).toBe(expected),
  )
}

describe("our own dialect", () => {
  gives("compositor", [
    ["[CMP-050] gives $N the Nth word, counted from 1", "$2 then $1", "a b", "b then a"],
    ["[CMP-050] takes quotes for letters", "$1|$2", '"a b"', '"a|b"'],
    ["[CMP-050] knows the tenth word from the first", "$10 $1", "a b c d e f g h i j", "j a"],
    ["[CMP-051] gives $ARGUMENTS as typed", "<$ARGUMENTS>", "a  'b'\tc\nd", "<a  'b'\tc\nd>"],
    ["[CMP-052] takes $@ for $ARGUMENTS", "$@", "a  b", "a  b"],
    ["[BEY-05] leaves $5 in prose as it is", "It costs $5, or $5.", "a", "It costs $5, or $5."],
    ["[BEY-05] leaves $0 as it is: there is no such word", "$0", "a", "$0"],
    ["[BEY-05] takes \\$ for text", "\\$1 \\$ARGUMENTS \\$@", "a", "$1 $ARGUMENTS $@"],
    ["[BEY-05] takes two backslashes for one", "\\\\$1 \\\\\\$1", "a", "\\a \\$1"],
    ["[BEY-05] keeps backslashes that escape nothing", "\\n \\$HOME \\\\", "a", "\\n \\$HOME \\\\"],
    ["[BEY-05] never reads a value again", "$1 $2 $3 $4", "$@ $& $$ $1", "$@ $& $$ $1"],
    ["[BEY-05] never runs a value", "$ARGUMENTS", "!`id` @{/etc/passwd}", "!`id` @{/etc/passwd}"],
    ["[BEY-05] takes an apostrophe for a letter", "$1|$ARGUMENTS", "don't x", "don't|don't x"],
    ["[CMP-051] has an empty $ARGUMENTS for nothing typed", "<$ARGUMENTS>", "", "<>"],
    ["[CMP-051] leaves out the white space around", "<$ARGUMENTS>", "\t\n a b \n", "<a b>"],
    ["[CMP-053] leaves names nobody declared", "${a} {{b}}", "x", "${a} {{b}}"],
    ["[BEY-05] is not misled by longer words", "$ARGUMENTSX $1x", "a", "$ARGUMENTSX ax"],
    ["[CMP-104] makes a file of @{…}", "see @{a b.md#L2-4}.", "", "see <@a b.md 2-4>."],
    ["leaves an inverted range in the name", "@{a.md#L4-2}", "", "<@a.md#L4-2>"],
    [
      "[BEY-05] makes a shell command of !`…`",
      "now !`git log $1`",
      "a'b",
      "now <$ git log 'a'\\''b'>",
    ],
    ["[BEY-05] runs no backticks after a word", "wow!`id`", "", "wow!`id`"],
    ["[BEY-05] takes \\!`…` for text", "\\!`id`", "", "!`id`"],
  ])

  it("[CMP-054] never appends what no slot takes, and says so", () =>
    expect(expand(template("compositor", "Do it."), "a b")).toEqual({
      type: "parts",
      parts: [{ type: "text", text: "Do it." }],
      unused: "a b",
    }))

  it("[CMP-053] fills declared names by order, the last with what is left", () => {
    const command = template("compositor", "${path}: {{ focus }}", { arguments: [path, focus] })
    expect(shows(command, "a.ts the  second half")).toBe("a.ts: the  second half")
    expect(shows(command, "focus=speed a.ts")).toBe("a.ts: speed")
    expect(shows(command, "--focus=speed a.ts")).toBe("a.ts: speed")
    expect(shows(command, { path: "b.ts", focus: "$1" })).toBe("b.ts: $1")
  })
  it("[BEY-05] asks for an argument that is declared required", () => {
    const command = template("compositor", "${path} $1", { arguments: [path, focus] })
    expect(expand(command, " ")).toEqual({ type: "missing", missing: [path] })
    expect(expand(command, { focus: "x" })).toEqual({ type: "missing", missing: [path] })
  })
  it("[BEY-05] leaves nothing where a declared optional argument was not given", () =>
    expect(shows(template("compositor", "<${focus}>", { arguments: [focus] }), "")).toBe("<>"))
})

describe("Claude Code's dialect", () => {
  gives("claude", [
    ["counts from 0", "$0 $1", "a b", "a b"],
    ["takes words in quotes for one", "$0|$1", '"a b" c', "a b|c"],
    ["[BEY-05] takes an apostrophe for a letter", "$0|$1", "don't stop", "don't|stop"],
    ["knows $ARGUMENTS[N]", "$ARGUMENTS[1] of $ARGUMENTS", "a b", "b of a b"],
    ["leaves a place without a word", "$0 $2", "a", "a $2"],
    ["appends what no slot takes", "Do it.", "a b", "Do it.\n\nARGUMENTS: a b"],
    ["appends nothing when nothing was typed", "Do it.", "  ", "Do it."],
    ["makes a file of @path, without the punctuation", "see @docs/a.md.", "", "see <@docs/a.md>."],
    ["leaves names, addresses and code alone", "@alice a@b.c `@x/y`", "", "@alice a@b.c `@x/y`"],
    ["fills a slot inside a path", "@src/$0.ts", "main", "<@src/main.ts>"],
    ["leaves a path whose slot is empty", "@src/$0.ts", "", "@src/$0.ts"],
    ["leaves what the host did not tell", "${CLAUDE_SESSION_ID}", "", "${CLAUDE_SESSION_ID}"],
    ["takes \\$ for text", "\\$0 \\$ARGUMENTS", "a", "$0 $ARGUMENTS\n\nARGUMENTS: a"],
  ])

  it("fills $name for declared names, and only for whole ones", () => {
    const names = ["issue", "issue-id"].map((name) => ({ name, type: "string" }) as const)
    const command = template("claude", "$issue $issue-id $issues $issue-x", { arguments: names })
    expect(shows(command, "7 8")).toBe("7 8 $issues 7-x")
  })
  it("fills what the host knows", () => {
    const command = template("claude", "in ${CLAUDE_SKILL_DIR}")
    expect(shows(command, "", { CLAUDE_SKILL_DIR: "/skills/$0" })).toBe("in /skills/$0")
  })
})

describe("opencode's dialect", () => {
  gives("opencode", [
    ["counts from 1 and gives the highest place the rest", "$1|$2", "a b c d", "a|b c d"],
    ["gives a single place everything", "$1", "a b", "a b"],
    ["appends what no slot takes", "Do it.", "a b", "Do it.\n\na b"],
    ["[BEY-05] leaves $5 in prose as it is", "It costs $5.", "", "It costs $5."],
    ["runs backticks anywhere", "x!`ls $1`", "a b", "x<$ ls 'a' 'b'>"],
  ])
})

describe("Codex' dialect", () => {
  const title: CommandArgument = { name: "TITLE", type: "string", required: true }
  gives("codex", [
    ["knows nine places", "$1 $2 $12", "a b", "a b a2"],
    ["joins the words of $ARGUMENTS", "$ARGUMENTS", 'a  "b c"', "a b c"],
    ["keeps $$ as it is", "$$1 $$", "a", "$$1 $$"],
    ["drops nothing in silence: no slot, no text", "Do it.", "a", "Do it."],
  ])
  it("asks for every name it uses", () => {
    const command = template("codex", "$TITLE by $1", { arguments: [title] })
    expect(shows(command, "me")).toBe("missing TITLE")
    expect(shows(command, 'me TITLE="A day"')).toBe("A day by me")
  })
})

describe("Gemini CLI's dialect", () => {
  gives("gemini", [
    ["fills {{args}} as typed", "<{{args}}>", "a  b", "<a  b>"],
    ["appends what no slot takes, without the command's name", "Do it.", "a b", "Do it.\n\na b"],
    ["quotes {{args}} for the shell as one word", "!{ls {{args}}}", "a b; id", "<$ ls 'a b; id'>"],
    ["ends a command where its braces balance", "!{a ${b} {c}} d", "", "<$ a ${b} {c}> d"],
    ["makes a file of @{…}", "@{docs/a.md}", "", "<@docs/a.md>"],
    ["leaves what is never closed", "!{ls", "", "!{ls"],
    ["has no dollars", "$1 $ARGUMENTS", "a", "$1 $ARGUMENTS\n\na"],
  ])
})

describe("pi's dialect", () => {
  gives("pi", [
    ["slices the words", "${@:2}|${@:1:2}|$@|$1", 'a "b c" d', "b c d|a b c|a b c d|a"],
    ["has an empty slice where there are no words", "<${@:3}>", "a", "<>"],
    ["counts ${@:0} as ${@:1}", "${@:0}", "a b", "a b"],
  ])
})

describe("Continue's dialects", () => {
  gives("continue", [
    [
      "makes files and addresses of @",
      "@docs/a.md @https://x.y/z @diff",
      "",
      "<@docs/a.md> <@https://x.y/z> @diff",
    ],
    ["appends what was typed", "Do it.", "a", "Do it.\n\na"],
  ])
  gives("continue-v1", [
    [
      "fills {{{input}}} and {{ input }}",
      "{{{input}}} {{ input }}",
      "a {{{b}}}",
      "a {{{b}}} a {{{b}}}",
    ],
    ["leaves what the host did not tell", "{{{ currentFile }}}", "", "{{{ currentFile }}}"],
  ])
})

describe("goose's dialect", () => {
  const version: CommandArgument = { name: "version", type: "string", required: true }
  const audience: CommandArgument = { name: "audience", type: "string", default: "users" }
  function recipe(body: string) {
    return template("goose", body, { arguments: [version, audience] })
  }

  it("fills its parameters, with their defaults", () => {
    expect(shows(recipe("{{ version }} for {{audience}}"), "1.2")).toBe("1.2 for users")
    expect(shows(recipe("{{- version -}}"), "version=1.2")).toBe("1.2")
    expect(shows(recipe("{{ version }}"), "")).toBe("missing version")
  })
  it("drops comments and keeps raw text", () =>
    expect(shows(recipe("a{# b #}c {% raw %}{{ d }}{% endraw %}{# e"), "1")).toBe("ac {{ d }}{# e"))
  it("refuses what it does not know, rather than send half of it", () => {
    expect(shows(recipe("{{ other }}"), "1")).toBe(
      "refused: /home/x.md uses other, which is not among its parameters",
    )
    expect(shows(recipe("{% if version %}x{% endif %}"), "1")).toMatch(/does not run/)
    expect(shows(recipe("{{ version | upper }}"), "1")).toMatch(/does not run/)
  })
  it("makes a file of a parameter that names one", () => {
    const file: CommandArgument = { name: "log", type: "string", file: true }
    expect(shows(template("goose", "Read {{ log }}", { arguments: [file] }), "a.log")).toBe(
      "Read <@a.log>",
    )
  })
})

describe("Copilot's dialect", () => {
  const name: CommandArgument = { name: "formName", type: "string", required: true }
  it("asks for its inputs and fills what the editor knows", () => {
    const body = "${input:formName:The name} ${selection} ${file} ${other}"
    const command = template("copilot", body, { arguments: [name] })
    expect(shows(command, "", {})).toBe("missing formName")
    expect(shows(command, "My Form", { selection: "${file}", file: "a.ts" })).toBe(
      "My Form ${file} a.ts ${other}",
    )
    expect(shows(command, "formName=Login", {})).toBe("Login ${selection} ${file} ${other}")
  })
})

describe("bodies without slots", () => {
  gives("plain", [["appends what was typed", "Do $1 it.", "a b", "Do $1 it.\n\na b"]])
  gives("skill", [["keeps every character", "Do $1 !`id` it.", "a", "Do $1 !`id` it."]])
  gives("mcp", [
    ["keeps every character", "!`id` @{/etc/passwd} $1", "a", "!`id` @{/etc/passwd} $1"],
  ])
})

describe("expand", () => {
  function refusal(command: TemplateCommand, typed = "") {
    const expansion = expand(command, typed)
    return expansion.type === "refused" ? expansion.code : expansion.type
  }

  it("[BEY-06] refuses what came with the project and is not trusted", () =>
    expect(expand(template("claude", "Hi", { trust: "untrusted" }), "")).toEqual({
      type: "refused",
      code: "untrusted",
      reason: "/home/x.md came with the project and is not trusted yet",
    }))
  it("[BEY-05] never runs a shell for a server or an entity, trusted or not", () => {
    for (const scope of ["mcp", "entity"] as const) {
      const source = { tool: "s", scope, owner: "s" }
      expect(refusal(template("claude", "!`id`", { source }))).toBe("shell")
      expect(refusal(template("claude", "no shell", { source }))).toBe("parts")
    }
  })
  it("refuses commands that have no template", () => {
    const [branch] = BUILTINS
    if (!branch) throw new Error("there are no built-ins")
    expect(expand(branch, "")).toMatchObject({ type: "refused", code: "no-template" })
  })
  it("refuses what comes to more than a message may hold", () => {
    const body = "$ARGUMENTS".repeat(1000)
    expect(refusal(template("compositor", body), "x".repeat(100_000))).toBe("too-large")
    expect(refusal(template("compositor", "@{a} ".repeat(100)))).toBe("parts")
    expect(refusal(template("compositor", "@{a} ".repeat(101)))).toBe("too-large")
  })
  it("[CMP-047] puts the command's own literal into no part", () =>
    expect(
      JSON.stringify(expand(template("gemini", "Do it.", { name: "secret" }), "a")),
    ).not.toContain("secret"))
  it("keeps what stood for a file, for where there is none", () =>
    expect(expand(template("claude", "use @types/node"), "")).toEqual({
      type: "parts",
      parts: [
        { type: "text", text: "use " },
        { type: "file-ref", ref: { kind: "path", path: "types/node" }, raw: "@types/node" },
      ],
    }))
  it("does not take inherited names for what the host knows", () =>
    expect(shows(template("continue-v1", "{{ constructor }}"), "", {})).toBe("{{ constructor }}"))
  it("[BEY-08] refers to a place in a file", () => {
    const reads = (path: string) => {
      const expansion = expand(template("gemini", `@{${path}}`), "")
      return expansion.type === "parts" && expansion.parts[0]?.type === "file-ref"
        ? expansion.parts[0].ref
        : undefined
    }
    expect(reads("a.pdf#page=3-7")).toEqual({
      kind: "path",
      path: "a.pdf",
      fragment: { unit: "page", start: 3, end: 7 },
    })
    expect(reads("b.zip!/src/a.ts#L1-9")).toEqual({
      kind: "path",
      path: "b.zip",
      entry: "src/a.ts",
      range: { start: 1, end: 9 },
    })
    expect(reads("a#L9-3.ts")).toEqual({ kind: "path", path: "a#L9-3.ts" })
  })
})
