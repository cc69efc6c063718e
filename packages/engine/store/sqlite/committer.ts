import { errorCode, errorMessage, errorStack, recordOf } from "compositor-core/message/untyped"
import { Refusal, type RefusalCode, type RefusalDetail } from "compositor-core/message/refusal"
import type { Writes } from "../store.ts"
import { BUSY_TIMEOUT_MS, type SqliteConnection, openForWriting } from "./connection.ts"
import { Group } from "../sql/group.ts"
import { operationOf } from "../sql/operations/operations.ts"
import { rowsAs } from "../sql/program.ts"
import { Transaction } from "../sql/transaction.ts"
import { runSqliteProgram, Statements } from "./statements.ts"

export interface WriterRequest {
  readonly id: number
  readonly name: keyof Writes
  readonly input: unknown
}

export type WriterReply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | {
      readonly id: number
      readonly ok: false
      readonly code: RefusalCode | "broken"
      readonly message: string
      readonly details: readonly RefusalDetail[]
    }

export interface Commit {
  readonly answers: readonly WriterReply[]
  readonly streams: ReadonlySet<string>
  /** The disk failed to sync: nothing more may be acknowledged by this process. */
  readonly fatal: boolean
}

/** The one writer. Operations that arrived together share one transaction and one fsync; their
 *  answers are given only after the commit. */
export class Committer {
  readonly #connection: SqliteConnection
  readonly #statements: Statements
  readonly #clock: () => number
  readonly #epoch: string
  #count = 0
  #foreign: number

  constructor(file: string, clock: () => number = Date.now) {
    this.#connection = openForWriting(file)
    // Whoever commits waits for the lock himself.
    this.#beImpatient()
    this.#statements = new Statements(this.#connection)
    this.#clock = clock
    this.#epoch = `${Date.now().toString(36)}${process.pid.toString(36)}`
    this.#foreign = this.#dataVersion()
  }

  commit(requests: readonly WriterRequest[]): Commit {
    const vacuum = requests.find((request) => request.name === "vacuum")
    if (vacuum) return this.#vacuumBetween(requests, vacuum)
    return this.#together(requests, false) ?? this.#together(requests, true) ?? EMPTY
  }

  // A savepoint copies every page that its operation touches. Nearly all operations decide before
  // they write, so a refusal has nothing to undo; only when one failed halfway does the whole group
  // run again with a savepoint each, and its neighbours lose nothing.
  #together(requests: readonly WriterRequest[], apart: boolean): Commit | undefined {
    const streams = new Set<string>()
    const answers: WriterReply[] = []
    const group = new Group(this.#statements)
    try {
      waitForLock(() => this.#run("BEGIN IMMEDIATE"))
      for (const request of requests) {
        if (!isPlainAppend(request)) group.write()
        const answer = apart
          ? this.#apart(request, streams)
          : this.#plain(request, streams, isPlainAppend(request) ? group : null)
        if (answer === "halfway") {
          this.#run("ROLLBACK")
          return undefined
        }
        answers.push(answer)
      }
      group.write()
      this.#run("COMMIT")
      return { answers, streams, fatal: false }
    } catch (error) {
      return this.#undo(requests, error)
    }
  }

  /** Whether another process committed since this was last asked. */
  changedByOthers(): boolean {
    const version = this.#dataVersion()
    const changed = version !== this.#foreign
    this.#foreign = version
    return changed
  }

  close() {
    try {
      this.#bePatient()
      this.#connection.pragma("wal_checkpoint(TRUNCATE)")
    } finally {
      // What could not be moved stays in the log, and whoever opens the folder next finds it.
      this.#connection.close()
    }
  }

  #plain(
    request: WriterRequest,
    streams: Set<string>,
    group: Group | null,
  ): WriterReply | "halfway" {
    const tx = this.#begin(group)
    try {
      return this.#perform(tx, request, streams)
    } catch (error) {
      // A full disk ends the whole transaction; then there is nothing to save.
      if (!this.#connection.inTransaction) throw error
      return tx.wrote ? "halfway" : failed(request, error)
    }
  }

  #apart(request: WriterRequest, streams: Set<string>): WriterReply {
    this.#run("SAVEPOINT operation")
    try {
      const answer = this.#perform(this.#begin(null), request, streams)
      this.#run("RELEASE operation")
      return answer
    } catch (error) {
      if (!this.#connection.inTransaction) throw error
      this.#run("ROLLBACK TO operation")
      this.#run("RELEASE operation")
      return failed(request, error)
    }
  }

  #perform(tx: Transaction, request: WriterRequest, streams: Set<string>): WriterReply {
    if (request.name === "vacuum") throw new Error("a vacuum runs between transactions")
    const value = runSqliteProgram(operationOf(request.name)(tx, request.input))
    runSqliteProgram(tx.finish())
    for (const stream of tx.streams) streams.add(stream)
    return { id: request.id, ok: true, value }
  }

