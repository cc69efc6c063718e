// The command line in few files: a start reads a dozen instead of eight hundred. What a bundled file says
// of its own place is still true, so that workers, skills and the page are found where they lie.

import { spawnSync } from "node:child_process"
import fs from "node:fs"
import { isBuiltin } from "node:module"
import { join, relative } from "node:path"
import process from "node:process"

/** Packages that are read by every command. The others stay where they are. */
const BUNDLED = ["commander", "hono", "zod", "yaml", "@hono/node-server"]

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
  await build({
    input: { main: join(dist, "cli", "main.js") },
    platform: "node",
    // A folder that is packed elsewhere has no packages of its own yet.
    resolve: { modules: [join(import.meta.dirname, "..", "node_modules")] },
    logLevel: "warn",
    external: (id: string) => isExternal(id),
    plugins: [
      { name: "own-place", transform: (code: string, id: string) => placed(code, dist, id) },
    ],
    output: {
      dir: out,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      strictExecutionOrder: true,
      codeSplitting: { groups: GROUPS },
      minify: { compress: true, mangle: false, codegen: false },
    },
  })
  writeHelp(dist)
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

function isExternal(id: string): boolean {
  if (isBuiltin(id)) return true
  if (id.startsWith(".") || id.startsWith("/")) return false
  return !BUNDLED.some((name) => id === name || id.startsWith(`${name}/`))
}

function placed(code: string, dist: string, id: string): string | null {
  if (!id.startsWith(dist) || !code.includes("import.meta.url")) return null
  const place = `../${relative(dist, id)}`
  return code.replaceAll(
    "import.meta.url",
    `new URL(${JSON.stringify(place)}, import.meta.url).href`,
  )
}
