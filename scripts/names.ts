// `npm run names`: fails when two files of the product export the same general word, and tells of other
// names that make readers stumble: participles and `…Of` for functions, words that the glossary avoids,
// file names that repeat.

import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import process from "node:process"

export interface Declaration {
  readonly path: string
  readonly kind: "function" | "class" | "interface" | "type" | "const" | "let" | "enum"
  readonly name: string
}

/** One thing to say about names, and the names it is about. */
export interface NameReport {
  readonly title: string
  readonly names: readonly string[]
  /** Whether the names are allowed to stay. */
  readonly isAllowed: boolean
}

const root = join(import.meta.dirname, "..")

/** Everything there is to say about the names that packages and apps export. */
export function judgeNames(checkout: string): NameReport[] {
  const paths = productFiles(checkout)
  const declarations = paths.flatMap((path) =>
    findDeclarations(path, readFileSync(join(checkout, path), "utf8")),
  )
  const avoided = readAvoidedWords(readFileSync(join(checkout, "ARCHITECTURE.md"), "utf8"))
  return [
    {
      title: "general words that more than one file exports",
      names: repeatedGeneralWords(declarations),
      isAllowed: false,
    },
    {
      title: "functions that are participles",
      names: participles(declarations),
      isAllowed: true,
    },
    {
      title: "functions that end in Of",
      names: functions(declarations).filter((name) => name.endsWith("Of")),
      isAllowed: true,
    },
    {
      title: "names with a word that the glossary avoids",
      names: namesWithAvoidedWords(declarations, avoided),
      isAllowed: true,
    },
    { title: "file names that repeat", names: repeatedFileNames(paths), isAllowed: true },
  ]
}

function printReports(reports: readonly NameReport[]) {
  for (const { title, names, isAllowed } of reports) {
    console.log(
      `${names.length} ${title}${isAllowed || names.length === 0 ? "" : " (not allowed)"}`,
    )
    if (names.length > 0) console.log(wrap(names))
  }
  if (reports.some(({ names, isAllowed }) => names.length > 0 && !isAllowed)) process.exitCode = 1
}

function productFiles(checkout: string): string[] {
  return ["packages", "apps"].flatMap((folder) =>
    readdirSync(join(checkout, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path) && !path.includes("node_modules"))
      .map((path) => `${folder}/${path}`)
      .sort(),
  )
}

const DECLARATION =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(function|class|interface|type|const|let|enum)\*? ([\w$]+)/gm

/** What a file declares and exports. A type and a value of one name are two declarations. */
export function findDeclarations(path: string, text: string): Declaration[] {
  return Array.from(text.matchAll(DECLARATION), ([, kind, name = ""]) => ({
    path,
    kind: kind as Declaration["kind"],
    name,
  }))
}

// `Place`, `told`, `START`: one English word, which does not say which.
const GENERAL_WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+)$/

/** General words that two files or more export, each with its files. */
export function repeatedGeneralWords(declarations: readonly Declaration[]): string[] {
  const general = declarations.filter(({ name }) => GENERAL_WORD.test(name))
  return [...Map.groupBy(general, ({ name }) => name)]
    .map(([name, all]) => ({ name, paths: [...new Set(all.map(({ path }) => path))] }))
    .filter(({ paths }) => paths.length > 1)
    .map(({ name, paths }) => `${name} (${paths.join(", ")})`)
    .sort()
}

const PARTICIPLE =
  /^(?:[a-z]+ed|said|told|kept|found|given|heard|shown|known|made|sent|taken|held|written|spoken|grown|meant|left|met)(?:[A-Z]|$)/
const VERBS_THAT_LOOK_ALIKE = ["need", "feed", "embed", "seed", "proceed", "exceed", "speed"]

/** Functions whose name says what something is afterwards, not what the function does. */
export function participles(declarations: readonly Declaration[]): string[] {
  return functions(declarations).filter(
    (name) =>
      PARTICIPLE.test(name) && !VERBS_THAT_LOOK_ALIKE.includes(name.split(/[A-Z]/)[0] ?? ""),
  )
}

function functions(declarations: readonly Declaration[]): string[] {
  const names = declarations.filter(({ kind }) => kind === "function").map(({ name }) => name)
  return [...new Set(names)].sort()
}

/** The words after "In names we avoid:" below the glossary. */
export function readAvoidedWords(architecture: string): string[] {
  const [, list] = /In names we avoid:([^.]*)\./.exec(architecture) ?? []
  if (list === undefined) throw new Error("ARCHITECTURE.md has no line `In names we avoid: ….`")
  return list.split(",").map((word) => word.trim())
}

export function namesWithAvoidedWords(
  declarations: readonly Declaration[],
  avoided: readonly string[],
): string[] {
  const names = new Set(declarations.map(({ name }) => name))
  return [...names].filter((name) => wordsIn(name).some((word) => avoided.includes(word))).sort()
}

/** `openTalk` → open, talk; `MAX_PLACE` → max, place. */
function wordsIn(name: string): string[] {
  const parts = name.includes("_") ? name.split("_") : name.split(/(?=[A-Z][a-z])/)
  return parts.map((part) => part.toLowerCase())
}

function repeatedFileNames(paths: readonly string[]): string[] {
  return [...Map.groupBy(paths, (path) => basename(path))]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => `${name} ×${all.length}`)
    .sort()
}

const COLUMNS = 116

function wrap(words: readonly string[]): string {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length + 2 <= COLUMNS)
      lines[lines.length - 1] = `${last}, ${word}`
    else lines.push(`  ${word}`)
  }
  return lines.join("\n")
}

if (process.argv[1] === import.meta.filename) printReports(judgeNames(root))
