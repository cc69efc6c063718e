import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..")
const FOLDERS = ["packages", "apps", "kit", "examples"].flatMap((parent) =>
  readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${parent}/${name}`),
)

const PRONOUN = /^(It|Its|They|Their|This|That|These|Those|Else|He|She|Them)$/

describe("the repository", () => {
  it.each(FOLDERS)("says in a README what %s is and in which order to read it", (folder) => {
    const readme = readFileSync(join(root, folder, "README.md"), "utf8")
    expect(readme).toMatch(/^# \S/)
    expect(readme).toContain("## Reading order")
    const named = readme.matchAll(/`([\w-]+(?:\/[\w.-]+)*\/?)`/g)
    const paths = Array.from(named, ([, path = ""]) => path).filter((path) =>
      /\/$|\.\w+$/.test(path),
    )
    expect(paths.filter((path) => !isThere(folder, path))).toEqual([])
  })

  it("has the pages that strangers look for", () => {
    const pages = ["README", "CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT", "AGENTS", "CHANGELOG"]
    expect(pages.filter((page) => !existsSync(join(root, `${page}.md`)))).toEqual([])
    expect(read("AGENTS.md").split("\n").length).toBeLessThanOrEqual(80)
    expect(read(".github/workflows/ci.yml")).toContain("- run: .ci/run")
  })

  it("has every decision that a comment or a title cites", () => {
    const decided: readonly string[] = read("docs/decisions.md").match(/^\d+(?=\. )/gm) ?? []
    const sources = ["packages", "apps", "kit", "test", "scripts"].flatMap(sourcesIn)
    const cited = sources.flatMap((path) =>
      Array.from(read(path).matchAll(/\bdecision (\d+)/g), ([, number = ""]) => number),
    )
    expect(cited.length).toBeGreaterThan(0)
    expect(cited.filter((number) => !decided.includes(number))).toEqual([])
  })

  it("has rules that begin with their subject", () => {
    const rules = [...read("SPEC.md").matchAll(/^\| [A-Z]+-\d+ \| [A-Z ]+ \| (\w+).*$/gm)]
    const pronouns = rules.filter(([, first = ""]) => PRONOUN.test(first)).map(([row]) => row)
    expect(rules.length).toBeGreaterThan(300)
    expect(pronouns).toEqual([])
  })

  it("gives every version of the changelog a date, the newest first", () => {
    const titles = read("CHANGELOG.md").match(/^## .*$/gm) ?? []
    expect(titles[0]).toMatch(/^## \d+\.\d+\.\d+ \((unreleased|\d{4}-\d\d-\d\d)\)$/)
    for (const title of titles.slice(1))
      expect(title).toMatch(/^## \d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)$/)
  })
})

/** A path of a README is one of its own folder, of a folder in it, or of the repository. */
function isThere(folder: string, path: string): boolean {
  const inner = readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(root, folder, name))
  return [join(root, folder), root, ...inner].some((place) => existsSync(join(place, path)))
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !path.includes("node_modules"))
    .map((path) => `${folder}/${path}`)
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8")
}
