import { createHash } from "node:crypto"
import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"

const MAX_RESOURCES = 200
const MAX_PACKAGE_FILES = 1000
const MAX_PACKAGE_BYTES = 32 * 1024 * 1024
const MAX_PACKAGE_DEPTH = 8

/** The files of a skill's package beside its head, relative to its folder. They are listed and not
 *  read: the model asks for what it needs. */
export async function resourcesOf(folder: string): Promise<string[]> {
  const resources: string[] = []
  for await (const { relative, type } of entriesOf(folder)) {
    if (type === "file" && !IS_HEAD.test(relative) && !NOT_LISTED.test(relative))
      resources.push(relative)
    if (resources.length >= MAX_RESOURCES) break
  }
  return resources
}

const IS_HEAD = /^skill\.md$/i
const NOT_LISTED = /(?:^|\/)(?:\.|node_modules\/|__pycache__\/)/

/** One digest of everything in the package, so that a script that changed asks for trust again;
 *  `undefined` when it holds more than is ever looked through, or what no digest can hold. */
export async function packageDigest(folder: string): Promise<string | undefined> {
  const lines: string[] = []
  let bytes = 0
  for await (const { relative, path, type } of entriesOf(folder)) {
    const file = type === "file" ? await stat(path).catch(() => undefined) : undefined
    bytes += file?.size ?? 0
    const fits = lines.length < MAX_PACKAGE_FILES && bytes <= MAX_PACKAGE_BYTES
    if (!file?.isFile() || !fits) return undefined
    const content = createHash("sha256").update(await readFile(path))
    lines.push(`${JSON.stringify(relative)} ${content.digest("hex")}`)
  }
  return `sha256:${createHash("sha256").update(lines.join("\n")).digest("hex")}`
}

interface PackageEntry {
  readonly relative: string
  readonly path: string
  /** A file, or a link to what should be one; otherwise something that is not looked into. */
  readonly type: "file" | "closed"
}

async function* entriesOf(folder: string, prefix = "", depth = 1): AsyncGenerator<PackageEntry> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true }).catch(() => [])
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const relative = prefix + entry.name
    const path = join(folder, relative)
    if (entry.isFile() || entry.isSymbolicLink()) yield { relative, path, type: "file" }
    else if (entry.isDirectory() && depth < MAX_PACKAGE_DEPTH)
      yield* entriesOf(folder, `${relative}/`, depth + 1)
    else yield { relative, path, type: "closed" }
  }
}
