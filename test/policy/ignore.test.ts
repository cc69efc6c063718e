import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  entriesTo,
  ignoredBy,
  listOf,
  readIgnoreList,
} from "../../packages/engine/policy/ignore.ts"
import { IgnoreFiles } from "../../packages/engine/policy/ignore-files.ts"
import { temporaryFolder } from "../build.ts"
import { inPath } from "../machine.ts"

/** Whether a path is ignored by the rules of one file in the root. */
function isIgnored(text: string, path: string): boolean {
  const list = readIgnoreList(".gitignore", "", text)
  const isFolder = path.endsWith("/")
  const entries = entriesTo(isFolder ? path.slice(0, -1) : path, 0, isFolder)
  return entries.some((entry) => ignoredBy([list], entry) !== undefined)
}

describe("ignore rules", () => {
  function ignores(text: string, ignored: readonly string[], kept: readonly string[]) {
    for (const path of ignored)
      expect([text, path, isIgnored(text, path)]).toEqual([text, path, true])
    for (const path of kept)
      expect([text, path, isIgnored(text, path)]).toEqual([text, path, false])
  }

  it("[BEY-04] match a name without a slash anywhere", () =>
    ignores("a.log", ["a.log", "x/y/a.log", "a.log/b"], ["a.logs", "b/xa.log"]))
  it("[BEY-04] tie a pattern with a slash to its folder", () =>
    ignores("/a\nb/c", ["a", "a/x", "b/c", "b/c/d"], ["x/a", "x/b/c"]))
  it("[BEY-04] match only folders where a slash ends them", () =>
    ignores("build/", ["build/", "build/a", "x/build/a"], ["build", "x/build"]))
  it("[BEY-04] keep a star within a name", () =>
    ignores("a/*/c\n*.o", ["a/b/c", "x.o", "x/y.o"], ["a/c", "a/b/b/c", "o"]))
  it("[BEY-04] let two stars stand for any number of folders", () =>
    ignores("a/**/z\n**/q\nd/**", ["a/z", "a/b/c/z", "q", "x/q", "d/x", "d/x/y"], ["az", "d", "z"]))
  it("[BEY-04] bring back what a later rule negates", () =>
    ignores("*.txt\n!b.txt\nc/\n!c/b.txt", ["a.txt", "c/b.txt"], ["b.txt", "x/b.txt"]))
  it("[BEY-04] read sets, classes and escapes", () =>
    ignores(
      "[a-c]1\n[!x]2\n[[:digit:]]z\n\\!d\n\\#e\nf\\ \n[]-]g",
      ["a1", "y2", "7z", "!d", "#e", "f ", "]g", "-g"],
      ["d1", "x2", "az", "d", "e", "f", "g"],
    ))
  it("[BEY-04] leave out comments, empty lines, spaces at the end and Windows breaks", () =>
    ignores("\uFEFFa\r\n\r\n# b\r\nc   \r\n", ["a", "c"], ["# b", "b", "", "c   "]))
  it("[BEY-04] match nothing by a pattern that cannot be read", () =>
    ignores("[ab\n\\\n[[:nope:]]", [], ["a", "b", "[ab", "\\", "n"]))

  it("[BEY-04] hide everything when there are more rules than are read", () => {
    expect(isIgnored("x\n".repeat(20_001), "anything")).toBe(true)
    expect(isIgnored("x\n".repeat(19_999), "anything")).toBe(false)
  })

  it("match in little time whatever the pattern", { timeout: 5000 }, () => {
    const path = `${"a/".repeat(500)}${"a".repeat(255)}`
    const entry = entriesTo(path, 0, false).at(-1)
    if (entry === undefined) throw new Error("the path has no entries")
    const matches = (pattern: string) =>
      ignoredBy([listOf("f", "", [pattern])], entry) !== undefined
    expect(matches("*a".repeat(100))).toBe(true)
    expect(matches(`${"**/a/".repeat(100)}b`)).toBe(false)
    expect(matches(`**/${"a*".repeat(100)}b`)).toBe(false)
    expect(matches(`${"**/*a/".repeat(100)}b`)).toBe(false)
  })
})

/** Pieces that a pattern is put together from, the odd ones among them. */
const PIECES = [
  "a b c . / * ? - ! # ab a.b ** **/ /** *** \\* \\a \\ \\!".split(" "),
  "[ab] [!a] [^b-] [a-c] []a] [a [/] [a\\]b] [:a] [[:alpha:]] [[:digit:]b] [[:nope:]]".split(" "),
  [" ", "\\ "],
].flat()
const NAMES = ["a", "b", "ab", "a.b", "c", "a*", "-", "a b", "#a", "!a", "]", "a/a", "a/b", "a/ab"]
const DEEP_NAMES = [...NAMES, "ab/a", "ab/ab/b", "a/a/a", "a/b/c", "b/a/c", "b/b/a.b", "b/b/a b"]

const pattern = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join(""))
const lines = fc
  .array(
    fc.tuple(fc.constantFrom("", "", "", "!"), pattern, fc.constantFrom("", "", "/", " ", "\r")),
    { minLength: 1, maxLength: 4 },
  )
  .map((lines) => lines.map((line) => line.join("")).join("\n"))
const oneCase = fc.record({ outer: lines, inner: lines, files: fc.subarray(DEEP_NAMES) })

describe.skipIf(inPath("git") === undefined)("ignore rules beside git's", () => {
  it("[BEY-04] ignore what git ignores, for random rules in two folders", async () => {
    const property = fc.asyncProperty(
      fc.array(oneCase, { minLength: 60, maxLength: 60 }),
      async (cases) => {
        const root = await temporaryFolder()
        execFileSync("git", ["init", "-q", root])
        const paths = (await Promise.all(cases.map((each, at) => lay(root, at, each)))).flat()
        expect(differences(root, paths)).toEqual([])
      },
    )
    await fc.assert(property, { numRuns: 6, endOnFailure: true })
  })
})

async function lay(root: string, at: number, { outer, inner, files }: Case): Promise<string[]> {
  const folder = `case${at}`
  const paths: string[] = []
  await mkdir(join(root, folder, "a"), { recursive: true })
  await writeFile(join(root, folder, ".gitignore"), outer)
  await writeFile(join(root, folder, "a", ".gitignore"), inner)
  for (const file of files) {
    const path = join(root, folder, file)
    // A name that is a folder by now is not made a file, and the other way round.
    const isMade = await mkdir(dirname(path), { recursive: true }).then(
      () => true,
      () => false,
    )
    if (!isMade || existsSync(path)) continue
    await writeFile(path, "")
    paths.push(`${folder}/${file}`)
  }
  return paths
}

interface Case {
  readonly outer: string
  readonly inner: string
  readonly files: readonly string[]
}

/** Paths on which git and we do not agree. */
function differences(root: string, paths: readonly string[]): string[] {
  const ours = new IgnoreFiles(root, [".gitignore"])
  const theirs = ignoredByGit(root, paths)
  return paths.filter((path) => (ours.ignoredBy(path) !== undefined) !== theirs.has(path))
}

function ignoredByGit(root: string, paths: readonly string[]): Set<string> {
  const args = ["-C", root, "check-ignore", "--no-index", "-z", "--stdin"]
  try {
    const input = paths.join("\0")
    const options = { input, encoding: "utf8", stdio: "pipe" } as const
    return new Set(execFileSync("git", args, options).split("\0"))
  } catch (error) {
    // It ends with 1 when nothing is ignored.
    if ((error as { status?: number }).status === 1) return new Set()
    throw error
  }
}
