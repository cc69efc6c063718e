// The reference of the packages, from their exports and the sentence above each.

import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

export interface Entry {
  readonly name: string
  readonly about: string
  readonly file: string
}

interface Exported {
  readonly name: string
  readonly kind: string
  readonly signature: string
  readonly about: string
}

export function typescriptReference(entries: readonly Entry[]): string {
  const sections = entries
    .filter(({ file }) => existsSync(file))
    .map(({ name, about, file }) => {
      const all = exportsOf(file).toSorted((one, other) => one.name.localeCompare(other.name))
      return [`## ${name}`, about, "", ...all.flatMap(textOf)].join("\n")
    })
  return [
    "# TypeScript",
    "",
    "What the packages export, with the sentence that stands above each in the source.",
    "",
    ...sections,
  ].join("\n")
}

function textOf({ name, signature, about }: Exported): string[] {
  return [
    `### ${name}`,
    ...(about === "" ? [] : [about]),
    "",
    ...(signature === "" ? [] : ["```ts", signature, "```", ""]),
  ]
}

const MAX_DEPTH = 4

function exportsOf(file: string, depth = 0): Exported[] {
  if (depth > MAX_DEPTH || !existsSync(file)) return []
  const text = readFileSync(file, "utf8")
  return [...declaredIn(text), ...passedOn(text, file, depth)]
}

const DECLARED =
  /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?export (?:declare )?(async function\*?|function\*?|class|interface|type|const|enum) ([A-Za-z_$][\w$]*)/g

function declaredIn(text: string): Exported[] {
  return [...text.matchAll(DECLARED)].map((match) => {
    const [whole, comment = "", kind = "", name = ""] = match
    const from = match.index + whole.indexOf("export ")
    return {
      name,
      kind: kind.replace("async ", ""),
      signature: signatureAt(text, from),
      about: wordsOf(comment),
    }
  })
}

function wordsOf(comment: string): string {
  return comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trim())
    .filter((line) => line !== "")
    .join(" ")
}

const MOST_LINES = 24

/** The head of a declaration: a function up to its body, a shape whole where it is short. */
function signatureAt(text: string, from: number): string {
  const rest = text.slice(from)
  const isShape = /^export (interface|type)/.test(rest)
  const end = isShape ? endOfShape(rest) : endOfHead(rest)
  const lines = rest
    .slice(0, end)
    .replace(/^export /, "")
    .trimEnd()
    .split("\n")
  return lines.length > MOST_LINES
    ? `${lines.slice(0, MOST_LINES).join("\n")}\n  …`
    : lines.join("\n")
}

function endOfHead(rest: string): number {
  let depth = 0
  for (let at = 0; at < rest.length; at++) {
    const char = rest[at]
    if (char === "(" || char === "<" || char === "[") depth++
    if (char === ")" || char === "]" || (char === ">" && rest[at - 1] !== "=")) depth--
    if (depth === 0 && char === "{" && !/[:|&]\s*$/.test(rest.slice(0, at))) return at
    if (depth === 0 && char === "=" && rest[at + 1] !== ">") return at
  }
  return rest.length
}

function endOfShape(rest: string): number {
  const closing = /\n\}|\n(?=\n|export |\/\*\*|const |function )/.exec(rest)
  return closing ? closing.index + (closing[0] === "\n}" ? 2 : 0) : rest.length
}

const PASSED_ON = /export (?:type )?(?:\*(?: as ([\w$]+))?|\{([^}]*)\}) from "(\.[^"]+)"/g

function passedOn(text: string, file: string, depth: number): Exported[] {
  return [...text.matchAll(PASSED_ON)].flatMap(([, as, names, path = ""]) => {
    const there = exportsOf(join(dirname(file), path), depth + 1)
    if (names === undefined)
      return as === undefined ? there : there.map((one) => ({ ...one, name: `${as}.${one.name}` }))
    const wanted = names.split(",").map(
      (name) =>
        name
          .trim()
          .replace(/^type /, "")
          .split(" as ")[0],
    )
    return there.filter(({ name }) => wanted.includes(name))
  })
}
