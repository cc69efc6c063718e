import { randomBytes } from "node:crypto"
import { basename } from "node:path"
import { openWithin, type RefusedPath } from "../disk/within.ts"

/** A folder that a person gave to one session, by a gesture that only a person makes (CMPH-002). */
interface Scope {
  readonly id: string
  /** Shown, and never asked who may do what. */
  readonly name: string
}

interface Grant extends Scope {
  readonly root: string
  readonly device: number
  readonly inode: number
}

const MAX_SCOPES = 100
const ID_BYTES = 18

/** The folders that sessions were given. They live with the host and nowhere else: a part that names
 *  one, copied or replayed, brings nothing back (CMPH-006). */
export class Scopes {
  readonly #grants = new Map<string, Map<string, Grant>>()

  /** Give a session a folder, to read. Only a trusted gesture may lead here. */
  async mint(session_id: string, folder: string, name?: string): Promise<Scope | RefusedPath> {
    const opened = await openWithin(folder, ".", "folder")
    if (opened.type === "refused") return opened
    const { handle, stats, realPath } = opened
    await handle.close()
    const grants = this.#grants.get(session_id) ?? new Map<string, Grant>()
    if (grants.size >= MAX_SCOPES)
      return refuse(`the session has ${MAX_SCOPES} folders already: take one back first`)
    const id = `dir_${randomBytes(ID_BYTES).toString("base64url").replace(/[-_]/g, "x")}`
    const shown = name ?? (basename(realPath) || "/")
    grants.set(id, { id, name: shown, root: realPath, device: stats.dev, inode: stats.ino })
    this.#grants.set(session_id, grants)
    return { id, name: shown }
  }

  /** Where the folder lies, if it is still the one that was given; undefined otherwise. */
  async resolve(session_id: string, id: string): Promise<string | undefined> {
    const grant = this.#grants.get(session_id)?.get(id)
    if (!grant) return undefined
    const opened = await openWithin(grant.root, ".", "folder")
    if (opened.type === "refused") return undefined
    await opened.handle.close()
    const { dev, ino } = opened.stats
    const same = dev === grant.device && ino === grant.inode && opened.realPath === grant.root
    return same ? grant.root : undefined
  }

  list(session_id: string): readonly Scope[] {
    const grants = this.#grants.get(session_id)?.values() ?? []
    return [...grants].map(({ id, name }) => ({ id, name }))
  }

  /** Take one folder back, or all of a session's. */
  revoke(session_id: string, id?: string): void {
    if (id === undefined) this.#grants.delete(session_id)
    else this.#grants.get(session_id)?.delete(id)
  }
}

const SCOPED = /^(dir_[A-Za-z0-9]+)(?:\/(.*))?$/s

/** The two halves of `dir_…/path`; undefined for any other path. */
export function scopedPath(text: string): { id: string; path: string } | undefined {
  const [, id, path = ""] = SCOPED.exec(text) ?? []
  return id === undefined ? undefined : { id, path: path === "" ? "." : path }
}

function refuse(reason: string): RefusedPath {
  return { type: "refused", outcome: "denied", reason }
}
