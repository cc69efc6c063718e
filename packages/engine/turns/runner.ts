import type { Turn } from "compositor-core/message/row"
import { Refusal } from "compositor-core/message/refusal"
import type {
  AbandonedEdit,
  CallResolution,
  CallResolved,
  Claim,
  LiveTurn,
} from "../store/store.ts"
import { pastSpan, recallSpan, runInSpan } from "../telemetry/span.ts"
import { runTurn } from "./loop.ts"
import { isGone } from "./owner.ts"
import type { TurnDependencies } from "./turn-context.ts"

const LOOK_MS = 1000
const BEAT_MS = 3000
/** An owner that shows no sign of life for this long has lost its turn. */
const LEASE_MS = 15_000
const LOOKING_AT_ONCE = 8

interface RunnerOptions {
  readonly lease_ms?: number
  readonly log?: (message: string) => void
}

interface Running {
  readonly turn_id: string
  readonly stop: AbortController
  readonly done: Promise<void>
}

interface Seen {
  readonly beat: number
  readonly at: number
}

/** Runs the turns that this process claimed, one at a time for each session, and looks after those
 *  whose owners died. Every rule about who may run what is in the store; this only asks it. */
export class Runner {
  readonly #rooms: TurnDependencies
  readonly #lease_ms: number
  readonly #log: (message: string) => void
  readonly #running = new Map<string, Running>()
  readonly #seen = new Map<string, Seen>()
  /** Turns of this process that could not even be ended, and the fence they were run under. */
  readonly #left = new Map<string, number>()
  #timers: NodeJS.Timeout[] = []
  #unwatch: (() => void) | undefined
  #looking: Promise<void> | undefined
  #lookAgain = false
  #stopped = false

  constructor(rooms: TurnDependencies, options: RunnerOptions = {}) {
    this.#rooms = rooms
    this.#lease_ms = options.lease_ms ?? LEASE_MS
    this.#log = options.log ?? (() => undefined)
  }

