// `npm run exports`: what is exported and named in no other file. It needs no `export`, and where its own
// file does not use it either, it is dead. `-- --mend` takes the word away.

import fs from "node:fs"
import { join } from "node:path"
import process from "node:process"

const root = join(import.meta.dirname, "..")
const PRODUCT = ["packages", "apps", "kit/conformance"]
const READERS = [...PRODUCT, "kit", "test", "scripts", "examples", "bin", "docs", "api"]
/** What others install is named by files that are not here. */
const PUBLIC: ReadonlySet<string> = new Set([
  "apps/acp/forms.ts",
  "apps/acp/sdk.ts",
  "packages/client/answer.ts",
  "packages/client/client.ts",
  "packages/client/parts.ts",
  "packages/client/react/composer-input.tsx",
  "packages/client/sdk.ts",
  "packages/core/compose/parse.ts",
  "packages/engine/entities/definition.ts",
  "packages/engine/host/host.ts",
  "packages/engine/store/postgres/postgres-store.ts",
  "packages/engine/store/sqlite/sqlite-store.ts",
  "packages/server/app.ts",
  "packages/server/serve.ts",
])
const DECLARATION =
  /^export ((?:async |abstract )?(?:function\*?|const|let|class|interface|type|enum) (\w+))/gm

export interface IdleExport {
  readonly file: string
  readonly name: string
}

export function idleExports(): IdleExport[] {
  const texts = new Map(READERS.flatMap(sourcesIn).map((file) => [file, read(file)]))
  const files = countFiles(texts)
  return PRODUCT.flatMap(sourcesIn).flatMap((file) =>
    [...(texts.get(file) ?? "").matchAll(DECLARATION)].flatMap(([, , name = ""]) =>
      files.get(name) === 1 && !PUBLIC.has(file) ? [{ file, name }] : [],
    ),
  )
}

/** In how many files each word stands. */
function countFiles(texts: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts.values())
    for (const word of new Set(text.match(/\w+/g))) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function sourcesIn(folder: string): string[] {
  return fs
    .globSync(`${folder}/**/*.{ts,tsx,mts,mjs,md}`, { cwd: root })
    .filter((file) => !file.includes("node_modules"))
}

function read(file: string): string {
  return fs.readFileSync(join(root, file), "utf8")
}

if (process.argv[1] === import.meta.filename) {
  const idle = idleExports()
  for (const { file, name } of idle) {
    console.log(`${file}: ${name} is exported, and no other file names it`)
    if (process.argv.includes("--mend"))
      fs.writeFileSync(
        join(root, file),
        read(file).replace(DECLARATION, (whole, rest: string, own: string) =>
          own === name ? rest : whole,
        ),
      )
  }
  process.exitCode = idle.length > 0 ? 1 : 0
}
