import type { Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { relative, sep } from "node:path"
import type { FolderView } from "../finder/view.ts"
import {
  describeError,
  refuseAsFailed,
  openWithin,
  pathThrough,
  type RefusedPath,
} from "../disk/within.ts"

interface WalkOptions {
  readonly root: string
  /** Where to begin, from the root: "" or "src". */
  readonly folder: string
  /** What is not shown. */
  readonly view?: FolderView | undefined
  readonly signal?: AbortSignal | undefined
  readonly max_files: number
}

export interface Walked {
  /** From the root, with slashes. The entries of a folder come in the order of their names, and then
   *  what lies in its folders. */
  readonly path: string
  readonly is_folder: boolean
}

const MAX_FOLDERS = 200_000
const MAX_DEPTH = 128

/** What lies under a folder. No link is followed, and every folder is asked where it lies once it is
 *  open, so that nothing outside is ever listed. The refusal is about the first folder alone. */
export async function* walkFolder(options: WalkOptions): AsyncGenerator<Walked | RefusedPath> {
  const { max_files, signal } = options
  const waiting: Folder[] = [{ path: options.folder, depth: 0, view: await startView(options) }]
  let files = 0
  let folder = waiting.pop()
  for (let count = 0; folder && count < MAX_FOLDERS; count++, folder = waiting.pop()) {
    signal?.throwIfAborted()
    const listed = await entriesOf(options.root, folder)
    if ("type" in listed) {
      if (count === 0) yield listed
      continue
    }
    const deeper: Folder[] = []
    for (const { name, is_folder } of listed.entries) {
      const path = listed.path === "" ? name : `${listed.path}/${name}`
      yield { path, is_folder }
      files += 1
      if (files >= max_files) return
      if (is_folder && folder.depth < MAX_DEPTH)
        deeper.push({ path, depth: folder.depth + 1, view: listed.view?.enter(name) })
    }
    waiting.push(...deeper.toReversed())
  }
}

interface Folder {
  readonly path: string
  readonly depth: number
  readonly view: FolderView | undefined
}

/** The view of the folder where it begins: the folders above have ignore files too. */
async function startView({ root, folder, view }: WalkOptions): Promise<FolderView | undefined> {
  const names = folder.split("/").filter((name) => name !== "" && name !== ".")
  let current = view
  for (const [at, name] of names.entries()) {
    const listed = await list(root, names.slice(0, at).join("/"))
    if ("type" in listed) return current
    current = withRules(current, listed.found)?.enter(name)
  }
  return current
}

interface Listed {
  readonly path: string
  readonly entries: readonly { readonly name: string; readonly is_folder: boolean }[]
  readonly view: FolderView | undefined
}

async function entriesOf(root: string, folder: Folder): Promise<Listed | RefusedPath> {
  const listed = await list(root, folder.path)
  if ("type" in listed) return listed
  const view = withRules(folder.view, listed.found)
  const entries = listed.found
    .filter((entry) => view?.hides(entry.name, entry.isDirectory()) !== true)
    .filter((entry) => entry.isDirectory() || entry.isFile() || entry.isSymbolicLink())
    .map((entry) => ({ name: entry.name, is_folder: entry.isDirectory() }))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
  return { path: listed.path, entries, view }
}

async function list(
  root: string,
  folder: string,
): Promise<{ readonly path: string; readonly found: readonly Dirent[] } | RefusedPath> {
  const opened = await openWithin(root, folder === "" ? "." : folder, "folder")
  if (opened.type === "refused") return opened
  const { handle, realPath, realRoot } = opened
  try {
    const found = await readdir(await pathThrough(handle, realPath), { withFileTypes: true })
    return { path: relative(realRoot, realPath).split(sep).join("/"), found }
  } catch (error) {
    return refuseAsFailed(`${folder} ${describeError(error)}`)
  } finally {
    await handle.close()
  }
}

function withRules(view: FolderView | undefined, found: readonly Dirent[]) {
  const rules = found.map(({ name }) => name).filter((name) => view?.isRule(name))
  return rules.length > 0 ? view?.with(rules) : view
}
