import { stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"

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