  start() {
    this.#unwatch = this.#rooms.store.watch((streams) => {
      if (streams === undefined) this.look()
    })
    this.#timers = [
      setInterval(() => this.look(), LOOK_MS).unref(),
      setInterval(() => void this.#beat(), BEAT_MS).unref(),
    ]
    this.look()
  }

  /** Run a claim and whatever its session claims next. */
  take(claim: Claim) {
    const stop = new AbortController()
    const done = this.#drain(claim, stop)
    this.#running.set(claim.turn.session_id, { turn_id: claim.turn.id, stop, done })
  }

  /** Something may be claimable: a message was released, a drain restarted. */
  async wake(session_id: string) {
    if (this.#stopped || this.#running.has(session_id)) return
    const { store, owner } = this.#rooms
    const claim = await store.claim({ session_id, owner })
    if (claim) this.take(claim)
  }

  async abort(
    session_id: string,
    clear: boolean,
  ): Promise<{ turn: Turn | null; cancelled: string[] }> {
    const asked = await this.#rooms.store.requestAbort({ session_id, clear })
    const running = this.#running.get(session_id)
    // One that waited for a person is over already, and the queue goes on.
    if (asked.turn && asked.turn.ended_at !== null) await this.wake(session_id)
    if (!asked.turn || running?.turn_id !== asked.turn.id) return asked
    running.stop.abort()
    await running.done
    const turn = await this.#rooms.store.turn(asked.turn.id)
    return { ...asked, turn }
  }

  /** Settle a call that waits for a person, and go on with its turn when that was the last. */
  async resolve(resolution: Omit<CallResolution, "owner">): Promise<CallResolved> {
    const { owner, store } = this.#rooms
    const resolved = await store.resolveCall({ ...resolution, owner })
    if (resolved.claim) this.take(resolved.claim)
    return resolved
  }

  /** The session is gone: what is still being answered in it may stop. */
  leave(session_id: string) {
    this.#running.get(session_id)?.stop.abort()
  }

  /** Wait until nothing runs here: what a command that sent one message does before it exits. */
  async idle() {
    while (this.#running.size > 0)
      await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  /** Stop without a word to the store: the turns that ran here are taken over by whoever comes. */
  async stop() {
    this.#stopped = true
    for (const timer of this.#timers) clearInterval(timer)
    this.#unwatch?.()
    await this.#looking
  }

  look() {
    if (this.#stopped) return
    if (this.#looking) {
      this.#lookAgain = true
      return
    }
    this.#looking = this.#lookOnce()
      .catch((error: unknown) => this.#log(`looking for work failed: ${String(error)}`))
      .finally(() => {
        this.#looking = undefined
        if (!this.#lookAgain) return
        this.#lookAgain = false
        this.look()
      })
  }

  async #lookOnce() {
    const live = await this.#rooms.store.liveTurns()
    const ids = new Set(live.map(({ turn }) => turn.id))
    for (const noted of [this.#seen, this.#left])
      for (const id of noted.keys()) if (!ids.has(id)) noted.delete(id)
    await severally(live, (one) => this.#lookAfter(one))
    await severally(await this.#rooms.store.abandonedEdits(), (edit) => this.#giveBack(edit))
    await severally(await this.#rooms.store.claimable(), (session_id) => this.wake(session_id))
  }

  /** Whoever edited it is gone: it waits again as it did, and holds nobody behind it (QUE-008). */
  async #giveBack({ session_id, message_id, paused }: AbandonedEdit) {
    const state = paused ? "paused" : "queued"
    try {
      await this.#rooms.store.changeQueued({ session_id, message_id, state })
    } catch (error) {
      // Somebody else was quicker: it fired, or was cancelled.
      if (!(error instanceof Refusal)) throw error
    }
  }

  async #lookAfter(live: LiveTurn) {
    const { turn, owner } = live
    const running = this.#running.get(turn.session_id)
    if (running?.turn_id === turn.id) {
      if (live.abort_requested) running.stop.abort()
      return
    }
    if (isWaiting(turn)) return this.#goOn(turn)
    if (!this.#isLost(live)) return
    this.#log(`turn ${turn.id} was left by ${owner}: taking over`)
    const { next } = await this.#rooms.store.interrupt({
      turn_id: turn.id,
      fence: turn.fence,
      beat: live.beat,
      owner: this.#rooms.owner,
      refire: true,
      resumes: (await this.#rooms.handler?.({ turn })) !== undefined,
    })
    if (next) this.take(next)
  }

  // A person settled the last call where no turns run.
  async #goOn(turn: Turn) {
    if (turn.waiting.length > 0 || this.#running.has(turn.session_id)) return
    const { owner, store } = this.#rooms
    const claim = await store.resumeTurn({ turn_id: turn.id, owner })
    if (claim) this.take(claim)
  }

  // The lease runs on this process's own clock, so that a wall clock that jumps takes nothing away.
  #isLost({ turn, owner, beat }: LiveTurn): boolean {
    if (isGone(owner) || this.#left.get(turn.id) === turn.fence) return true
    const now = performance.now()
    const seen = this.#seen.get(turn.id)
    if (seen?.beat === beat) return now - seen.at > this.#lease_ms
    this.#seen.set(turn.id, { beat, at: now })
    return false
  }

  async #beat() {
    if (this.#running.size === 0 || this.#stopped) return
    const { owner, store } = this.#rooms
    const running = [...this.#running.values()]
    const turn_ids = running.map(({ turn_id }) => turn_id)
    const heard = await store.beat({ owner, turn_ids }).catch(() => undefined)
    if (!heard) return
    // A turn that lives no more was taken over, or went with its session.
    for (const { turn_id, stop } of running)
      if (heard.abort.includes(turn_id) || !heard.live.includes(turn_id)) stop.abort()
  }

  async #drain(first: Claim, stop: AbortController) {
    // The caller must have put the turn on the list before anything can end it.
    await Promise.resolve()
    const { session_id } = first.turn
    let next: Claim | null = null
    try {
      next = await traced(first, () => runTurn(this.#rooms, first, stop.signal))
    } catch (error) {
      this.#rooms.history.forget(session_id)
      // A full disk, say: once there is room again the turn is taken up like one whose owner died.
      this.#left.set(first.turn.id, first.turn.fence)
      if (!this.#stopped) this.#log(`turn ${first.turn.id} could not be ended: ${String(error)}`)
    }
    this.#running.delete(session_id)
    if (next && !this.#stopped) this.take(next)
  }
}

/** A run belongs to whoever sent its message, however long that waited, and not to whoever ran before. */
function traced<Result>({ turn }: Claim, run: () => Promise<Result>): Promise<Result> {
  const about = { "session.id": turn.session_id, "turn.id": turn.id }
  const sent = recallSpan(turn.message_id)
  return runInSpan(
    "session.run",
    about,
    () => {
      if (sent) pastSpan("queue.wait", about, sent.at)
      return run()
    },
    { parent: sent?.context ?? null },
  )
}

function isWaiting({ state }: Turn): boolean {
  return state === "waiting_on_approval" || state === "waiting_on_user_input"
}

/** A few at a time: one that must wait for its session does not keep the others waiting. */
async function severally<T>(items: readonly T[], work: (item: T) => Promise<void>) {
  const left = items.values()
  const lane = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: LOOKING_AT_ONCE }, lane))
}
