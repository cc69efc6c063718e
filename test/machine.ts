// What the machine has beyond npm's packages. A suite that needs some of it asks here and is skipped
// where it is missing: `describe.skipIf(missing("chromium"))`. `npm test` looks for these very words,
// so that it installs what the suites it is about to run ask for, and nothing else.

import { accessSync, constants, existsSync, readdirSync } from "node:fs"
import { delimiter, join } from "node:path"

export const DEBIAN_PACKAGES = ["chromium", "postgresql", "bubblewrap", "tmux"] as const
export type DebianPackage = (typeof DEBIAN_PACKAGES)[number]

const FINDERS: Readonly<Record<DebianPackage, () => string | undefined>> = {
  chromium: () => inPath("chromium") ?? inPath("chromium-browser") ?? inPath("google-chrome"),
  postgresql: () => postgresTool("initdb"),
  bubblewrap: () => inPath("bwrap"),
  tmux: () => inPath("tmux"),
}

/** Is it absent from this machine, or named in `COMPOSITOR_MISSING`? */
export function missing(name: DebianPackage): boolean {
  const declared = process.env["COMPOSITOR_MISSING"]?.split(" ") ?? []
  return declared.includes(name) || FINDERS[name]() === undefined
}

/** The Chromium that browser suites drive. */
export function chromiumPath(): string {
  return pathOf("chromium")
}

/** The program of this package that is looked for: the browser, `initdb`, `bwrap`. */
export function pathOf(name: DebianPackage): string {
  const path = FINDERS[name]()
  if (path === undefined) throw new Error(`There is no ${name} on this machine.`)
  return path
}

/** The path of a program, or `undefined` where PATH does not lead to it. */
export function inPath(program: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter)
  return folders.map((folder) => join(folder, program)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function postgresTool(tool: string): string | undefined {
  const root = "/usr/lib/postgresql"
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => join(root, version, "bin", tool)).find(isExecutable)
}
