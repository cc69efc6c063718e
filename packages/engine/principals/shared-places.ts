import { realpath } from "node:fs/promises"
import { homedir } from "node:os"
import { isAbsolute, relative, resolve } from "node:path"
import { isWithin } from "compositor-files/disk/within"

/** Where the machine's user keeps what everybody's prompts read: commands, skills, agents, servers,
 *  notes. */
export interface SharedFolders {
  readonly home: string
  readonly folders: readonly string[]
}

interface Asked {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly settings: {
    readonly memory: { readonly user?: string | undefined }
    readonly skills: { readonly paths: readonly string[] }
  }
}

export function sharedFolders({ environment, settings }: Asked): SharedFolders {
  const { HOME = homedir(), XDG_CONFIG_HOME, CODEX_HOME } = environment
  const folders = [XDG_CONFIG_HOME, CODEX_HOME, settings.memory.user, ...settings.skills.paths]
  return {
    home: HOME,
    folders: folders
      .filter((folder) => folder !== undefined)
      .filter((folder) => isAbsolute(folder)),
  }
}

/** Whether who may write in a folder could write what others' prompts read: it holds the home or one
 *  of these places, or lies in one. In a home, whatever begins with a dot is such a place. */
export async function touches({ home, folders }: SharedFolders, path: string): Promise<boolean> {
  const own = await real(home)
  if (isWithin(path, own)) return true
  if (isWithin(own, path) && relative(own, path).startsWith(".")) return true
  const places = await Promise.all(folders.map(real))
  return places.some((place) => isWithin(path, place) || isWithin(place, path))
}

/** As the disk names it; one that is not there yet, as it will be. */
function real(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}
