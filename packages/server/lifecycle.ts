import type { StreamEvent } from "compositor-core/message/row"
import type { Store } from "compositor-engine/store/store"

const TYPES: ReadonlySet<string> = new Set(["turn-started", "turn-finished", "approval-requested"])
/** So far back a session is read that is heard of for the first time. */
const LOOK_BACK = 64
const PAGE = 500

/** What happens to turns of any session, for one listener, from now on (EVT-002). Volatile: who was
 *  away has missed it. */
export class Lifecycle {
  readonly #store: Pick<Store, "head" | "events">
  readonly #since = Date.now()
  readonly #next = new Map<string, number>()

  constructor(store: Pick<Store, "head" | "events">) {
    this.#store = store
  }

  /** What is new in a session that changed. */
  async news(session_id: string): Promise<StreamEvent[]> {
    const { first_seq, next_seq } = await this.#store.head(session_id)
    const from = this.#next.get(session_id) ?? Math.max(first_seq, next_seq - LOOK_BACK)
    this.#next.set(session_id, next_seq)
    if (from >= next_seq) return []
    const events = await this.#store.events(session_id, from, PAGE)
    return events.filter((event) => this.#isNews(event))
  }

  #isNews({ type, value }: StreamEvent): boolean {
    return TYPES.has(type) && Number(value?.at ?? 0) >= this.#since
  }
}
