import type { Statement } from "better-sqlite3"
import { type Engine, type Program, rowsAs, type Value, type SqlWords } from "../sql/program.ts"
import type { SqliteConnection } from "./connection.ts"

const WORDS: SqlWords = {
  columns: "SELECT name, type FROM pragma_table_info(?)",
  field: (column, key) => `${column} ->> '${key}'`,
  isTrue: (column, key) => `coalesce(${column} ->> '${key}' = 1, false)`,
  hide: "json_set(metadata_json, '$.hidden_at', ?)",
  show: "json_remove(metadata_json, '$.hidden_at')",
  reads: "instr(path_json, ?) > 0",
  own: {
    session: "SELECT * FROM chat_sessions WHERE id = ?",
    session_of:
      "SELECT * FROM chat_sessions WHERE id = (SELECT session_id FROM turns WHERE id = ?)",
    turn: "SELECT * FROM turns WHERE id = ?",
  },
  numbersInOne: false,
}

/** Prepared statements of one connection, by their text. */
export class Statements implements Engine {
  readonly words = WORDS
  readonly #connection: SqliteConnection
  readonly #prepared = new Map<string, Statement<unknown[]>>()

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  // oxlint-disable-next-line require-yield
  *get<Row>(sql: string, ...values: Value[]): Program<Row | undefined> {
    return rowsAs<Row>([this.of(sql).get(...values)])[0]
  }

  // oxlint-disable-next-line require-yield
  *all<Row>(sql: string, ...values: Value[]): Program<Row[]> {
    return rowsAs(this.of(sql).all(...values))
  }

  // oxlint-disable-next-line require-yield
  *each<Row>(sql: string, values: readonly (readonly Value[])[]): Program<Row[][]> {
    const statement = this.of(sql)
    return values.map((one) => rowsAs(statement.all(...one)))
  }

  // oxlint-disable-next-line require-yield
  *run(sql: string, ...values: Value[]): Program<number> {
    return this.of(sql).run(...values).changes
  }

  write(sql: string, ...values: Value[]) {
    this.of(sql).run(...values)
  }

  of(sql: string): Statement<unknown[]> {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.#connection.prepare<unknown[]>(sql)
    this.#prepared.set(sql, statement)
    return statement
  }
}

/** What a program comes to. SQLite answers at once, so it never stops on its way. */
export function runSqliteProgram<T>(program: Program<T>): T {
  const { done, value } = program.next()
  if (!done) throw new Error("a program waits for SQLite, which has answered already")
  return value
}
