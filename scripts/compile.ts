// The sources as JavaScript, a folder for each package. A package calls another by its name, which means
// its sources here and nothing at all on a machine that installs what was built: there it is a path.

import { spawnSync } from "node:child_process"
import fs from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import process from "node:process"
import { PACKAGES } from "./house-rules.ts"

const root = join(import.meta.dirname, "..")
const NAMED = /(["'])compositor-([\w-]+)((?:\/[\w.-]+)*)\1/g

/** Compile the packages that the configurations name into `out`; throws what the compiler says. */
export function compile(out: string, configs: readonly string[] = ["tsconfig.build.json"]): void {
  const draft = join(out, `.compiled-${process.pid}`)
  try {
    for (const config of configs) runCompiler(config, draft)
    for (const { folder, name } of PACKAGES) takeOver(draft, folder, join(out, name))
  } finally {
    fs.rmSync(draft, { recursive: true, force: true })
  }
}

function runCompiler(config: string, out: string): void {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc")
  const args = [compiler, "-p", join(root, config), "--outDir", out]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`The sources do not compile:\n${stdout}`)
}

function takeOver(draft: string, folder: string, target: string): void {
  const compiled = join(draft, folder)
  if (!fs.existsSync(compiled)) return
  for (const file of filesIn(compiled)) callByPath(file, compiled)
  fs.cpSync(compiled, target, { recursive: true })
  copyWhatIsNotCode(join(root, folder), target)
}

function callByPath(file: string, compiled: string): void {
  const text = fs.readFileSync(file, "utf8")
  const here = join(basename(compiled), relative(compiled, dirname(file)))
  const written = text.replace(NAMED, (whole, quote: string, name: string, path: string) => {
    if (!PACKAGES.some((one) => one.name === name)) return whole
    const target = relative(here, join(name, path === "" ? "index" : path))
    return `${quote}${target.startsWith(".") ? target : `./${target}`}.js${quote}`
  })
  if (written !== text) fs.writeFileSync(file, written)
}

function filesIn(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(js|d\.ts)$/.test(path))
    .map((path) => join(folder, path))
}

function copyWhatIsNotCode(from: string, to: string): void {
  const isCode = (path: string) => /\.tsx?$|package\.json$|README\.md$/.test(path)
  fs.cpSync(from, to, {
    recursive: true,
    filter: (path) => !isCode(path) && basename(path) !== "node_modules",
  })
}