  #begin(group: Group | null): Transaction {
    const txid = `${this.#epoch}-${++this.#count}`
    return new Transaction(this.#statements, { clock: this.#clock, txid, group })
  }

  #undo(requests: readonly WriterRequest[], error: unknown): Commit {
    if (this.#connection.inTransaction) this.#run("ROLLBACK")
    const answers = requests.map((request) => failed(request, error))
    return { answers, streams: new Set(), fatal: isFailedSync(error) }
  }

  #vacuumBetween(requests: readonly WriterRequest[], vacuum: WriterRequest): Commit {
    const others = requests.filter((request) => request !== vacuum)
    const commit = this.commit(others)
    return { ...commit, answers: [...commit.answers, this.#vacuum(vacuum)] }
  }

  #vacuum(request: WriterRequest): WriterReply {
    this.#bePatient()
    try {
      this.#connection.exec("VACUUM")
      this.#connection.pragma("wal_checkpoint(TRUNCATE)")
      return { id: request.id, ok: true, value: null }
    } catch (error) {
      return failed(request, error)
    } finally {
      this.#beImpatient()
    }
  }

  #bePatient() {
    this.#connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }

  #beImpatient() {
    this.#connection.pragma("busy_timeout = 0")
  }

  #run(sql: string) {
    this.#statements.of(sql).run()
  }

  #dataVersion(): number {
    const row = this.#statements.of("PRAGMA data_version").get()
    return rowsAs<{ data_version: number }>([row])[0]?.data_version ?? 0
  }
}

const EMPTY: Commit = { answers: [], streams: new Set(), fatal: false }

/** An append that fires nothing: several of them may share what they read and write. */
function isPlainAppend({ name, input }: WriterRequest): boolean {
  return name === "append" && recordOf(input).owner === null
}

function failed(request: WriterRequest, error: unknown): WriterReply {
  const { id } = request
  if (error instanceof Refusal)
    return { id, ok: false, code: error.code, message: error.message, details: error.details }
  const [code, message] = [errorCode(error), errorMessage(error)]
  if (code?.startsWith("SQLITE_"))
    return {
      id,
      ok: false,
      code: isFailedSync(error) ? "broken" : "storage_failed",
      message: `${request.name} was not stored: ${message} (${code})`,
      details: [],
    }
  return { id, ok: false, code: "broken", message: errorStack(error), details: [] }
}

function isFailedSync(error: unknown): boolean {
  const code = errorCode(error)
  return code === "SQLITE_IOERR_FSYNC" || code === "SQLITE_IOERR_DIR_FSYNC"
}

const PAUSE_MS = 0.5

/** Begin once no other process writes, on a connection that does not wait by itself. SQLite sleeps longer
 *  and longer between its tries, up to a tenth of a second: among several writers that would be most of
 *  what a message waits. */
export function waitForLock(begin: () => void) {
  const until = performance.now() + BUSY_TIMEOUT_MS
  while (!hasBegun(begin, until)) Atomics.wait(NOBODY, 0, 0, PAUSE_MS)
}

// Nobody ever wakes it: this is how a thread sleeps for less than the event loop could.
const NOBODY = new Int32Array(new SharedArrayBuffer(4))

function hasBegun(begin: () => void, until: number): boolean {
  try {
    begin()
    return true
  } catch (error) {
    const code = errorCode(error) ?? ""
    if (!code.startsWith("SQLITE_BUSY") || performance.now() > until) throw error
    return false
  }
}
