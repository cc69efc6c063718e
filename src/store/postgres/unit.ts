import type { Engine, Outcome, Program, Statement, Value } from "../sql/program.ts"
import type { Link } from "./link.ts"
import { Yielding } from "./yielding.ts"

/** Drives programs over a connection. What one asks for is sent and waited for; what it only writes is
 *  sent along without waiting, and its failure is the failure of all that follows. */
export class Unit extends Yielding implements Engine {
  readonly #link: Link
  #failure: unknown

  constructor(link: Link) {
    super()
    this.#link = link
  }

  /** What went wrong first, of all that was sent. */
  get failure(): unknown {
    return this.#failure
  }

  write(sql: string, ...values: Value[]) {
    void this.#watch(this.#link.ask(sql, values))
  }

  say(sql: string) {
    void this.#watch(this.#link.say(sql))
  }

  async drive<T>(program: Program<T>): Promise<T> {
    let step = program.next([])
    while (!step.done) {
      const outcomes = await this.ask(step.value)
      step = outcomes ? program.next(outcomes) : program.throw(this.#failure)
    }
    return step.value
  }

  /** What came of several statements that are sent together; undefined when one failed. */
  async ask(statements: readonly Statement[]): Promise<readonly Outcome[] | undefined> {
    const asked = statements.map(({ sql, values }) => this.#watch(this.#link.ask(sql, values)))
    const outcomes = await Promise.all(asked)
    const answered = outcomes.filter((outcome) => outcome !== undefined)
    return answered.length === outcomes.length ? answered : undefined
  }

  async #watch(asked: Promise<Outcome>): Promise<Outcome | undefined> {
    try {
      return await asked
    } catch (error) {
      this.#failure ??= error
      return undefined
    }
  }
}
