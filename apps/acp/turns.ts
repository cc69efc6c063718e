import { RequestError, type StopReason } from "@agentclientprotocol/sdk"
import type { MessageRow, Turn } from "compositor-core/message/row"

const REMEMBERED = 1000

/** Who waits for which turn. A turn may end before the sender hears that it began: what ended lately is
 *  remembered. */
export class Turns {
  readonly #waiting = new Map<string, PromiseWithResolvers<StopReason>>()
  readonly #over = new Map<string, Turn>()
  readonly #known = new Set<string>()
  readonly #finish = new Map<string, string>()
  #current: string | undefined

  /** Why the turn of this message stopped, once it did. Rejects where it failed. */
  expect(message_id: string): Promise<StopReason> {
    remember(this.#known, message_id)
    const over = this.#over.get(message_id)
    const waiting = Promise.withResolvers<StopReason>()
    this.#waiting.set(message_id, waiting)
    if (over) this.#settle(over)
    return waiting.promise
  }

  /** Whether the editor has heard of this message: it sent it, or it was told. From now on it has. */
  isKnown(message_id: string): boolean {
    const known = this.#known.has(message_id)
    remember(this.#known, message_id)
    return known
  }

  /** Whether nothing was heard of this turn before. */
  isNew({ id }: Turn): boolean {
    const isNew = id !== this.#current
    this.#current = id
    return isNew
  }

  /** How an answer ended, which says why its turn did. */
  finished({ metadata }: MessageRow) {
    const { turn_id, finish } = metadata
    if (typeof turn_id === "string" && typeof finish === "string") {
      this.#finish.clear()
      this.#finish.set(turn_id, finish)
    }
  }

  ended(turn: Turn) {
    this.#over.set(turn.message_id, turn)
    const [oldest] = this.#over.keys()
    if (this.#over.size > REMEMBERED && oldest !== undefined) this.#over.delete(oldest)
    this.#settle(turn)
  }

  cancelled(message_id: string) {
    this.#waiting.get(message_id)?.resolve("cancelled")
  }

  forget(message_id: string) {
    this.#waiting.delete(message_id)
  }

  fail(error: Error) {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #settle(turn: Turn) {
    const waiting = this.#waiting.get(turn.message_id)
    if (!waiting) return
    if (turn.state === "error") {
      const { code, message } = turn.error ?? { code: "failed", message: "the turn failed" }
      waiting.reject(RequestError.internalError({ code }, message))
    } else waiting.resolve(stopReason(turn, this.#finish.get(turn.id)))
  }
}

const REASONS: Readonly<Record<string, StopReason>> = {
  length: "max_tokens",
  refusal: "refusal",
  "content-filter": "refusal",
}

function stopReason({ state }: Turn, finish: string | undefined): StopReason {
  if (state !== "finished") return "cancelled"
  return REASONS[finish ?? ""] ?? "end_turn"
}

function remember(set: Set<string>, id: string) {
  set.add(id)
  const [oldest] = set
  if (set.size > REMEMBERED && oldest !== undefined) set.delete(oldest)
}
