import type { StatementOutcome, Program, Statement } from "../sql/program.ts"
import { Yielding } from "./program-engine.ts"

/** Drives programs: what one asks for is sent and waited for. */
export abstract class Driver extends Yielding {
  /** What went wrong first, of all that was sent. */
  abstract get failure(): unknown

  /** What came of a statement; undefined when it failed. */
  protected abstract one(statement: Statement): Promise<StatementOutcome | undefined>

  async drive<T>(program: Program<T>): Promise<T> {
    let step = program.next([])
    while (!step.done) {
      const outcomes = await this.ask(step.value)
      step = outcomes ? program.next(outcomes) : program.throw(this.failure)
    }
    return step.value
  }

  /** What came of several statements that are sent together; undefined when one failed. */
  async ask(statements: readonly Statement[]): Promise<readonly StatementOutcome[] | undefined> {
    const outcomes = await Promise.all(statements.map((statement) => this.one(statement)))
    const answered = outcomes.filter((outcome) => outcome !== undefined)
    return answered.length === outcomes.length ? answered : undefined
  }
}
