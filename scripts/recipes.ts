// `npm run recipes [name …]`: does what CONTRIBUTING says under "Adding things", each recipe in a copy of the
// tree of its own: its files are put there, its lines into the tables, then types, lint and its suites must
// pass. Last, every field of the new definition is left out in turn, and the compiler must refuse each.

import { spawnSync } from "node:child_process"
import fs from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"
import { parseSync } from "rolldown/utils"

interface Recipe {
  readonly name: string
  readonly about: string
  /** The file that defines the new thing, from the checkout. */
  readonly definition: string
  /** What is written into tables that are there: a line before or after another one. */
  readonly lines: readonly TableLine[]
  /** Suites that must pass with it, and the titles in them that are about it. */
  readonly suites: readonly string[]
  readonly only: string
}

interface TableLine {
  readonly file: string
  readonly before?: string
  readonly after?: string
  readonly line: string
}

const root = join(import.meta.dirname, "..")
const RECIPES = join(root, "kit", "recipes")
const CONFIGS = ["tsconfig.json", "tsconfig.pure.json", "tsconfig.web.json"]

/** Apply one recipe to a copy of the tree; throws what does not work. */
function tryRecipe(recipe: Recipe) {
  const copy = copyTree()
  try {
    applyRecipe(recipe, copy)
    report("types", () => CONFIGS.forEach((config) => checkTypes(copy, config)))
    report("lint", () => void run(copy, ["oxlint", "--type-aware", ...newFiles(recipe)]))
    report("suites", () => runSuites(recipe, copy))
    report("fields", () => checkFields(recipe, copy))
  } finally {
    fs.rmSync(copy, { recursive: true, force: true })
  }
}

/** What git knows of the tree, with packages of others as links and our own as they are in the copy. */
function copyTree(): string {
  const copy = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "compositor-recipe-")))
  const { stdout } = spawnSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  })
  const paths = stdout.split("\0").filter((path) => path !== "" && fs.existsSync(join(root, path)))
  for (const path of paths) copyFile(join(root, path), join(copy, path))
  const modules = join(root, "node_modules")
  fs.mkdirSync(join(copy, "node_modules"))
  for (const name of fs.readdirSync(modules)) {
    const link = fs.lstatSync(join(modules, name))
    const target = link.isSymbolicLink()
      ? fs.readlinkSync(join(modules, name))
      : join(modules, name)
    fs.symlinkSync(target, join(copy, "node_modules", name))
  }
  return copy
}

function applyRecipe({ name, lines }: Recipe, copy: string) {
  const files = join(RECIPES, name, "files")
  for (const path of filesIn(files)) {
    if (fs.existsSync(join(copy, path))) throw new Error(`${name} would replace ${path}.`)
    copyFile(join(files, path), join(copy, path))
  }
  for (const line of lines) writeLine(join(copy, line.file), line)
}

function writeLine(file: string, { before, after, line }: TableLine) {
  const rows = fs.readFileSync(file, "utf8").split("\n")
  const at = rows.indexOf(before ?? after ?? "")
  if (at < 0) throw new Error(`${file} has no line ${JSON.stringify(before ?? after)}.`)
  rows.splice(before === undefined ? at + 1 : at, 0, line)
  fs.writeFileSync(file, rows.join("\n"))
}

function checkTypes(copy: string, config: string) {
  run(copy, ["tsc", "-p", config])
}

function runSuites({ suites, only }: Recipe, copy: string): string {
  const said = run(copy, ["vitest", "run", ...suites, "-t", only])
  const [, passed = "0"] = /^(\d+) passed, 0 failed/m.exec(said) ?? []
  if (passed === "0") throw new Error(`No test of ${suites.join(", ")} is about it:\n${said}`)
  return `${passed} tests`
}

