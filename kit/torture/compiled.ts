import { mkdtempSync, rmSync } from "node:fs"
import { flushCompileCache } from "node:module"
import { join } from "node:path"
import process from "node:process"
import { FAST_FOLDER } from "./fast-folder.ts"

let cache: string | undefined

/** The environment of a process that is started again and again: what its sources compile to is kept, so
 *  that it is done once. */
export function compiledEnvironment(): NodeJS.ProcessEnv {
  cache ??= newCache()
  return { ...process.env, NODE_COMPILE_CACHE: cache }
}

function newCache(): string {
  const made = mkdtempSync(join(FAST_FOLDER, "compositor-compiled-"))
  process.on("exit", () => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A process that will be killed does not come to write its part at the end. */
export function keepCompiled() {
  flushCompileCache()
}
