import type { PrincipalReads } from "../store/principal-records.ts"

export interface OwnerStore {
  owners(ids: readonly string[]): Promise<ReturnType<PrincipalReads["owners"]>>
  ownContent(principal: string, content_ids: readonly string[]): Promise<string[]>
}

const MAX_KNOWN = 100_000

/** Whose each session is. That never changes, so it is asked once; a session that is gone is still
 *  known for whose it was. */
export class Owners {
  readonly #store: OwnerStore
  readonly #known = new Map<string, string | null>()

  constructor(store: OwnerStore) {
    this.#store = store
  }

  /** The principal, null for the operator; undefined where there is no such session. */
  async of(session_id: string): Promise<string | null | undefined> {
    if (this.#known.has(session_id)) return this.#known.get(session_id)
    const [found] = await this.#store.owners([session_id])
    if (found) this.#keep(session_id, found.principal)
    return found?.principal
  }

  /** Whose sessions these ids are, or stand in; one that is nowhere is not in the answer. */
  async ofAll(ids: readonly string[]): Promise<Map<string, string | null>> {
    const owners = new Map<string, string | null>()
    const unknown: string[] = []
    for (const id of ids) {
      const known = this.#known.get(id)
      if (known === undefined) unknown.push(id)
      else owners.set(id, known)
    }
    const found = unknown.length === 0 ? [] : await this.#store.owners(unknown)
    for (const { id, principal } of found) {
      owners.set(id, principal)
      if (id.startsWith("ses_")) this.#keep(id, principal)
    }
    return owners
  }

  /** Those of these contents that a principal uploaded, or that a session of its carries. */
  async contents(principal: string, content_ids: readonly string[]): Promise<Set<string>> {
    if (content_ids.length === 0) return new Set()
    return new Set(await this.#store.ownContent(principal, content_ids))
  }

  #keep(session_id: string, principal: string | null) {
    this.#known.set(session_id, principal)
    if (this.#known.size <= MAX_KNOWN) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
  }
}
