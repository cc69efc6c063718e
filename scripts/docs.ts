// `npm run docs`: the Markdown of `docs/` and what is made from the sources, as a small static site
// in `dist/docs`. The server gives it at /docs.

import fs from "node:fs"
import { join } from "node:path"
import { type Entry, typescriptReference } from "./docs/typescript-reference.ts"
import { commandsPage } from "./docs/commands-page.ts"
import { httpReference } from "./docs/http-reference.ts"
import { render } from "./docs/render.ts"
import { rulesPage } from "./docs/rules-page.ts"
import { type Page, scriptOf, shellOf, STYLE } from "./docs/shell.ts"

const ROOT = join(import.meta.dirname, "..")
const DOCS = join(ROOT, "docs")

/** The pages by group, in the order of the navigation. Made pages are written by `MADE`. */
export const GROUPS: readonly (readonly [group: string, paths: readonly string[]])[] = [
  ["Start", ["index", "getting-started"]],
  [
    "Guide",
    [
      "terminal",
      "guide/attach-files",
      "guide/commands",
      "guide/queue-and-steer",
      "guide/branch-sidecar-rewind",
      "guide/memory",
      "guide/skills",
      "guide/triggers",
      "guide/entities",
      "guide/mcp",
      "acp",
      "guide/embed-the-composer",
      "guide/write-an-agent",
      "guide/run-a-cluster",
      "sdk",
    ],
  ],
  [
    "Reference",
    [
      "reference/commands",
      "reference/http",
      "reference/typescript",
      "reference/rules",
      "decisions",
      "conformance",
    ],
  ],
  ["Running it", ["operations", "principals", "threat-model", "scale", "figures"]],
]

const PACKAGES = join(ROOT, "packages")
const ENTRIES: readonly Entry[] = [
  {
    name: "compositor/server",
    about: "The server and its host, for a program that embeds them.",
    file: join(PACKAGES, "server", "serve.ts"),
  },
  {
    name: "compositor/client, compositor-core/client",
    about: "What a program needs to speak to a server.",
    file: join(PACKAGES, "client", "sdk.ts"),
  },
  {
    name: "compositor/react",
    about: "The composer as a component.",
    file: join(PACKAGES, "client", "react", "composer-input.tsx"),
  },
  {
    name: "compositor-core/compose",
    about: "What was typed to nodes, in a browser and in Node.",
    file: join(PACKAGES, "core", "compose", "parse.ts"),
  },
  {
    name: "compositor-core/parts/table",
    about: "The parts of a user message.",
    file: join(PACKAGES, "core", "parts", "table.ts"),
  },
  {
    name: "compositor-core/lower/lower",
    about: "Parts to what a model sees, with receipts.",
    file: join(PACKAGES, "core", "lower", "lower.ts"),
  },
]

const MADE: Readonly<Record<string, () => Promise<string>>> = {
  "reference/commands": async () => commandsPage(),
  "reference/http": async () => {
    const { ROUTES } = await import("../packages/server/app.ts")
    const { openapi } = await import("../packages/server/openapi.ts")
    const { KnownPart } = await import("../packages/core/parts/read-part.ts")
    const { VERSION } = await import("../packages/server/version.ts")
    return httpReference(openapi(ROUTES, VERSION, KnownPart))
  },
  "reference/typescript": async () => typescriptReference(ENTRIES),
  "reference/rules": async () => rulesPage(ROOT),
  conformance: async () => fs.readFileSync(join(ROOT, "conformance", "README.md"), "utf8"),
}

/** Write the whole site. What is not there, such as a page that nobody has written yet, is left out. */
export async function buildDocs(folder: string = join(ROOT, "dist", "docs")): Promise<Page[]> {
  const pages = await readPages()
  const draft = `${folder}-${process.pid}`
  fs.rmSync(draft, { recursive: true, force: true })
  write(join(draft, "site.css"), STYLE)
  write(join(draft, "site.js"), scriptOf(pages))
  for (const page of pages) write(join(draft, `${page.path}.html`), shellOf(page, pages))
  for (const name of fs.readdirSync(DOCS).filter((name) => name.endsWith(".png")))
    fs.copyFileSync(join(DOCS, name), join(draft, name))
  fs.rmSync(folder, { recursive: true, force: true })
  fs.renameSync(draft, folder)
  return pages
}

export async function readPages(): Promise<Page[]> {
  const pages: Page[] = []
  for (const [group, paths] of GROUPS)
    for (const path of paths) {
      const markdown = await markdownOf(path)
      if (markdown === undefined) continue
      pages.push({ path, group, ...render(markdown) })
    }
  return pages
}

async function markdownOf(path: string): Promise<string | undefined> {
  const made = MADE[path]
  if (made) return made()
  const file = join(DOCS, `${path}.md`)
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined
}

function write(path: string, text: string) {
  fs.mkdirSync(join(path, ".."), { recursive: true })
  fs.writeFileSync(path, text)
}

if (process.argv[1] === import.meta.filename) {
  const pages = await buildDocs(process.argv[2])
  process.stderr.write(`${pages.length} pages\n`)
}
