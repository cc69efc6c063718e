import type { Store } from "../../store/store.ts"

type Ring = () => void

/** Who waits for which stream. One watch of the store serves all of them, so that a reader who only
 *  waits costs one entry of a map. */
class Waiting {
  readonly #rings = new Map<string, Set<Ring>>()
  #unwatch: (() => void) | undefined

  add(store: Pick<Store, "watch">, stream_id: string, ring: Ring) {
    this.#unwatch ??= store.watch((streams) => this.#tell(streams))
    const rings = this.#rings.get(stream_id)
    if (rings) rings.add(ring)
    else this.#rings.set(stream_id, new Set([ring]))
  }

  remove(stream_id: string, ring: Ring) {
    const rings = this.#rings.get(stream_id)
    rings?.delete(ring)
    if (rings?.size === 0) this.#rings.delete(stream_id)
    if (this.#rings.size > 0) return
    this.#unwatch?.()
    this.#unwatch = undefined
  }

  // Another process wrote: any stream may have changed.
  #tell(streams: ReadonlySet<string> | undefined) {
    for (const id of streams ?? [...this.#rings.keys()])
      for (const ring of this.#rings.get(id) ?? []) ring()
  }
}

const waiting = new WeakMap<object, Waiting>()

function waitingOn(store: Pick<Store, "watch">): Waiting {
  const known = waiting.get(store)
  if (known) return known
  const made = new Waiting()
  waiting.set(store, made)
  return made
}

/** Rings when a stream changed since it was last asked. */
export class StreamBell {
  stopped = false
  readonly #waiting: Waiting
  readonly #stream_id: string
  readonly #ring = () => this.#rang()
  #ringing = false
  #wake: ((rung: boolean) => void) | undefined

  constructor(store: Pick<Store, "watch">, stream_id: string) {
    this.#waiting = waitingOn(store)
    this.#stream_id = stream_id
    this.#waiting.add(store, stream_id, this.#ring)
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
    this.stopped = true
    this.#waiting.remove(this.#stream_id, this.#ring)
    this.#wake?.(true)
  }

  #rang() {
    this.#ringing = true
    this.#wake?.(true)
  }
}
