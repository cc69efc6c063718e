import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  findDeclarations,
  judgeNames,
  namesWithAvoidedWords,
  participles,
  readAvoidedWords,
  repeatedGeneralWords,
} from "../scripts/names.ts"

const architecture = readFileSync(join(import.meta.dirname, "..", "ARCHITECTURE.md"), "utf8")

function declare(...texts: string[]) {
  return texts.flatMap((text, index) => findDeclarations(`${index}.ts`, text))
}

describe("names", () => {
  it("finds a general word that two files export, whatever it is there", () =>
    expect(
      repeatedGeneralWords(
        declare("export interface Place {}", "export type Place = string\nexport const x = 1"),
      ),
    ).toEqual(["Place (0.ts, 1.ts)"]))

  it("takes a schema and its type for one, and leaves whole names alone", () =>
    expect(
      repeatedGeneralWords(
        declare(
          "export const Part = 1\nexport type Part = typeof Part\nexport function readPart() {}",
          "export async function readPart() {}\nfunction Part() {}",
        ),
      ),
    ).toEqual([]))

  it("tells participles from verbs", () =>
    expect(
      participles(
        declare(
          "export function composed() {}\nexport async function* told() {}\nexport function keptOut() {}",
          "export function feedParser() {}\nexport function read() {}\nexport const listed = 1",
        ),
      ),
    ).toEqual(["composed", "keptOut", "told"]))

  it("finds the words that the glossary avoids, as whole words of a name", () =>
    expect(
      namesWithAvoidedWords(
        declare("export class McpRoom {}\nexport const MAX_DESK = 1\nexport class Bellows {}"),
        readAvoidedWords(architecture),
      ),
    ).toEqual(["MAX_DESK", "McpRoom"]))
})

it("no general word is exported by two files of the product", () => {
  const refused = judgeNames(join(import.meta.dirname, "..")).filter(({ isAllowed }) => !isAllowed)
  expect(refused).toHaveLength(1)
  expect(refused.flatMap(({ names }) => names)).toEqual([])
})

describe("the glossary", () => {
  const rows = [...architecture.matchAll(/^\| ([a-z ]+) \| (.+) \| (.*) \|$/gm)].filter(
    ([, word]) => word !== "word",
  )

  it("has some thirty words, each once and with a meaning", () => {
    const words = rows.map(([, word = ""]) => word)
    expect(words.length).toBeGreaterThanOrEqual(30)
    expect(new Set(words).size).toBe(words.length)
  })

  it("avoids no word that it uses", () => {
    const words = rows.map(([, word = ""]) => word)
    expect(readAvoidedWords(architecture).filter((word) => words.includes(word))).toEqual([])
  })
})
