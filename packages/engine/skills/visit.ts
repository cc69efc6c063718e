import { readdir } from "node:fs/promises"
import { isAbsolute, relative, sep } from "node:path"
import type { Project, TextFiles } from "./files.ts"
import type { UserEnvironment } from "./places.ts"
import type { Trust } from "./trust.ts"

export interface DiscoverOptions {
  readonly cwd: string
  readonly environment: UserEnvironment
  /** Who says which files of the project may be used; the user's own always may. */
  readonly trust: Trust
  /** The folder of skills that come with the host. */
  readonly bundled?: string | undefined
  /** Further folders of skills, from the user's settings. */
  readonly skillPaths?: readonly string[] | undefined
  /** Folders of skills that came from an address: nothing in them runs a command by being typed. */
  readonly remoteSkills?: readonly string[] | undefined
  /** Kept between discoveries, so that only what changed is read again. */
  readonly files?: TextFiles | undefined
}

/** A discovery under way. */
export interface Visit extends DiscoverOptions {
  readonly files: TextFiles
  readonly project: Project
  /** The project's root, links followed. */
  readonly realRoot: string
  readonly isAbsent: IsAbsent
}

/** True of a path that is not there, without looking; false of one that may be. */
export type IsAbsent = (path: string) => boolean

/** One look at the folders above tells of most places that they are not there. */
export async function absentIn(folders: readonly string[]): Promise<IsAbsent> {
  const looks = folders.map(async (folder) => {
    const names = await readdir(folder).catch(namesUnknown)
    return names && { above: folder.endsWith(sep) ? folder : folder + sep, names: new Set(names) }
  })
  const seen = (await Promise.all(looks)).filter((look) => look !== undefined)
  return (path) =>
    seen.some(({ above, names }) => {
      const name = path.startsWith(above) ? path.slice(above.length).split(sep, 1)[0] : undefined
      return name !== undefined && !names.has(name)
    })
}

// A folder that may not be listed may hold what can be opened.
function namesUnknown({ code }: NodeJS.ErrnoException): string[] | undefined {
  return code === "ENOENT" ? [] : undefined
}

export function isInside(root: string, path: string): boolean {
  const between = relative(root, path)
  return between !== ".." && !between.startsWith(`..${sep}`) && !isAbsolute(between)
}
