import type { Engine, Outcome, Program, Statement, Value } from "../sql/program.ts"
import type { Link } from "./link.ts"
import { Yielding } from "./yielding.ts"

/** Drives programs over a connection. What one asks for is sent and waited for; what it only writes is
 *  sent along without waiting, and its failure is the failure of all that follows. */
export class Unit extends Yielding implements Engine {
  readonly #link: Link
  readonly #locked = new Map<string, Promise<Outcome | undefined>>()
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
    void this.#ask(sql, values)
  }

  say(sql: string) {
    void this.#watch(this.#link.say(sql))
  }

  /** Take rows before anything is asked. A program that asks for one of them is told what the lock
   *  found, once: that is what it was when this began. */
  lock(statements: readonly Statement[]): Promise<readonly Outcome[] | undefined> {
    const asked = statements.map(({ sql, values }) => {
      const outcome = this.#ask(sql, values)
      this.#locked.set(keyOf(sql, values), outcome)
      return outcome
    })
    return together(asked)
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
  ask(statements: readonly Statement[]): Promise<readonly Outcome[] | undefined> {
    return together(statements.map(({ sql, values }) => this.#known(sql, values)))
  }

  #known(sql: string, values: readonly Value[]): Promise<Outcome | undefined> {
    if (this.#locked.size === 0) return this.#ask(sql, values)
    const key = keyOf(sql, values)
    const locked = this.#locked.get(key)
    this.#locked.delete(key)
    return locked ?? this.#ask(sql, values)
  }

  #ask(sql: string, values: readonly Value[]): Promise<Outcome | undefined> {
    return this.#watch(this.#link.ask(sql, values))
  }

  #watch(asked: Promise<Outcome>): Promise<Outcome | undefined> {
    return asked.then(undefined, (error: unknown) => {
      this.#failure ??= error
      return undefined
    })
  }
}

function keyOf(sql: string, values: readonly Value[]): string {
  return `${sql}\n${values.join("\n")}`
}

async function together(
  asked: readonly Promise<Outcome | undefined>[],
): Promise<readonly Outcome[] | undefined> {
  const outcomes = await Promise.all(asked)
  const answered = outcomes.filter((outcome) => outcome !== undefined)
  return answered.length === outcomes.length ? answered : undefined
}
