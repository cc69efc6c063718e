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

/** What a message walks through from the command line to a model, where no server lives. All that it
 *  imports lies in one file. */
const CORRIDOR = [
  "cli/program.js",
  "cli/commands/send.js",
  "server/registration.js",
  "host.js",
  "server/within.js",
  "tool/builtin.js",
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
  const corridor = new Set<string>()
  await build({
    input: { main: join(dist, "cli", "main.js") },
    platform: "node",
    // A folder that is packed elsewhere has no packages of its own yet.
    resolve: { modules: [join(import.meta.dirname, "..", "node_modules")] },
    logLevel: "warn",
    checks: { ineffectiveDynamicImport: false },
    external: (id: string) => isExternal(id),
    plugins: [ownPlace(dist), corridorOf(dist, corridor), quickBuiltins],
    output: {
      dir: out,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      strictExecutionOrder: true,
      codeSplitting: {
        groups: [
          // Read by every start, also by one that only says its version.
          { name: "version", test: /cli\/version\.js$/, priority: 2 },
          { name: "corridor", test: (id: string) => corridor.has(id), priority: 1 },
          ...GROUPS,
        ],
      },
      minify: { compress: true, mangle: false, codegen: false },
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

/** Puts into `corridor` every file that its rooms import, and nothing that they load only when asked. */
function corridorOf(dist: string, corridor: Set<string>): Plugin {
  return {
    name: "corridor",
    buildEnd() {
      for (const entry of CORRIDOR) walk(this, join(dist, entry), corridor)
    },
  }
}

function walk(context: PluginContext, id: string, seen: Set<string>) {
  if (seen.has(id)) return
  seen.add(id)
  for (const next of context.getModuleInfo(id)?.importedIds ?? []) walk(context, next, seen)
}

/** Node makes a module of everything a built-in one has for whoever imports it, which loads `fetch` with
 *  `node:http`: as much again as a bare start. Who asks for the object gets only that. */
const quickBuiltins: Plugin = {
  name: "quick-builtins",
  renderChunk: (code) => code.replace(IMPORT, quickImport),
}

const IMPORT = /^import (?:([\w$]+)(?:, )?)?(?:\* as ([\w$]+)|\{([^}]*)\})? ?from "([^"]+)";$/gm

function quickImport(
  statement: string,
  whole: string | undefined,
  all: string | undefined,
  names: string | undefined,
  id: string,
): string {
  if (!isBuiltin(id)) return statement
  const module = `process.getBuiltinModule(${JSON.stringify(id)})`
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
