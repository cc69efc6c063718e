import type { Outcome, Statement } from "../sql/program.ts"
import { Driver } from "./driver.ts"
import type { Link } from "./link.ts"

/** Drives what reads over a connection. */
export class Unit extends Driver {
  readonly #link: Link
  #failure: unknown

  constructor(link: Link) {
    super()
    this.#link = link
  }

  get failure(): unknown {
    return this.#failure
  }

  say(sql: string) {
    void this.#watch(this.#link.say(sql))
  }

  protected one({ sql, values }: Statement): Promise<Outcome | undefined> {
    return this.#watch(this.#link.ask(sql, values))
  }

  #watch(asked: Promise<Outcome>): Promise<Outcome | undefined> {
    return asked.then(undefined, (error: unknown) => {
      this.#failure ??= error
      return undefined
    })
  }
}
