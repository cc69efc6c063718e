import { type Engine, type Program, rowsAs, type Value, type SqlWords } from "../sql/program.ts"
import { WORDS } from "./dialect.ts"

/** Asks by yielding: whoever drives the program sends what it asks and brings the answers. */
export class Yielding implements Omit<Engine, "write"> {
  get words(): SqlWords {
    return WORDS
  }

  *get<Row>(sql: string, ...values: Value[]): Program<Row | undefined> {
    const [outcome] = yield [{ sql, values }]
    return rowsAs<Row>(outcome?.rows ?? [])[0]
  }

  *all<Row>(sql: string, ...values: Value[]): Program<Row[]> {
    const [outcome] = yield [{ sql, values }]
    return rowsAs(outcome?.rows ?? [])
  }

  *each<Row>(sql: string, values: readonly (readonly Value[])[]): Program<Row[][]> {
    if (values.length === 0) return []
    const outcomes = yield values.map((one) => ({ sql, values: one }))
    return outcomes.map(({ rows }) => rowsAs(rows))
  }

  *run(sql: string, ...values: Value[]): Program<number> {
    const [outcome] = yield [{ sql, values }]
    return outcome?.count ?? 0
  }
}
