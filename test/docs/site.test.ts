import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildDocs, GROUPS } from "../../scripts/docs.ts"
import { render } from "../../scripts/docs/render.ts"
import type { Page } from "../../scripts/docs/shell.ts"

const DOCS = join(import.meta.dirname, "..", "..", "docs")

let root: string
let folder: string
let pages: Page[]

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "compositor-test-docs-"))
  folder = join(root, "docs")
  pages = await buildDocs(folder)
}, 60_000)
afterAll(() => rmSync(root, { recursive: true, force: true }))

function linksIn(html: string): string[] {
  return [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = ""]) => link)
}

describe("the site", () => {
  it("has every page of the docs folder in its navigation", () => {
    const listed = GROUPS.flatMap(([, paths]) => paths)
    const written = readdirSync(DOCS, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => name.replace(/\.md$/, ""))
    expect(written.filter((path) => !listed.includes(path))).toEqual([])
  })

  it("leads nowhere that is not there", () => {
    const ids = new Map(pages.map(({ path, headings }) => [path, headings.map(({ id }) => id)]))
    const broken = pages.flatMap(({ path }) => {
      const file = join(folder, `${path}.html`)
      const links = linksIn(readFileSync(file, "utf8")).filter((link) => !/^[a-z]+:/.test(link))
      return links.filter((link) => !leads(file, link, ids)).map((link) => `${path}: ${link}`)
    })
    expect(broken).toEqual([])
  })

  function leads(file: string, link: string, ids: ReadonlyMap<string, readonly string[]>) {
    const [path = "", id] = link.split("#")
    const target = path === "" ? file : resolve(dirname(file), path)
    if (!existsSync(target)) return false
    if (id === undefined || id === "content") return true
    return ids.get(relative(folder, target).replace(/\.html$/, ""))?.includes(id) ?? false
  }

  it("describes every route, and every rule", async () => {
    const { ROUTES } = await import("../../packages/server/app.ts")
    const http = readFileSync(join(folder, "reference", "http.html"), "utf8")
    const missing = ROUTES.filter(
      ({ method, path }) =>
        !http.includes(`${method.toUpperCase()} ${path.replace(/:(\w+)/g, "{$1}")}<`),
    )
    expect(missing.map(({ path }) => path)).toEqual([])
    const rules = readFileSync(join(folder, "reference", "rules.html"), "utf8")
    expect(rules).toContain("CMP-025")
    const typescript = readFileSync(join(folder, "reference", "typescript.html"), "utf8")
    for (const name of ["createClient", "ApiError", "parts.file", "ComposerInput", "serve"])
      expect(typescript).toContain(`>${name}<`)
  })

  it("shows no mark that a program needs", () => {
    expect(render("<!-- figures:begin -->\ntext\n<!-- figures:end -->").html).toBe("<p>text</p>")
  })

  it("has its titles in the search, and no markup of a text in a page", () => {
    const script = readFileSync(join(folder, "site.js"), "utf8")
    for (const { title } of pages) expect(script).toContain(JSON.stringify(title).slice(1, -1))
    expect(render("# <b>x</b>\n\n[a](b.md#c) `<i>` <script>").html).toBe(
      '<h1 id="b-x-b"><a class="anchor" href="#b-x-b">&lt;b&gt;x&lt;/b&gt;</a></h1>\n<p><a href="b.html#c">a</a> <code>&lt;i&gt;</code> &lt;script&gt;</p>',
    )
  })
})
