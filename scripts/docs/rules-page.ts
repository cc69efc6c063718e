// How each rule of SPEC.md is met: the tests that cite it, and whether the conformance kit sees it.

import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { rulesIn } from "../../kit/conformance/rule.ts"
import { SCENARIOS } from "../../kit/conformance/scenarios.ts"
import { UNSEEN } from "../../kit/conformance/unseen.ts"

const MOST_TESTS = 4

export function rulesPage(root: string): string {
  const rules = rulesIn(readFileSync(join(root, "SPEC.md"), "utf8"))
  const tests = testsIn(root)
  const rows = rules.map(({ id, level, text }) => {
    const own = tests.get(id) ?? []
    const shown = own.slice(0, MOST_TESTS).map(({ file, title }) => `${title} (\`${file}\`)`)
    const more = own.length > MOST_TESTS ? [`and ${own.length - MOST_TESTS} more`] : []
    return `| ${id} | ${level} | ${safe(text)} | ${safe([...shown, ...more].join("; "))} | ${safe(kitOf(id))} |`
  })
  return [
    "# How each rule is met",
    "",
    `Made from \`SPEC.md\` and the titles of the tests: ${rules.length} rules. The last column says how`,
    "`compositor conformance` looks at the rule over HTTP.",
    "",
    "| rule | level | what it says | tests | kit |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n")
}

function kitOf(id: string): string {
  const titles = SCENARIOS.filter(({ rules }) => rules.includes(id)).map(({ title }) => title)
  return titles.length > 0 ? titles.join("; ") : (UNSEEN[id] ?? "")
}

interface Test {
  readonly file: string
  readonly title: string
}

const TITLE = /\bit(?:\.\w+(?:\([^)]*\))?)*\(\s*"((?:[^"\\]|\\.)*)"/g
const CITED = /\[([A-Z]+)-(\d+)(?:\.\.(\d+))?\]/g

function testsIn(root: string): Map<string, Test[]> {
  const found = new Map<string, Test[]>()
  for (const file of testFiles(join(root, "test")))
    for (const [, title = ""] of readFileSync(file, "utf8").matchAll(TITLE))
      for (const id of idsIn(title)) {
        const about = { file: relative(root, file), title: title.replace(CITED, "").trim() }
        found.set(id, [...(found.get(id) ?? []), about])
      }
  return found
}

function idsIn(title: string): string[] {
  const cited = [...title.matchAll(CITED)].flatMap(([, family, first = "", last]) => {
    const count = Number(last ?? first) - Number(first) + 1
    return Array.from({ length: count }, (_, at) => {
      const number = String(Number(first) + at).padStart(first.length, "0")
      return `${family}-${number}`
    })
  })
  const decisions = [...title.matchAll(/\bdecision (\d+)/g)].map(
    ([, number = ""]) => `DEC-${number.padStart(2, "0")}`,
  )
  return [...cited, ...decisions]
}

function testFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

function safe(text: string): string {
  return text.replaceAll("\\|", "|").replaceAll("|", "\\|").replaceAll("\n", " ")
}
