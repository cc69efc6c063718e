// `npm run build`: the sources into `dist`, the page into `dist/web`. Neither deletes the other's work.

import fs from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { compile } from "./compile.ts"

const root = join(import.meta.dirname, "..")
const dist = join(root, "dist")
const page = join(dist, "web")
const PAGE_SOURCES = [
  "apps/web",
  "packages/client",
  "packages/core",
  "vite.config.ts",
  "package-lock.json",
]
const PROGRAM_SOURCES = [
  "packages",
  "apps",
  "kit/conformance",
  "scripts/bundle.ts",
  "scripts/compile.ts",
  "tsconfig.build.json",
  "package-lock.json",
]

if (process.argv[1] === import.meta.filename) await build()

async function build(): Promise<void> {
  if (!(await compileAndBundle())) process.exit(1)
  await buildPage()
  await (await import("./docs.ts")).buildDocs(join(dist, "docs"))
}

/** Builds the command line if a source of it is newer, and says where it is. */
export async function buildProgram(): Promise<string> {
  const main = join(dist, "bundle", "main.js")
  const isCurrent = modified(join(dist, ".built")) >= newest(PROGRAM_SOURCES) && fs.existsSync(main)
  if (!isCurrent && !(await compileAndBundle()))
    throw new Error("The sources do not compile: `npm run types` says where.")
  return main
}

async function compileAndBundle(): Promise<boolean> {
  if (!compileSources()) return false
  await (await import("./bundle.ts")).bundle(dist)
  return true
}

function compileSources(): boolean {
  const began = new Date()
  process.stderr.write("Compiling the sources … ")
  clearCompiled()
  try {
    compile(dist)
  } catch (error) {
    process.stderr.write(`failed\n${(error as Error).message}`)
    return false
  }
  stamp(join(dist, ".built"), began)
  process.stderr.write(`done after ${seconds(began)}\n`)
  return true
}

// What is left of a source that is gone must not be found by an import.
function clearCompiled(): void {
  const entries = fs.existsSync(dist) ? fs.readdirSync(dist) : []
  for (const entry of entries.filter((entry) => entry !== "web")) {
    fs.rmSync(join(dist, entry), { recursive: true })
  }
}

/** Builds the page if something it is made of is newer. A server that serves it never sees half of it. */
export async function buildPage(): Promise<void> {
  if (!fs.existsSync(join(root, "apps", "web", "index.html"))) {
    console.error("There is no page to build: apps/web/index.html is missing.")
    return
  }
  if (modified(join(page, ".built")) >= newest(PAGE_SOURCES)) return
  const began = new Date()
  process.stderr.write("Building the page … ")
  const draft = join(dist, `.web-${process.pid}`)
  try {
    await bundle(draft)
    stamp(join(draft, ".built"), began)
    replacePage(draft)
  } finally {
    fs.rmSync(draft, { recursive: true, force: true })
  }
  process.stderr.write(`done after ${seconds(began)}\n`)
}

async function bundle(folder: string): Promise<void> {
  const vite = await import("vite")
  // A test runner says `test` here, and then people would be served React's slow half.
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = "production"
  try {
    await vite.build({
      configFile: join(root, "vite.config.ts"),
      logLevel: "warn",
      build: { outDir: folder },
    })
  } finally {
    if (before === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = before
  }
}

function newest(sources: readonly string[]): number {
  return Math.max(...sources.flatMap((source) => timesIn(join(root, source))))
}

// The folders count too: their time changes when a file in them is deleted.
function timesIn(path: string): number[] {
  if (!fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [modified(path)]
  const entries = fs.readdirSync(path, { recursive: true, encoding: "utf8" })
  return [path, ...entries.map((entry) => join(path, entry))].map(modified)
}

function modified(path: string): number {
  return fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

// The stamp bears the time at which the build began, so what changed meanwhile is newer.
function stamp(path: string, time: Date): void {
  fs.mkdirSync(join(path, ".."), { recursive: true })
  fs.writeFileSync(path, "")
  fs.utimesSync(path, time, time)
}

// Another start may be doing the same; then one of two equal pages stays.
function replacePage(draft: string): void {
  const old = `${draft}-old`
  move(page, old)
  move(draft, page)
  fs.rmSync(old, { recursive: true, force: true })
}

function move(from: string, to: string): void {
  try {
    fs.renameSync(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== "ENOENT" && code !== "ENOTEMPTY" && code !== "EEXIST") throw error
  }
}

function seconds(began: Date): string {
  return `${((Date.now() - began.getTime()) / 1000).toFixed(1)} s`
}
