import assert from "node:assert/strict"
import type { Turn } from "../../packages/core/message/row.ts"
import type { Claim, Store } from "../../packages/engine/store/store.ts"
import { type Described, firing, type Live } from "./session-lists.ts"

/** The store's clock, which can be moved. */
export interface Clock {
  readonly now: () => number
  readonly tick: (hours: number) => void
}

/** The real store, which can be left and opened again. */
export interface Stage {
  readonly store: Store
  reopen(): Promise<void>
}

/** The store, and beside it what a person would know: everything is done to both. */
export interface World {
  readonly stage: Stage
  readonly clock: Clock
  readonly sessions: Described[]
  /** Where each summary says that its tail begins. */
  readonly tails: Map<string, string | null>
  readonly texts: Map<string, string>
  /** Turns that are over for whoever ran them. */
  readonly stale: Turn[]
}

/** Whether there was anything to do; a refusal that is due counts. */
export type Done = Promise<boolean>

/** What should fire now, and what the store says did. */
export function fired(world: World, session: Described, claim: Claim | null, busy = false) {
  const expected = busy ? undefined : firing(session, world.clock.now())
  assert.equal(claim?.turn.message_id, expected?.id)
  if (!claim || !expected) return
  session.queue = session.queue.filter((one) => one !== expected)
  session.said = [...session.said, expected.id]
  session.drain = "open"
  session.live = { turn: claim.turn, waiting: false }
}

export function over(world: World, session: Described, { turn }: Live) {
  world.stale.push(turn)
  session.live = null
}

export function newSession(id: string, said: readonly string[]): Described {
  return { id, said, left: [], queue: [], live: null, drain: "open" }
}
