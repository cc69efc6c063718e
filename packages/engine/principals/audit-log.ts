import type { AuditEntry } from "compositor-core/message/principal"
import type { AuditFilter, StoredAuditEntry } from "../store/principal-records.ts"

interface AuditStore {
  audit(filter: AuditFilter): Promise<StoredAuditEntry[]>
  recordAudit(input: { readonly entries: readonly AuditEntry[] }): Promise<null>
  sweepAudit(input: { readonly before: number; readonly max_entries: number }): Promise<null>
}

const FLUSH_MS = 250
const FLUSH_ENTRIES = 500
/** So many wait at most when the store takes none: then the oldest of them go. */
const MAX_WAITING = 10_000
const KEPT_MS = 90 * 24 * 60 * 60 * 1000
const MAX_ENTRIES = 1_000_000

/** Who asked for what. Entries of a moment are written together, behind the answers they tell of: a
 *  process that dies takes those of the last quarter of a second with it. */
export class AuditLog {
  readonly #store: AuditStore
  readonly #log: (message: string) => void
  #waiting: AuditEntry[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(store: AuditStore, log: (message: string) => void = () => undefined) {
    this.#store = store
    this.#log = log
  }

  add(entry: AuditEntry) {
    this.#waiting.push(entry)
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()
    if (this.#waiting.length >= FLUSH_ENTRIES) void this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  /** All that was added so far is on disk, or the log says why not. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  /** The newest first, with all that was added so far. */
  async list(filter: AuditFilter): Promise<StoredAuditEntry[]> {
    await this.flush()
    return this.#store.audit(filter)
  }

  async sweep() {
    await this.#store.sweepAudit({ before: Date.now() - KEPT_MS, max_entries: MAX_ENTRIES })
  }

  async #write() {
    const entries = this.#waiting.splice(0)
    if (entries.length === 0) return
    await this.#store.recordAudit({ entries }).catch((error: unknown) => {
      this.#waiting = [...entries, ...this.#waiting].slice(-MAX_WAITING)
      this.#log(`${entries.length} entries of the audit could not be written: ${String(error)}`)
    })
  }
}
