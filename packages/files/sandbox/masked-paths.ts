import { readdir } from "node:fs/promises"
import type { FolderView } from "../finder/view.ts"
import { isGuardedName } from "./guarded-paths.ts"

export interface MaskedPath {
  readonly path: string
  readonly is_folder: boolean
}

export interface PathSearch {
  readonly root: string
  /** What may be hidden; undefined where nothing is. */
  readonly view: FolderView | undefined
  /** Whether the deny rules name a path. */
  readonly isDenied: (path: string) => boolean | Promise<boolean>
  readonly signal?: AbortSignal
}

export interface FoundPaths {
  readonly masked: readonly MaskedPath[]
  /** Below the top, and outside what is masked: what other programs obey (`isGuardedName`). */
  readonly guarded: readonly string[]
}

const MAX_FOLDERS = 200_000
const MAX_MASKED = 500
const AT_ONCE = 16

/** What of a workspace no command may see, and what none may change. Folders that are ignored are
 *  looked into as well: secrets are kept there. What is only ignored is shown, because a build needs
 *  it. Undefined where there is too much to look at. */
export async function searchPaths(search: PathSearch): Promise<FoundPaths | undefined> {
  const { root, view, signal } = search
  const masked: MaskedPath[] = []
  const guarded: string[] = []
  const waiting: Folder[] = [{ path: root, view }]
  for (let count = 0; waiting.length > 0; ) {
    signal?.throwIfAborted()
    if (count >= MAX_FOLDERS || masked.length > MAX_MASKED || guarded.length > MAX_MASKED)
      return undefined
    const some = waiting.splice(-AT_ONCE)
    count += some.length
    for (const found of await Promise.all(some.map((folder) => look(folder, search)))) {
      masked.push(...found.masked)
      guarded.push(...found.guarded)
      waiting.push(...found.folders)
    }
  }
  return { masked, guarded }
}

interface Folder {
  readonly path: string
  readonly view: FolderView | undefined
}

const HISTORIES: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".jj"])

async function look({ path: folder, view: given }: Folder, { root, isDenied }: PathSearch) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const rules = entries.map(({ name }) => name).filter((name) => given?.isRule(name))
  const view = rules.length > 0 ? given?.with(rules) : given
  const masked: MaskedPath[] = []
  const guarded: string[] = []
  const folders: Folder[] = []
  for (const entry of entries) {
    const { name } = entry
    const path = `${folder}/${name}`
    const is_folder = entry.isDirectory()
    const isHidden = view?.hides(name, is_folder) ?? false
    // A link is left: what it leads to is masked where it lies.
    if (isHidden && !entry.isSymbolicLink() && (await isDenied(is_folder ? `${path}/x` : path))) {
      masked.push({ path, is_folder })
      continue
    }
    if (folder !== root && isGuardedName(name)) guarded.push(path)
    if (is_folder && !HISTORIES.has(name)) folders.push({ path, view: view?.enter(name) })
  }
  return { masked, guarded, folders }
}
