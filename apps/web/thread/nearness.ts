import { createContext } from "react"
import { flushSync } from "react-dom"

/** Told whether something is near the screen, and how high it is now. */
type TellNear = (isNear: boolean, height: number) => void

/** How far from the screen something is drawn already: further than one turn of a wheel. */
const MARGIN = "1800px 0px"

interface Change {
  readonly isNear: boolean
  readonly height: number
  readonly distance: number
}

/** Says what comes near the screen and what leaves it. Each is told in a task of its own, what is
 *  nearest first, so that a hundred that come at once hold up no frame. */
export class Nearness {
  readonly #told = new Map<Element, TellNear>()
  readonly #changes = new Map<Element, Change>()
  #watcher: IntersectionObserver | undefined
  #telling = false

  /** The element that scrolls; before it is there, what is watched waits for it. */
  begin(root: Element): () => void {
    this.#watcher = new IntersectionObserver((entries) => this.#seen(entries), {
      root,
      rootMargin: MARGIN,
    })
    for (const element of this.#told.keys()) this.#watcher.observe(element)
    return () => {
      this.#watcher?.disconnect()
      this.#watcher = undefined
      this.#changes.clear()
    }
  }

  watch(element: Element, tell: TellNear): () => void {
    this.#told.set(element, tell)
    this.#watcher?.observe(element)
    return () => {
      this.#told.delete(element)
      this.#changes.delete(element)
      this.#watcher?.unobserve(element)
    }
  }

  #seen(entries: readonly IntersectionObserverEntry[]) {
    for (const { target, isIntersecting, boundingClientRect: box, rootBounds } of entries) {
      const middle = rootBounds ? (rootBounds.top + rootBounds.bottom) / 2 : 0
      const distance = Math.abs((box.top + box.bottom) / 2 - middle)
      this.#changes.set(target, { isNear: isIntersecting, height: box.height, distance })
    }
    if (!this.#telling) void this.#tell()
  }

  async #tell() {
    this.#telling = true
    for (let next = this.#nearest(); next; next = this.#nearest()) {
      const [element, { isNear, height }] = next
      this.#changes.delete(element)
      flushSync(() => this.#told.get(element)?.(isNear, height))
      await breath()
    }
    this.#telling = false
  }

  #nearest(): [Element, Change] | undefined {
    let nearest: [Element, Change] | undefined
    for (const change of this.#changes)
      if (!nearest || change[1].distance < nearest[1].distance) nearest = change
    return nearest
  }
}

export const NearnessContext = createContext(new Nearness())

/** Lets the browser draw and hear before more is done. */
function breath(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: { yield?: () => Promise<void> } }
  return scheduler?.yield?.() ?? new Promise((resolve) => setTimeout(resolve, 0))
}
