// Runs one of our scripts on a Node that can read it, after installing whatever the lock file names
// and is not there yet. This file and install.mjs are plain JavaScript, because any Node from 18 on
// must be able to start here:  node scripts/up.mjs <script> [arguments]

import { spawn } from "node:child_process"
import module from "node:module"
import { constants } from "node:os"
import { delimiter, join, resolve } from "node:path"
import process from "node:process"
import { pathToFileURL } from "node:url"
import { ensureInstalled, findNode, root } from "./install.mjs"

const [script, ...args] = process.argv.slice(2)
if (!script) throw new Error("up.mjs was called without the script to run.")
const path = resolve(root, script)
const node = await ensureInstalled().then(findNode).catch(giveUp)
process.env.PATH = join(root, "node_modules", ".bin") + delimiter + (process.env.PATH ?? "")
if (node === process.execPath) await runHere()
else runOn(node)

function giveUp(error) {
  if (error.exitCode === undefined) throw error
  console.error(error.message)
  process.exit(error.exitCode)
}

// The script finds itself in argv[1], as it would had it been started directly.
async function runHere() {
  process.argv = [process.execPath, path, ...args]
  module.enableCompileCache?.(join(root, "node_modules", ".cache", "compile"))
  await import(pathToFileURL(path).href)
}

function runOn(node) {
  const child = spawn(node, [path, ...args], { stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal))
  }
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}
