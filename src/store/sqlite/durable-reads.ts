import { lifeOf, type StreamFound, type StreamPage } from "../../stream/stream.ts"
import { type DurableRecord, headOf, pageOf } from "./durable-rows.ts"
import type { Statements } from "./transaction.ts"

type Value = string | number | null

/** Reads streams that anybody may append to. */
export class DurableReads {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  find(path: string, now: number): StreamFound {
    const record = this.get<DurableRecord>("SELECT * FROM durable_streams WHERE path = ?", path)
    if (record?.deleted) return { type: "gone", message: `${path} was deleted` }
    const ends = record ? lifeOf(record, record.used_at) : null
    if (!record || (ends !== null && now >= ends))
      return { type: "missing", message: `there is no stream ${path}` }
    return { type: "found", head: headOf(record) }
  }

  page(id: string, page: { from: number; max_bytes: number }): StreamPage | null {
    const record = this.get<DurableRecord>("SELECT * FROM durable_streams WHERE id = ?", id)
    return record && !record.deleted ? pageOf(this, record, page) : null
  }

  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#statements.of(sql).get(...values) as Row | undefined
  }

  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statements.of(sql).all(...values) as Row[]
  }
}
