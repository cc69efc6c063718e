import type { Store } from "compositor-engine/store/store"

/** Who tells of changes. Views of one store that are made for one reader each say whose they are, so
 *  that all readers share one watch. */
export type Watched = Pick<Store, "watch"> & { readonly of?: Pick<Store, "watch"> }

/** Who waits for which stream. One watch of the store serves all of them, so that a reader who only
 *  waits costs one entry of a map. */
class Waiting {
  readonly #bells = new Map<string, Set<ChangeNotifier>>()
  #unwatch: (() => void) | undefined

  add(store: Pick<Store, "watch">, stream_id: string, bell: ChangeNotifier) {
    this.#unwatch ??= store.watch((streams) => this.#tell(streams))
    const bells = this.#bells.get(stream_id)
    if (bells) bells.add(bell)
    else this.#bells.set(stream_id, new Set([bell]))
  }

  remove(stream_id: string, bell: ChangeNotifier) {
    const bells = this.#bells.get(stream_id)
    bells?.delete(bell)
    if (bells?.size === 0) this.#bells.delete(stream_id)
    if (this.#bells.size > 0) return
    this.#unwatch?.()
    this.#unwatch = undefined
  }

  dismiss() {
    for (const bells of this.#bells.values()) for (const bell of bells) bell.stop()
  }

  // Another process wrote: any stream may have changed.
  #tell(streams: ReadonlySet<string> | undefined) {
    for (const bell of this.#bells.get(ANY) ?? []) bell.hear(streams)
    for (const id of streams ?? [...this.#bells.keys()])
      if (id !== ANY) for (const bell of this.#bells.get(id) ?? []) bell.hear(streams)
  }
}

/** In the place of a stream: whatever changes. */
export const ANY = "*"

const waiting = new WeakMap<object, Waiting>()

/** Everyone who waits for a stream of this store is told to go, and to come again elsewhere. */
export function dismissReaders(store: Pick<Store, "watch">) {
  waiting.get(store)?.dismiss()
}

function waitingOn(store: Pick<Store, "watch">): Waiting {
  const known = waiting.get(store)
  if (known) return known
  const made = new Waiting()
  waiting.set(store, made)
  return made
}

/** Rings when a stream changed since it was last asked. */
export class ChangeNotifier {
  stopped = false
  readonly #store: Pick<Store, "watch">
  readonly #stream_ids: string[]
  #ringing = false
  #wake: ((rung: boolean) => void) | undefined
  readonly #listen: ((streams: ReadonlySet<string> | undefined) => void) | undefined

  /** `listen` hears which streams changed, or `undefined` when any may have. */
  constructor(
    store: Watched,
    stream_id: string,
    listen?: (streams: ReadonlySet<string> | undefined) => void,
  ) {
    this.#store = store.of ?? store
    this.#stream_ids = [stream_id]
    this.#listen = listen
    waitingOn(this.#store).add(this.#store, stream_id, this)
  }

  /** Ring for this stream too, in the place of the one that was named so before. */
  alsoFor(stream_id: string) {
    const before = this.#stream_ids[1]
    if (before === stream_id || this.stopped) return
    waitingOn(this.#store).add(this.#store, stream_id, this)
    if (before !== undefined) waitingOn(this.#store).remove(before, this)
    this.#stream_ids[1] = stream_id
  }

  /** True when it rang, false when the time was over first. */
  rung(timeout_ms: number): Promise<boolean> {
    if (this.#ringing || this.stopped) {
      this.#ringing = false
      return Promise.resolve(true)
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => this.#wake?.(false), timeout_ms)
    this.#wake = (rung) => {
      clearTimeout(timer)
      this.#wake = undefined
      if (rung) this.#ringing = false
      resolve(rung)
    }
    return promise
  }

  stop() {
    if (this.stopped) return
    this.stopped = true
    for (const id of this.#stream_ids) waitingOn(this.#store).remove(id, this)
    this.#wake?.(true)
  }

  hear(streams: ReadonlySet<string> | undefined) {
    this.#listen?.(streams)
    this.#ringing = true
    this.#wake?.(true)
  }
}
