// The command line in few files: a start reads a handful instead of eight hundred. What a bundled file
// says of its own place is still true, so that workers, skills and the page are found where they lie.

import { spawnSync } from "node:child_process"
import fs from "node:fs"
import { isBuiltin } from "node:module"
import { join, relative } from "node:path"
import process from "node:process"
import type { Plugin, PluginContext } from "rolldown"

/** Packages that are read by every command. The others stay where they are. */
const BUNDLED = ["commander", "hono", "zod", "yaml", "@hono/node-server"]

/** Files of the bundle, each with all that its entries import and no file before it has: what every start
 *  reads, what every command does, and what a message walks through from the command line to a model
 *  where no server lives. */
const FILES: readonly (readonly [name: string, entries: readonly string[]])[] = [
  ["version", ["cli/version.js"]],
  ["program", ["cli/program.js", "cli/complain.js", "cli/show.js"]],
  [
    "corridor",
    [
      "cli/commands/send.js",
      "server/registration.js",
      "engine/host/host.js",
      "server/within.js",
      "engine/turns/builtin-tools.js",
    ],
  ],
]

/** What is loaded together lies together; a cycle between files of zod would not survive being cut. */
const GROUPS = [
  { name: "zod", test: /node_modules\/zod\// },
  { name: "hono", test: /node_modules\/(hono|@hono)\// },
  { name: "yaml", test: /node_modules\/yaml\// },
  { name: "commander", test: /node_modules\/commander\// },
]

/** Make `bundle/main.js` of the compiled `cli/main.js`. */
export async function bundle(dist: string): Promise<void> {
  const { build } = await import("rolldown")
  const out = join(dist, "bundle")
  fs.rmSync(out, { recursive: true, force: true })
  const files = new Map<string, string>()
  await build({
    input: { main: join(dist, "cli", "main.js") },
    platform: "node",
    // A folder that is packed elsewhere has no packages of its own yet.
    resolve: { modules: [join(import.meta.dirname, "..", "node_modules")] },
    logLevel: "warn",
    checks: { ineffectiveDynamicImport: false },
    external: (id: string) => isExternal(id),
    plugins: [ownPlace(dist), filesOf(dist, files), quickBuiltins],
    output: {
      dir: out,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      strictExecutionOrder: true,
      codeSplitting: {
        groups: [
          ...FILES.map(([name], at) => ({
            name,
            test: (id: string) => files.get(id) === name,
            priority: FILES.length - at,
          })),
          ...GROUPS,
        ],
      },
      minify: { compress: true, mangle: false, codegen: true },
    },
  })
  writeHelp(dist)
}

function isExternal(id: string): boolean {
  if (isBuiltin(id)) return true
  if (id.startsWith(".") || id.startsWith("/")) return false
  return !BUNDLED.some((name) => id === name || id.startsWith(`${name}/`))
}

function ownPlace(dist: string): Plugin {
  return {
    name: "own-place",
    transform(code, id) {
      if (!id.startsWith(dist) || !code.includes("import.meta.url")) return null
      const place = JSON.stringify(`../${relative(dist, id)}`)
      return code.replaceAll("import.meta.url", `new URL(${place}, import.meta.url).href`)
    },
  }
}

/** Finds which file each module goes to; what is loaded only when it is asked for goes to none. */
function filesOf(dist: string, files: Map<string, string>): Plugin {
  return {
    name: "files",
    buildEnd() {
      for (const [name, entries] of FILES)
        for (const entry of entries) walk(this, join(dist, entry), (id) => take(files, id, name))
    },
  }
}

function take(files: Map<string, string>, id: string, name: string): boolean {
  if (files.has(id)) return false
  files.set(id, name)
  return true
}

function walk(context: PluginContext, id: string, enter: (id: string) => boolean) {
  if (!enter(id)) return
  for (const next of context.getModuleInfo(id)?.importedIds ?? []) walk(context, next, enter)
}

/** Node makes a module of everything a built-in one has for whoever imports it, which loads `fetch` with
 *  `node:http`: as much again as a bare start. Who asks for the object gets only that. */
const quickBuiltins: Plugin = {
  name: "quick-builtins",
  renderChunk: (code) => code.replace(IMPORT, quickImport),
}

const IMPORT = /^import (?:([\w$]+)(?:, )?)?(?:\* as ([\w$]+)|\{([^}]*)\})? ?from "([^"]+)";$/gm

/** One that is imported would be read twice: once for what it exports. */
const REQUIRED: ReadonlyMap<string, string> = new Map([
  [
    "better-sqlite3",
    'process.getBuiltinModule("node:module").createRequire(import.meta.url)("better-sqlite3")',
  ],
])

function quickImport(
  statement: string,
  whole: string | undefined,
  all: string | undefined,
  names: string | undefined,
  id: string,
): string {
  const module = isBuiltin(id) ? `process.getBuiltinModule("${id}")` : REQUIRED.get(id)
  if (module === undefined) return statement
  const wanted = [whole, all, names && `{${names.replaceAll(/([\w$]+) as /g, "$1: ")}}`]
  return wanted
    .filter((name) => name !== undefined && name !== "process")
    .map((name) => `const ${name} = ${module};`)
    .join(" ")
}

/** What `--help` says, said once by the program itself: then nothing needs to be loaded to say it. */
function writeHelp(dist: string) {
  const modules = join(import.meta.dirname, "..", "node_modules")
  // The bundle reads its version beside itself and finds native packages above itself.
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(dist, "bundle", "main.js"), "--help"],
    { encoding: "utf8", env: { ...process.env, NODE_PATH: modules, COLUMNS: "80" } },
  )
  if (status !== 0) throw new Error(`The bundled command line does not run: ${stderr}`)
  fs.writeFileSync(join(dist, "cli", "help.txt"), stdout)
}
