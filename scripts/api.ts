// `npm run api`: writes `api/<package>.md`, every entry of every package with the signatures that it exports,
// from the declarations that the compiler emits. The diff of these files is the review of a public change;
// `npm run api -- --check` fails when they are not what the sources say.

import { spawnSync } from "node:child_process"
import fs from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"

export interface ApiReport {
  /** Where it is kept, from the checkout. */
  readonly path: string
  readonly text: string
}

interface Manifest {
  readonly name: string
  readonly description: string
  readonly exports: Readonly<Record<string, string>>
}

const root = join(import.meta.dirname, "..")
const PACKAGES = ["core", "files", "engine", "server", "client"]
const CONFIGS = ["tsconfig.build.json", "tsconfig.react.json"]

/** The reports as the sources are now. */
export function makeReports(): ApiReport[] {
  const declarations = fs.mkdtempSync(join(tmpdir(), "compositor-api-"))
  try {
    for (const config of CONFIGS) emitDeclarations(config, declarations)
    return PACKAGES.map((name) => makeReport(join("packages", name), declarations))
  } finally {
    fs.rmSync(declarations, { recursive: true, force: true })
  }
}

/** Paths of reports that differ from what is kept in the checkout. */
export function outdatedReports(reports: readonly ApiReport[]): string[] {
  const kept = (path: string) =>
    fs.existsSync(join(root, path)) ? fs.readFileSync(join(root, path), "utf8") : undefined
  return reports.filter(({ path, text }) => kept(path) !== text).map(({ path }) => path)
}

function emitDeclarations(config: string, out: string) {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc")
  const options = ["--emitDeclarationOnly", "--removeComments", "--outDir", out]
  const args = [compiler, "-p", join(root, config), ...options]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`The sources do not compile:\n${stdout}`)
}

function makeReport(folder: string, declarations: string): ApiReport {
  const manifest = JSON.parse(
    fs.readFileSync(join(root, folder, "package.json"), "utf8"),
  ) as Manifest
  const entries = Object.entries(manifest.exports).map(([entry, source]) => {
    const file = join(declarations, folder, source.replace(/\.tsx?$/, ".d.ts"))
    return [`## ${manifest.name}${entry.slice(1)}`, "", "```ts", readExports(file), "```", ""].join(
      "\n",
    )
  })
  const head = [`# ${manifest.name}`, "", manifest.description, "", "Written by `npm run api`.", ""]
  return {
    path: join("api", `${manifest.name}.md`),
    text: [...head, ...entries].join("\n"),
  }
}

const PASSED_ON = /^export \* from "(\.[^"]+)";$/gm

/** The declarations of a file, with those of the files that it passes on whole. */
function readExports(file: string): string {
  const text = fs.readFileSync(file, "utf8")
  const passedOn = Array.from(text.matchAll(PASSED_ON), ([, path = ""]) =>
    readExports(join(dirname(file), path.replace(/\.tsx?$|\.js$/, ".d.ts"))),
  )
  const own = text
    .replaceAll(PASSED_ON, "")
    .replaceAll(/^import [^;]*;\n/gm, "")
    .replaceAll(/^export \{\};\n/gm, "")
    .replaceAll(/^export declare /gm, "export ")
  return [own.trim(), ...passedOn].filter((part) => part !== "").join("\n")
}

if (process.argv[1] === import.meta.filename) {
  const reports = makeReports()
  const outdated = outdatedReports(reports)
  for (const path of outdated) console.log(path)
  if (process.argv.includes("--check")) {
    if (outdated.length > 0) {
      console.log("The public API is another than is written down: `npm run api` writes it.")
      process.exitCode = 1
    }
  } else {
    fs.mkdirSync(join(root, "api"), { recursive: true })
    for (const { path, text } of reports) fs.writeFileSync(join(root, path), text)
    console.log(`${reports.length} reports, ${outdated.length} changed`)
  }
}
