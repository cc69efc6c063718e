import type { Earlier } from "../lower/unchanged-files.ts"
import type { Demotions, PlannedMedia } from "../lower/plan.ts"
import type { Provider } from "../providers/provider.ts"
import { WireHistory } from "../providers/wire-history.ts"
import type { RawMessage } from "../store/store.ts"
import type { LoweredMessage } from "./lower-message.ts"

/** Wire bytes of hot sessions that are kept in memory; what falls out is lowered again. */
const MAX_HOT_BYTES = 128 * 1024 * 1024

/** What was lowered of one session for one model. */
export interface Hot {
  readonly key: string
  /** All turns that are over. */
  wire: WireHistory
  /** What the message of the running turn set off so far, that message first. */
  open: { readonly message: RawMessage; readonly lowered: LoweredMessage }[]
  /** The message whose turn that is. */
  turn_of: string | undefined
  last_seq: number
  media: PlannedMedia[]
  /** Media that made room for others; it only grows. */
  demoted: Demotions
  shown: ReadonlyMap<string, Earlier>
}

const NONE: Demotions = new Set()

/** Nothing lowered yet, but for what is known to make room. */
export function coldStart(key: string, provider: Provider, demoted: Demotions = NONE): Hot {
  return {
    key,
    wire: new WireHistory(provider),
    open: [],
    turn_of: undefined,
    last_seq: -1,
    media: [],
    demoted,
    shown: new Map(),
  }
}

/** The sessions whose bytes are kept, those used last at the end. */
export class HotSessions {
  readonly #hot = new Map<string, { readonly hot: Hot; readonly bytes: number }>()
  #bytes = 0

  get(session_id: string, key: string): Hot | undefined {
    const held = this.#hot.get(session_id)?.hot
    return held?.key === key ? held : undefined
  }

  put(session_id: string, hot: Hot) {
    this.forget(session_id)
    const { bytes } = hot.wire
    this.#hot.set(session_id, { hot, bytes })
    this.#bytes += bytes
    for (const id of this.#hot.keys()) {
      if (this.#bytes <= MAX_HOT_BYTES || this.#hot.size === 1) return
      this.forget(id)
    }
  }

  forget(session_id: string) {
    this.#bytes -= this.#hot.get(session_id)?.bytes ?? 0
    this.#hot.delete(session_id)
  }
}
