import { once } from "node:events"
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { Refusal } from "compositor-core/message/refusal"
import { namesOf } from "compositor-core/message/untyped"
import type { Append, ExportRow, Store, Writes } from "../store.ts"
import { type WriterReply, type Commit, Committer, type WriterRequest } from "./committer.ts"
import { type SqliteConnection, openForReading } from "./connection.ts"
import { OPERATIONS } from "../sql/operations/operations.ts"
import { openAppended, type RawAppended } from "../sql/operations/queue.ts"
import type { Program } from "../sql/program.ts"
import { exportRows } from "../sql/reads/export-rows.ts"
import { type AllReads, readsOf, SNAPSHOTS } from "../sql/reads/reads.ts"
import { runSqliteProgram, Statements } from "./statements.ts"
import type { ToWriter } from "./writer-thread.ts"

export interface SqliteOptions {
  readonly file: string
  /** Write in a thread of its own (a server) or here (a command that soon ends; a test's clock). */
  readonly thread: boolean
  readonly clock?: () => number
  /** Called once when the disk failed to sync: the process must not acknowledge anything more. */
  readonly broken?: (reason: string) => void
}

const FOREIGN_POLL_MS = 40

export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const writer = options.thread ? await ThreadWriter.start(options.file) : new InlineWriter(options)
  const connection = openForReading(options.file)
  const statements = new Statements(connection)
  const calls = new Calls(writer, options.broken)
  let closing: Promise<void> | undefined
  return {
    ...writesThrough(calls),
    ...readsThrough(connection, statements),
    exportRows: (session_id) => exported(statements, session_id),
    watch: (listener) => calls.watch(listener),
    async backup(file, progress) {
      await connection.backup(file, {
        progress({ totalPages, remainingPages }) {
          progress(totalPages - remainingPages, totalPages)
          return 1000
        },
      })
    },
    close: () => {
      connection.close()
      closing ??= writer.close()
      return closing
    },
  }
}

type Listener = (streams: ReadonlySet<string> | undefined) => void

/** Sends requests to the writer, a batch a tick, and settles each when its commit is done. */
class Calls {
  readonly #writer: Writer
  readonly #broken: ((reason: string) => void) | undefined
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #listeners = new Set<Listener>()
  #batch: WriterRequest[] = []
  #next = 0
  #ended: string | undefined

  constructor(writer: Writer, broken: ((reason: string) => void) | undefined) {
    this.#writer = writer
    this.#broken = broken
    writer.listen({
      commit: (commit) => this.#settle(commit),
      foreign: () => this.#tell(undefined),
      ended: (reason) => this.#fail(reason),
    })
  }

  call(name: keyof Writes, input: unknown): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(new Error(this.#ended))
    const call = Promise.withResolvers<unknown>()
    const id = this.#next++
    this.#pending.set(id, call)
    if (this.#batch.length === 0) queueMicrotask(() => this.#send())
    this.#batch.push({ id, name, input })
    return call.promise
  }

  watch(listener: Listener): () => void {
    if (this.#listeners.size === 0) this.#writer.watch()
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #send() {
    const batch = this.#batch
    this.#batch = []
    this.#writer.send(batch)
  }

  #settle(commit: Commit) {
    for (const answer of commit.answers) this.#answer(answer)
    if (commit.streams.size > 0) this.#tell(commit.streams)
    if (commit.fatal) this.#broken?.("the disk failed to sync; restart after checking it")
  }

  #answer(answer: WriterReply) {
    const call = this.#pending.get(answer.id)
    this.#pending.delete(answer.id)
    if (answer.ok) call?.resolve(answer.value)
    else call?.reject(errorOf(answer))
  }

  #tell(streams: ReadonlySet<string> | undefined) {
    for (const listener of this.#listeners) listener(streams)
  }

  #fail(reason: string) {
    this.#ended ??= reason
    for (const call of this.#pending.values()) call.reject(new Error(reason))
    this.#pending.clear()
  }
}

function errorOf(answer: Extract<WriterReply, { ok: false }>): Error {
  return answer.code === "broken"
    ? new Error(answer.message)
    : new Refusal(answer.code, answer.message, answer.details)
}

interface WriterEvents {
  commit(commit: Commit): void
  foreign(): void
  ended(reason: string): void
}

interface Writer {
  listen(events: WriterEvents): void
  send(requests: readonly WriterRequest[]): void
  watch(): void
  close(): Promise<void>
}

class ThreadWriter implements Writer {
  readonly #worker: Worker

  static async start(file: string): Promise<ThreadWriter> {
    const url = new URL(`./writer-thread${extname(import.meta.url)}`, import.meta.url)
    const worker = new Worker(url, { workerData: { file } })
    await once(worker, "message")
    return new ThreadWriter(worker)
  }

  private constructor(worker: Worker) {
    this.#worker = worker
  }

  listen(events: WriterEvents) {
    this.#worker.on("message", (message) => {
      if (message.type === "commit") events.commit(message.commit)
      if (message.type === "foreign") events.foreign()
    })
    this.#worker.on("error", (error) => events.ended(`the writer failed: ${String(error)}`))
    this.#worker.on("exit", () => events.ended("the store is closed"))
  }

  send(requests: readonly WriterRequest[]) {
    this.#post({ type: "requests", requests })
  }

  watch() {
    this.#post({ type: "watch" })
  }

  async close() {
    this.#post({ type: "close" })
    await once(this.#worker, "exit")
  }

  #post(message: ToWriter) {
    this.#worker.postMessage(message)
  }
}

class InlineWriter implements Writer {
  readonly #committer: Committer
  #events: WriterEvents | undefined
  #polling: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: SqliteOptions) {
    this.#committer = new Committer(options.file, options.clock)
  }

  listen(events: WriterEvents) {
    this.#events = events
  }

  send(requests: readonly WriterRequest[]) {
    if (this.#closed) return this.#events?.ended("the store is closed")
    this.#events?.commit(this.#committer.commit(requests))
  }

  watch() {
    this.#polling ??= setInterval(() => {
      if (this.#committer.changedByOthers()) this.#events?.foreign()
    }, FOREIGN_POLL_MS).unref()
  }

  async close() {
    this.#closed = true
    clearInterval(this.#polling)
    this.#committer.close()
  }
}

type WriteCalls = Pick<Store, keyof Writes>
type ReadCalls = Pick<Store, keyof AllReads>

function writesThrough(calls: Calls): WriteCalls {
  const names: (keyof Writes)[] = [...namesOf(OPERATIONS), "vacuum"]
  const entries = names.map((name) => [name, (input: unknown) => calls.call(name, input)])
  const append = async (input: Append) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is what this operation answers
    openAppended(input, (await calls.call("append", input)) as RawAppended)
  return { ...Object.fromEntries(entries), append }
}

/** Each a short look on a connection of its own that ends before it returns. */
function readsThrough(connection: SqliteConnection, statements: Statements): ReadCalls {
  const entries = Object.entries(readsOf(statements)).map(([name, read]) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a name and its input travel together
    const look = read as (...input: unknown[]) => Program<unknown>
    const plain = (...input: unknown[]) => runSqliteProgram(look(...input))
    const whole = SNAPSHOTS.has(name) ? connection.transaction(plain) : plain
    return [name, async (...input: unknown[]) => whole(...input)]
  })
  return Object.fromEntries(entries)
}

async function* exported(
  statements: Statements,
  session_id: string | null,
): AsyncIterable<ExportRow> {
  const listing = exportRows(statements, session_id)
  for (let step = listing.next([]); !step.done; step = listing.next([]))
    if ("type" in step.value) yield step.value
}