/** Every field of the definition is left out in a file of its own; each must be refused. */
function checkFields({ definition }: Recipe, copy: string) {
  const text = fs.readFileSync(join(copy, definition), "utf8")
  const variants = findFields(definition, text).map(({ name, start, end }) => {
    const file = definition.replace(/\.ts$/, `.without-${name}.ts`)
    fs.writeFileSync(join(copy, file), text.slice(0, start) + text.slice(end))
    return { name, file }
  })
  if (variants.length === 0) throw new Error(`${definition} defines nothing.`)
  const config = { extends: "./tsconfig.json", include: variants.map(({ file }) => file) }
  fs.writeFileSync(join(copy, "tsconfig.fields.json"), JSON.stringify(config))
  const { stdout } = start(copy, ["tsc", "-p", "tsconfig.fields.json", "--pretty", "false"])
  const taken = variants.filter(({ file }) => !stdout.includes(`${file}(`)).map(({ name }) => name)
  if (taken.length > 0)
    throw new Error(`The compiler takes ${definition} without ${taken.join(", ")}.`)
  return `${variants.length}: ${variants.map(({ name }) => name).join(", ")}`
}

interface Field {
  readonly name: string
  readonly start: number
  readonly end: number
}

interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** The fields of the object that a `define…` function is given, each with the comma behind it. */
function findFields(file: string, text: string): Field[] {
  const [call] = nodesIn(parseSync(file, text).program).filter(isDefinition)
  const [argument] = (call?.arguments ?? []) as readonly SyntaxNode[]
  return ((argument?.properties ?? []) as readonly SyntaxNode[]).map(({ key, start, end }) => ({
    name: (key as { name?: string } | undefined)?.name ?? `field-${start}`,
    start,
    end: text[end] === "," ? end + 1 : end,
  }))
}

function isDefinition({ type, callee }: SyntaxNode): boolean {
  const name = (callee as { name?: string } | undefined)?.name ?? ""
  return type === "CallExpression" && /^define[A-Z]/.test(name)
}

function* nodesIn(value: unknown): Generator<SyntaxNode> {
  if (typeof value !== "object" || value === null) return
  if ("type" in value && "start" in value) yield value as SyntaxNode
  for (const child of Object.values(value)) yield* nodesIn(child)
}

function newFiles({ name }: Recipe): string[] {
  return filesIn(join(RECIPES, name, "files"))
}

function filesIn(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

function copyFile(from: string, to: string) {
  fs.mkdirSync(dirname(to), { recursive: true })
  fs.copyFileSync(from, to)
}

function run(copy: string, command: readonly string[]): string {
  const { status, stdout, stderr } = start(copy, command)
  if (status !== 0) throw new Error(`${command.join(" ")}\n${stdout}${stderr}`)
  return stdout
}

function start(copy: string, [program = "", ...args]: readonly string[]) {
  const path = [dirname(process.execPath), join(root, "node_modules", ".bin"), process.env.PATH]
  return spawnSync(program, args, {
    cwd: copy,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, PATH: path.join(":") },
  })
}

function report(name: string, act: () => string | void) {
  const began = Date.now()
  const more = act()
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  console.log(`  ok  ${name} (${seconds} s)${more ? `  ${more}` : ""}`)
}

function readRecipes(names: readonly string[]): Recipe[] {
  const all = fs
    .readdirSync(RECIPES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
  const unknown = names.filter((name) => !all.some((entry) => entry.name === name))
  if (unknown.length > 0) throw new Error(`There is no recipe ${unknown.join(", ")}.`)
  return all
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .map(({ name }) => ({
      name,
      ...(JSON.parse(fs.readFileSync(join(RECIPES, name, "recipe.json"), "utf8")) as Omit<
        Recipe,
        "name"
      >),
    }))
}

for (const recipe of readRecipes(process.argv.slice(2))) {
  console.log(`${recipe.name}: ${recipe.about}`)
  try {
    tryRecipe(recipe)
  } catch (error) {
    console.log(`  FAIL  ${(error as Error).message}`)
    process.exitCode = 1
  }
}
