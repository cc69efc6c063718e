import { definitionOf, openPart, PARTS } from "compositor-core/parts/table"
import type { FileSettings } from "compositor-files/settings"
import { openJson } from "compositor-core/message/stored-json"
import type { Store } from "../store/store.ts"

type InlineLimits = Pick<FileSettings, "inline_bytes" | "session_inline_bytes">

type Rooms = Pick<Store, "carriedParts" | "queue">

/** So many sessions are remembered; the one not asked for longest goes first. */
const MAX_SESSIONS = 1000

interface Account {
  /** The last place of history that was counted. */
  last_seq: number
  /** What each part carries, by its id: a part counts once, wherever it was seen. */
  readonly parts: Map<string, number>
  bytes: number
}

/** Keeps count of the bytes that the parts of each session carry, so that no session carries more than
 *  it may (CMP-098). What does not fit lies in the blob store alone. */
export class InlineLedger {
  readonly #store: Rooms
  readonly #limits: InlineLimits
  readonly #accounts = new Map<string, Account>()

  constructor(store: Rooms, limits: InlineLimits) {
    this.#store = store
    this.#limits = limits
  }

  /** Whether a part may carry so many bytes; if so, they are taken. */
  async admits(session_id: string, part_id: string, size: number): Promise<boolean> {
    const { inline_bytes, session_inline_bytes } = this.#limits
    if (size > inline_bytes) return false
    const account = await this.#upToDate(session_id)
    if (account.bytes + size > session_inline_bytes) return false
    count(account, part_id, size)
    return true
  }

  async #upToDate(session_id: string): Promise<Account> {
    const account = this.#account(session_id)
    const after = account.last_seq < 0 ? undefined : account.last_seq
    for (const type of CARRYING) {
      const fired = await this.#store.carriedParts(session_id, type, after)
      for (const { id, data_json } of fired) count(account, id, carried(openJson(data_json)))
      account.last_seq = Math.max(account.last_seq, fired.at(-1)?.seq ?? -1)
    }
    for (const { parts } of await this.#store.queue(session_id))
      for (const { id, data } of parts) count(account, id, carried(data))
    return account
  }

  #account(session_id: string): Account {
    const account = this.#accounts.get(session_id) ?? { last_seq: -1, parts: new Map(), bytes: 0 }
    this.#accounts.delete(session_id)
    this.#accounts.set(session_id, account)
    for (const oldest of this.#accounts.keys()) {
      if (this.#accounts.size <= MAX_SESSIONS) break
      this.#accounts.delete(oldest)
    }
    return account
  }
}

function count(account: Account, part_id: string, size: number) {
  if (size === 0 || account.parts.has(part_id)) return
  account.parts.set(part_id, size)
  account.bytes += size
}

/** The types of parts that may carry bytes. */
const CARRYING = Object.values(PARTS)
  .filter(({ texts }) => Object.values(texts).some((origin) => origin.startsWith("base64 ")))
  .map(({ type }) => type)

function carried(data: Readonly<Record<string, unknown>>): number {
  const part = openPart({ ...data, type: String(data.type) })
  const [request] = definitionOf(part).load(part)
  return request?.from === "part" ? Math.floor((request.data.length * 3) / 4) : 0
}
