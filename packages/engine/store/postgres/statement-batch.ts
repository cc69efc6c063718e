import {
  type Engine,
  type StatementOutcome,
  type Statement,
  type Value,
  rowsAs,
} from "../sql/program.ts"
import { Driver } from "./driver.ts"
import type { Answered, PostgresLink } from "./link.ts"
import type { LockStatement } from "./locks.ts"
import { type MergedResult, mergeStatements } from "./merging.ts"

interface Asked extends Statement {
  /** Undefined where nobody waits for what comes of it. */
  readonly answer: PromiseWithResolvers<StatementOutcome | undefined> | undefined
}

/** A transaction that several operations share. What they say within one tick is gathered: each keeps
 *  its own order, and what several say in the same words is one statement. A failure is the failure of
 *  all that follows. */
export class StatementBatch {
  readonly #link: PostgresLink
  readonly #shares: Asked[][] = []
  #gathering = false
  #failure: unknown

  constructor(link: PostgresLink) {
    this.#link = link
  }

  /** What went wrong first, of all that was sent. */
  get failure(): unknown {
    return this.#failure
  }

  /** For one of the operations; what they are about is different. */
  share(): Share {
    const asked: Asked[] = []
    this.#shares.push(asked)
    return new Share(this, (statement) => {
      asked.push(statement)
      this.#gather()
    })
  }

  begin() {
    this.#link.say("BEGIN").catch((error: unknown) => this.#fail(error))
  }

  /** With all that was gathered. */
  commit(): Promise<Answered> {
    this.#flush()
    return this.#link.say("COMMIT")
  }

  /** What was gathered and not sent must not be sent any more: it would be on its own. */
  async rollback() {
    for (const asked of this.#shares) asked.length = 0
    if (!this.#link.broken) await this.#link.say("ROLLBACK").catch(() => undefined)
  }

  #gather() {
    if (this.#gathering) return
    this.#gathering = true
    process.nextTick(() => this.#flush())
  }

  #flush() {
    this.#gathering = false
    for (;;) {
      const sql = mostSaid(this.#shares)
      if (sql === undefined) return
      const same = this.#shares.flatMap((asked) =>
        asked[0]?.sql === sql ? asked.splice(0, 1) : [],
      )
      this.#send(sql, same)
    }
  }

  #send(sql: string, same: readonly Asked[]) {
    const wanted = same.some(({ answer }) => answer !== undefined)
    const given = same.map(({ values }) => values)
    const one = same.length > 1 ? mergeStatements(sql, given, wanted) : undefined
    if (!one) return same.forEach((asked) => this.#sendOne(asked))
    this.#link.askRows(one.sql, one.values).then(
      (answered) => {
        const outcomes = OUTCOMES[one.answers](answered, given)
        for (const [at, { answer }] of same.entries()) answer?.resolve(outcomes[at])
      },
      (error: unknown) => this.#fail(error, same),
    )
  }

  #sendOne(asked: Asked) {
    this.#link.ask(asked.sql, asked.values).then(
      (outcome) => asked.answer?.resolve(outcome),
      (error: unknown) => this.#fail(error, [asked]),
    )
  }

  #fail(error: unknown, asked: readonly Asked[] = []) {
    this.#failure ??= error
    for (const { answer } of asked) answer?.resolve(undefined)
  }
}

/** What the most would say next; those who say it first come first. */
function mostSaid(shares: readonly (readonly Asked[])[]): string | undefined {
  const counts = new Map<string, number>()
  let most: string | undefined
  for (const [first] of shares) if (first) counts.set(first.sql, (counts.get(first.sql) ?? 0) + 1)
  for (const [sql, count] of counts)
    if (most === undefined || count > (counts.get(most) ?? 0)) most = sql
  return most
}

type Given = readonly (readonly Value[])[]

/** What each is told of a statement that was for all. */
const OUTCOMES: Record<MergedResult, (answered: Answered, given: Given) => StatementOutcome[]> = {
  rows({ rows, fields }, given) {
    const found = given.map((): object[] => [])
    for (const row of rowsAs<[number, ...unknown[]]>(rows))
      found[row[0] - 1]?.push(named(row, fields))
    return found.map((own) => ({ rows: own, count: own.length }))
  },
  ids({ rows }, given) {
    const made = new Set(rowsAs<[string]>(rows).map(([id]) => id))
    return given.map(([id]) => ({ rows: [], count: made.has(String(id)) ? 1 : 0 }))
  },
  nothing: (_, given) => given.map(() => ({ rows: [], count: 0 })),
}

// All but the number in front.
function named(row: readonly unknown[], fields: readonly string[]): object {
  const made: Record<string, unknown> = {}
  for (let at = 1; at < fields.length; at++) made[fields[at] ?? ""] = row[at]
  return made
}

/** What one operation says in a transaction that it shares. */
export class Share extends Driver implements Engine {
  readonly #gathering: StatementBatch
  readonly #say: (asked: Asked) => void
  readonly #locked = new Map<string, Promise<StatementOutcome | undefined>>()

  constructor(gathering: StatementBatch, say: (asked: Asked) => void) {
    super()
    this.#gathering = gathering
    this.#say = say
  }

  get failure(): unknown {
    return this.#gathering.failure
  }

  write(sql: string, ...values: Value[]) {
    this.#say({ sql, values, answer: undefined })
  }

  /** Take rows before anything is asked. A program that asks for one of them is told what the lock
   *  found, once: that is what it was when this began. */
  lock(statements: readonly LockStatement[]): Promise<(StatementOutcome | undefined)[]> {
    return Promise.all(
      statements.map((statement) => {
        const outcome = this.#answered(statement)
        this.#locked.set(keyOf(statement.answers ?? statement), outcome)
        return outcome
      }),
    )
  }

  protected one(statement: Statement): Promise<StatementOutcome | undefined> {
    if (this.#locked.size === 0) return this.#answered(statement)
    const key = keyOf(statement)
    const locked = this.#locked.get(key)
    this.#locked.delete(key)
    return locked ?? this.#answered(statement)
  }

  #answered({ sql, values }: Statement): Promise<StatementOutcome | undefined> {
    const answer = Promise.withResolvers<StatementOutcome | undefined>()
    this.#say({ sql, values, answer })
    return answer.promise
  }
}

function keyOf({ sql, values }: Statement): string {
  return `${sql}\n${values.join("\n")}`
}
