import type { PrincipalReads } from "../store/principal-records.ts"

interface OwnerStore {
  owners(ids: readonly string[]): Promise<ReturnType<PrincipalReads["owners"]>>
  ownContent(principal: string, content_ids: readonly string[]): Promise<string[]>
}

const MAX_KNOWN = 100_000

/** Whose each session is. The store is asked every time; what it said is remembered only for sessions
 *  that are gone by now, so that whoever had one hears that it went. */
export class Owners {
  readonly #store: OwnerStore
  readonly #known = new Map<string, string | null>()

  constructor(store: OwnerStore) {
    this.#store = store
  }

  /** The principal, null for the operator; undefined where there never was such a session. */
  async of(session_id: string): Promise<string | null | undefined> {
    const owners = await this.ofAll([session_id])
    return owners.has(session_id) ? owners.get(session_id) : this.#known.get(session_id)
  }

  /** Whose sessions these ids are, or stand in; one that is nowhere is not in the answer. */
  async ofAll(ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    const found = ids.length === 0 ? [] : await this.#store.owners(ids)
    for (const { id, principal } of found) if (id.startsWith("ses_")) this.#keep(id, principal)
    return new Map(found.map(({ id, principal }) => [id, principal]))
  }

  /** Those of these contents that a principal uploaded, or that a session of its carries. */
  async contents(principal: string, content_ids: readonly string[]): Promise<ReadonlySet<string>> {
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
