import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { MAX_FILE_BYTES } from "compositor-core/catalog/limits"
import { readWorkspaceFile } from "compositor-files/workspace/workspace"

export type SkillTextFile =
  | {
      readonly type: "text"
      readonly text: string
      readonly digest: string
      /** What was opened, as the kernel names it. */
      readonly realPath: string
    }
  | { readonly type: "refused"; readonly reason: string }

/** Files that are gone are remembered too; past this many, all are forgotten. */
const MAX_KNOWN = 8192

/** Small text files, read again only when they changed. */
export class TextFiles {
  readonly #known = new Map<string, { readonly state: string; readonly file: SkillTextFile }>()

  /** `root` is the folder that what is opened must lie in, links followed; null for the user's own
   *  files, which may lie anywhere. */
  async read(path: string, root: string | null): Promise<SkillTextFile> {
    const state = await stateOf(path)
    const known = this.#known.get(path)
    if (known && state !== undefined && known.state === state) return known.file
    const file = await readText(path, root)
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    if (state !== undefined) this.#known.set(path, { state, file })
    return file
  }
}

async function stateOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
}

async function readText(path: string, root: string | null): Promise<SkillTextFile> {
  const read = await readWorkspaceFile(root ?? "/", path, { maxBytes: MAX_FILE_BYTES })
  if (read.type === "refused") return { type: "refused", reason: read.reason }
  if (read.type === "too-large")
    return { type: "refused", reason: `it is larger than ${MAX_FILE_BYTES} bytes` }
  const { bytes, realPath } = read
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    return { type: "text", text, digest: digestOf(bytes), realPath }
  } catch {
    return { type: "refused", reason: "it is no UTF-8 text" }
  }
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`
}

export interface Folder {
  readonly folder: string
  /** Another folder of the same path has another one. */
  readonly id: string
}

/** The nearest folder that is there, at or above a path. */
export async function nearestFolder(path: string): Promise<Folder> {
  for (let folder = path; ; folder = dirname(folder)) {
    const found = await stat(folder, { bigint: true }).catch(() => undefined)
    // The number alone would not do: a file system gives it to the next that asks.
    if (found?.isDirectory())
      return { folder, id: `${found.dev} ${found.ino} ${found.birthtimeNs}` }
    if (dirname(folder) === folder) return { folder, id: "" }
  }
}

export interface Project {
  /** The repository's root; without a repository the working directory. */
  readonly root: string
  /** From the working directory up to the root: the nearest comes first. */
  readonly levels: readonly string[]
}

const MAX_LEVELS = 64

/** The folders whose files belong to the project. The user's home is none of them: what lies there
 *  is the user's, even when the home is a repository. */
export async function projectOf(cwd: string, home: string): Promise<Project> {
  const start = resolve(cwd)
  const folders: string[] = []
  for (let folder = start; folders.length < MAX_LEVELS; folder = dirname(folder)) {
    folders.push(folder)
    if (await exists(join(folder, ".git"))) return project(folder, folders, home)
    if (dirname(folder) === folder) break
  }
  return project(start, [start], home)
}

function project(root: string, folders: readonly string[], home: string): Project {
  return { root, levels: folders.filter((folder) => folder !== resolve(home)) }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
