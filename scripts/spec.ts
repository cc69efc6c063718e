// `npm run spec`: which rules of SPEC.md no test holds up. Exits with 1 when one of them is a MUST.

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Rule {
  readonly id: string
  readonly level: string
  readonly text: string
}

const ROOT = new URL("..", import.meta.url).pathname

const rules = rulesOf(readFileSync(join(ROOT, "SPEC.md"), "utf8"))
const cited = citedIds(testFiles(join(ROOT, "test")))
const bare = rules.filter(({ id }) => !cited.has(id))
const musts = bare.filter(({ level }) => level.startsWith("MUST"))

for (const { id, level, text } of bare) console.log(`${id.padEnd(9)} ${level.padEnd(7)} ${text}`)
console.log(
  `${rules.length} rules, ${rules.length - bare.length} with a test, ${musts.length} of the MUSTs without`,
)
process.exitCode = musts.length > 0 ? 1 : 0

function rulesOf(markdown: string): Rule[] {
  const row = /^\| ([A-Z]+-\d+) \| ([A-Z ]+) \| (.*) \|$/gm
  return [...markdown.matchAll(row)].map(([, id = "", level = "", text = ""]) => ({
    id,
    level,
    text,
  }))
}

function testFiles(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Ids as titles cite them: `[CMP-025]`, `[CMP-001..010]`, `[decision 4]`. Some titles are put
 *  together from a table, so an id counts wherever a test file names it. */
function citedIds(files: readonly string[]): Set<string> {
  const ids = new Set<string>()
  for (const file of files) for (const id of idsIn(readFileSync(file, "utf8"))) ids.add(id)
  return ids
}

function* idsIn(text: string): Iterable<string> {
  for (const [, number = ""] of text.matchAll(/\bdecision (\d+)/g))
    yield `DEC-${number.padStart(2, "0")}`
  for (const [, family, first = "", last] of text.matchAll(/\b([A-Z]+)-(\d+)(?:\.\.(\d+))?/g))
    for (let number = Number(first); number <= Number(last ?? first); number++)
      yield `${family}-${String(number).padStart(first.length, "0")}`
}
