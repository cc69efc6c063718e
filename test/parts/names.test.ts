import { glob, readFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { PARTS } from "../../packages/core/parts/table.ts"
import { mask } from "../../scripts/house-rules.ts"

const TYPES = new Set(Object.keys(PARTS))
/** Blocks, events and nodes have a text, a command or a mention too: these count only where a part is
 *  asked for its type. */
const SHARED = new Set(["text", "command", "mention", "quote", "unknown"])
const CALLED_LIKE_A_PART = /(?:^|[.#])(?:part|one|known|kept)\??\.type$/

const COMPARISONS = [
  /(?<subject>[\w$.?#]*)\s*[!=]==?\s*"(?<text>\d+)"/g,
  /"(?<text>\d+)"\s*[!=]==?\s*(?<subject>[\w$.?#]*)/g,
  /(?<subject>[\w$.?#]*)\.(?:includes|has|get|startsWith)\("(?<text>\d+)"\)/g,
]
const LISTS = /(?:new Set(?:<[^>]*>)?\(\[|[=(:] \[)(?<list>[\s"\d,]*)\]/g
const SWITCH_OR_CASE = /switch \((?<switched>[^{]*)\) \{|case "(?<text>\d+)"/g

/** The lines that ask whether a part is of a certain type. */
function namedIn(source: string): string[] {
  const { code, strings } = mask(source)
  const found: string[] = []
  const judge = (subject: string, index: string) => {
    const { value, line } = strings[Number(index)] ?? { value: "", line: 0 }
    if (!TYPES.has(value) || (SHARED.has(value) && !CALLED_LIKE_A_PART.test(subject))) return
    if (/kind$|origin$/i.test(subject)) return
    found.push(`${line}: ${subject} "${value}"`)
  }
  for (const pattern of COMPARISONS)
    for (const { groups } of code.matchAll(pattern))
      judge(groups?.subject ?? "", groups?.text ?? "")
  for (const { groups } of code.matchAll(LISTS))
    for (const [, index = ""] of (groups?.list ?? "").matchAll(/"(\d+)"/g)) judge("a list", index)
  let switched = ""
  for (const { groups } of code.matchAll(SWITCH_OR_CASE))
    if (groups?.switched === undefined) judge(switched.trim(), groups?.text ?? "")
    else switched = groups.switched
  return found
}

/** Files that ask for a type by its name, each with the reason why a definition cannot answer it. */
const ALLOWED: Readonly<Record<string, string>> = {
  "packages/core/catalog/expand.ts": "parts of a template, which may also be a shell command",
  "packages/engine/submit/run-template.ts":
    "parts of a template, which may also be a shell command",
  "packages/engine/entities/skills-loader.ts": "parts of a template",
  "packages/engine/turns/agent-toolset.ts": "parts of a template",
  "packages/engine/submit/resolve.ts":
    "commands, mentions and resources of servers are carried out here: that is an act, no property",
  "packages/engine/submit/loaded-skills.ts": "asks which skills a session has been given",
  "packages/engine/entities/entity-room.ts": "a button is a command that nobody typed",
  "packages/engine/completion/complete.ts": "asks what a command produces, not what a part is",
  "apps/web/thread/message.tsx": "the parts of an answer, which are not in the table",
}

describe("a type of part", () => {
  it.each([
    ['if (part.type === "quote") return', '1: part.type "quote"'],
    ['if ("file-ref" !== each.type) return', '1: each.type "file-ref"'],
    ['switch (part.type) {\n  case "mention":\n}', '2: part.type "mention"'],
    ['const FILES = new Set(["directory-ref", "x"])', '1: a list "directory-ref"'],
  ])("that %s asks for by name is seen", (source, expected) =>
    expect(namedIn(source)).toEqual([expected]),
  )

  it.each([
    'if (block.type === "text") return',
    'switch (inline.type) {\n  case "quote":\n}',
    'send({ type: "file-ref", ref })',
    '// part.type === "quote"',
  ])("is not what %s asks for", (source) => expect(namedIn(source)).toEqual([]))

  it("[CMP-100] is known by its name in its own file and nowhere else", async () => {
    const found: string[] = []
    for await (const path of glob("{packages,apps}/**/*.{ts,tsx}", { exclude: isOutside })) {
      if (path in ALLOWED) continue
      for (const line of namedIn(await readFile(path, "utf8"))) found.push(`${path}:${line}`)
    }
    expect(found).toEqual([])
  })

  it("is asked for by no file that does not need it", async () => {
    for (const path of Object.keys(ALLOWED))
      expect(namedIn(await readFile(path, "utf8")), path).not.toEqual([])
  })
})

function isOutside(path: string): boolean {
  return /node_modules|(?:^|\/)dist(?:\/|$)|packages\/core\/parts(?:\/|$)/.test(path)
}
