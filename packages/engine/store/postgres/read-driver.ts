import type { StatementOutcome, Statement } from "../sql/program.ts"
import { Driver } from "./driver.ts"
import type { PostgresLink } from "./link.ts"

/** Drives what reads over a connection. */
export class Unit extends Driver {
  readonly #link: PostgresLink
  #failure: unknown

  constructor(link: PostgresLink) {
    super()
    this.#link = link
  }

  get failure(): unknown {
    return this.#failure
  }

  say(sql: string) {
    void this.#watch(this.#link.say(sql))
  }

  protected one({ sql, values }: Statement): Promise<StatementOutcome | undefined> {
    return this.#watch(this.#link.ask(sql, values))
  }

  #watch(asked: Promise<StatementOutcome>): Promise<StatementOutcome | undefined> {
    return asked.then(undefined, (error: unknown) => {
      this.#failure ??= error
      return undefined
    })
  }
}
