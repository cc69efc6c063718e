export type Value = string | number | null | Uint8Array

export interface Statement {
  readonly sql: string
  readonly values: readonly Value[]
}

export interface StatementOutcome {
  readonly rows: readonly unknown[]
  /** How many rows were written. */
  readonly count: number
}

/** Rows as what their statement asks for. They come from our own tables, whose columns the schema
 *  checks: reading each of them again would cost more than the query. */
export function rowsAs<Row>(rows: readonly unknown[]): Row[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement says which row it asks for
  return rows as Row[]
}

/** What is done to a database, step by step. It is written once and driven by each engine in its own
 *  way: SQLite answers at once, so that nothing is ever yielded there; elsewhere a program yields the
 *  statements whose outcome it needs next, and goes on when they have one. */
export type Program<T> = Generator<readonly Statement[], T, readonly StatementOutcome[]>

/** Whoever can be asked in SQL: the writer and the readers alike. */
export interface SqlReader {
  readonly words: SqlWords
  get<Row>(sql: string, ...values: Value[]): Program<Row | undefined>
  all<Row>(sql: string, ...values: Value[]): Program<Row[]>
  /** The rows of one statement for each of several values, asked for together. */
  each<Row>(sql: string, values: readonly (readonly Value[])[]): Program<Row[][]>
}

export interface Engine extends SqlReader {
  /** Write, and hear how many rows that changed. */
  run(sql: string, ...values: Value[]): Program<number>
  /** Write, and go on: nobody needs to hear what came of it before the commit. */
  write(sql: string, ...values: Value[]): void
}

/** Where the engines have no words in common. */
export interface SqlWords {
  /** The columns of a table as `name` and `type` (TEXT, INTEGER, REAL). */
  readonly columns: string
  /** A field of the object in a column of JSON; what it is of, each engine says in its own way. */
  readonly field: (column: string, key: string) => string
  /** Whether a field is there and true. */
  readonly isTrue: (column: string, key: string) => string
  /** `metadata_json` with `hidden_at` set to a value, and without it. */
  readonly hide: string
  readonly show: string
  /** Whether the path of a session leads through another's messages, or may. */
  readonly reads: string
  /** The rows that an operation is about; an engine with several writers locks them. */
  readonly own: { readonly session: string; readonly session_of: string; readonly turn: string }
  /** Whether a statement may move a stream's head and write what it tells in one. */
  readonly numbersInOne: boolean
}

/** The same calls, each as a program. */
export type Programs<T> = {
  [Name in keyof T]: T[Name] extends (...input: infer Input) => infer Output
    ? (...input: Input) => Program<Output>
    : never
}

type Results<T extends readonly Program<unknown>[]> = {
  -readonly [At in keyof T]: T[At] extends Program<infer Result> ? Result : never
}

/** Several programs side by side: what they ask for is asked together. */
export function* together<T extends readonly Program<unknown>[]>(
  ...programs: T
): Program<Results<T>> {
  let steps = programs.map((program) => program.next([]))
  while (steps.some(({ done }) => !done)) {
    const outcomes = yield steps.flatMap((step) => (step.done ? [] : step.value))
    let at = 0
    steps = steps.map((step, index) => {
      if (step.done) return step
      const own = outcomes.slice(at, at + step.value.length)
      at += step.value.length
      return programs[index]?.next(own) ?? step
    })
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one result for each program, in their order
  return steps.map(({ value }) => value) as Results<T>
}
