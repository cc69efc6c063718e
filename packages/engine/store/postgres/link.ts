import type { Duplex } from "node:stream"
import pg from "pg"
import type { StatementOutcome, Value } from "../sql/program.ts"
import { prepare, sendable } from "./dialect.ts"
import { CHANGED_SCHEMA, codeOf } from "./failure.ts"

const CONNECT_MS = 10_000
/** Whoever stops in the middle of a transaction must not hold a session for longer than this; when it
 *  goes on it finds that nothing was done, and does it again. */
const IDLE_IN_TRANSACTION_MS = 2000
const LOCK_MS = 20_000
/** Who must wait longer for a row waits by itself, and not with a group. */
const GROUP_LOCK_MS = 100
const KEEP_ALIVE_MS = 10_000
const INT8 = 20

/** For groups, which find their rows by their keys. A planner that saw a table when it was empty would
 *  read all of it instead, until somebody counts its rows. */
export const FOR_GROUPS = `SET lock_timeout = ${GROUP_LOCK_MS};
  SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
  SET enable_material = off; SET plan_cache_mode = force_generic_plan`

const SETUP = `SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS};
  SET lock_timeout = ${LOCK_MS};
  SET jit = off;
  SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off'`

const TYPES = {
  // Counts and times: none comes near what a number holds exactly.
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format),
}

export interface Answered extends StatementOutcome {
  readonly command: string
  readonly fields: readonly string[]
}

/** One connection. What is asked is sent at once, and answered in the order in which it was asked. */
export class PostgresLink {
  readonly #client: pg.Client
  #broken: Error | undefined
  #gathering = false

  static async open(url: string, name: string, also = ""): Promise<PostgresLink> {
    const client = new pg.Client({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      types: TYPES as pg.CustomTypesConfig,
      pipeline: true,
    } as pg.ClientConfig)
    const link = new PostgresLink(client)
    try {
      await client.connect()
      await client.query(`${SETUP}; ${also}`)
      return link
    } catch (error) {
      link.close()
      throw error
    }
  }

  private constructor(client: pg.Client) {
    this.#client = client
    client.on("error", (error) => this.#break(error))
    client.on("end", () => this.#break(new Error("the database closed the connection")))
  }

  /** Why nothing more can be asked here. */
  get broken(): Error | undefined {
    return this.#broken
  }

  ask(sql: string, values: readonly Value[] = []): Promise<Answered> {
    const { name, text } = prepare(sql)
    return this.#send({ name, text, values: values.map(sendable) })
  }

  /** Each row as the list of its values, in the order of the fields. */
  askRows(sql: string, values: readonly Value[]): Promise<Answered> {
    const { name, text } = prepare(sql)
    const query = { name, text, values: [...values], rowMode: "array" }
    return this.#send(query as pg.QueryConfig)
  }

  /** Words without values and without an answer that is kept: BEGIN, several statements, LISTEN. */
  say(sql: string): Promise<Answered> {
    return this.#send({ text: sql })
  }

  // By a callback: the promise that `pg` gives costs a stack of every statement.
  #send(query: pg.QueryConfig): Promise<Answered> {
    return new Promise((resolve, reject) => {
      if (this.#broken) return reject(this.#broken)
      this.#gather()
      this.#client.query(
        query,
        (error: Error | null, result: pg.QueryResult | pg.QueryResult[]) => {
          if (error && codeOf(error) === CHANGED_SCHEMA) this.close()
          if (error) return reject(error)
          const last = Array.isArray(result) ? result.at(-1) : result
          resolve({
            rows: last?.rows ?? [],
            count: last?.rowCount ?? 0,
            command: last?.command ?? "",
            fields: last?.fields?.map((field) => field.name) ?? [],
          })
        },
      )
    })
  }

  /** What is asked within one tick leaves in one piece: a call of the system for each statement would
   *  cost more than all the rest. */
  #gather() {
    if (this.#gathering) return
    this.#gathering = true
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of pg keep its stream to themselves
    const { stream } = (this.#client as unknown as { connection: { stream: Duplex } }).connection
    stream.cork()
    process.nextTick(() => {
      this.#gathering = false
      stream.uncork()
    })
  }

  listen(listener: (payload: string) => void) {
    this.#client.on("notification", ({ payload }) => listener(payload ?? ""))
  }

  onBroken(listener: () => void) {
    if (this.#broken) return listener()
    this.#client.once("end", listener)
  }

  close(): void {
    this.#break(new Error("the connection is closed"))
    this.#client.end().catch(() => undefined)
  }

  #break(error: Error) {
    this.#broken ??= error
  }
}
