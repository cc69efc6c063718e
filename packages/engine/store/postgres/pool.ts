import { Refusal } from "compositor-core/message/refusal"
import type { PostgresLink } from "./link.ts"

/** Whoever waits longer for a connection is told that there is none. */
const MAX_WAIT_MS = 20_000

/** At most so many connections, each with one caller at a time. */
export class Pool {
  readonly #max: number
  readonly #open: () => Promise<PostgresLink>
  readonly #idle: PostgresLink[] = []
  readonly #waiting: ((link: PostgresLink | undefined) => void)[] = []
  #count = 0
  #closed = false

  constructor(max: number, open: () => Promise<PostgresLink>) {
    this.#max = max
    this.#open = open
  }

  async use<T>(work: (link: PostgresLink) => Promise<T>): Promise<T> {
    const link = await this.take()
    try {
      return await work(link)
    } finally {
      this.give(link)
    }
  }

  async close() {
    this.#closed = true
    for (const link of this.#idle.splice(0)) link.close()
  }

  /** Have a connection until it is given back. */
  async take(): Promise<PostgresLink> {
    for (;;) {
      if (this.#closed) throw new Error("the store is closed")
      const link =
        this.#idle.pop() ?? (this.#count < this.#max ? await this.#add() : await this.#wait())
      if (link && !link.broken) return link
      if (link) this.#drop(link)
    }
  }

  async #add(): Promise<PostgresLink> {
    this.#count++
    try {
      return await this.#open()
    } catch (error) {
      this.#count--
      this.#waiting.shift()?.(undefined)
      throw error
    }
  }

  /** Undefined when there may be room for another. */
  #wait(): Promise<PostgresLink | undefined> {
    return new Promise((resolve, reject) => {
      const heard = (link: PostgresLink | undefined) => {
        clearTimeout(timer)
        resolve(link)
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(heard), 1)
        const seconds = MAX_WAIT_MS / 1000
        const why = `all ${this.#max} connections to the database were busy for ${seconds} s`
        reject(new Refusal("storage_failed", why))
      }, MAX_WAIT_MS)
      this.#waiting.push(heard)
    })
  }

  give(link: PostgresLink) {
    if (link.broken || this.#closed) return this.#drop(link)
    const next = this.#waiting.shift()
    if (next) next(link)
    else this.#idle.push(link)
  }

  #drop(link: PostgresLink) {
    this.#count--
    link.close()
    this.#waiting.shift()?.(undefined)
  }
}
