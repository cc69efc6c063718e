import { glob, readFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { BUILT_IN_COMMANDS } from "../../packages/core/commands/table.ts"
import { mask } from "../../scripts/house-rules.ts"

const NAMES = new Set(BUILT_IN_COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]))

/** What is compared with a text, and the text: both sides of an equation, and the cases of a switch. */
const COMPARISONS = [
  /(?<subject>[\w$.?#]*)\s*[!=]==?\s*"(?<text>\d+)"/g,
  /"(?<text>\d+)"\s*[!=]==?\s*(?<subject>[\w$.?#]*)/g,
  /(?<subject>[\w$.?#]*)\.(?:includes|has|get|startsWith)\("(?<text>\d+)"\)/g,
]
const SWITCH_OR_CASE = /switch \((?<switched>[^{]*)\) \{|case "(?<text>\d+)"/g
const CALLED_LIKE_A_COMMAND = /(?:^|[.#])(?:name|command|word|slash|typed|id)$/i

/** The lines that ask whether a command is a certain built-in one. */
function namedIn(source: string): string[] {
  const { code, strings } = mask(source)
  const found: string[] = []
  const judge = (subject: string, index: string) => {
    const { value, line } = strings[Number(index)] ?? { value: "", line: 0 }
    const isTyped = value.startsWith("/") && NAMES.has(value.slice(1))
    if (isTyped || (NAMES.has(value) && CALLED_LIKE_A_COMMAND.test(subject)))
      found.push(`${line}: ${subject} "${value}"`)
  }
  for (const pattern of COMPARISONS)
    for (const { groups } of code.matchAll(pattern))
      judge(groups?.subject ?? "", groups?.text ?? "")
  let switched = ""
  for (const { groups } of code.matchAll(SWITCH_OR_CASE))
    if (groups?.switched === undefined) judge(switched, groups?.text ?? "")
    else switched = groups.switched
  return found
}

describe("a built-in command", () => {
  it.each([
    ['if (name === "help") return', '1: name "help"'],
    ['if ("/clear" !== part.id) return', '1: part.id "/clear"'],
    ['switch (command.name) {\n  case "branch":\n}', '2: command.name "branch"'],
    ['const isOurs = spoken.has("/fork")', '1: spoken "/fork"'],
  ])("that %s asks for by name is seen", (source, expected) =>
    expect(namedIn(source)).toEqual([expected]),
  )

  it.each([
    'if (node.kind === "branch") return',
    'switch (kind) {\n  case "archive":\n}',
    'send({ type: "command", id: "/rewind" })',
    '// name === "help"',
  ])("is not what %s asks for", (source) => expect(namedIn(source)).toEqual([]))

  it("[CMP-045] is known by its name in its own file and nowhere else", async () => {
    const found: string[] = []
    for await (const path of glob("{packages,apps}/**/*.{ts,tsx}", { exclude: isOutside }))
      for (const line of namedIn(await readFile(path, "utf8"))) found.push(`${path}:${line}`)
    expect(found).toEqual([])
  })
})

function isOutside(path: string): boolean {
  return path.includes("node_modules") || path.startsWith("packages/core/commands")
}
