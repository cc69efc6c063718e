import { setTimeout as sleep } from "node:timers/promises"
import { Refusal } from "../../message/refusal.ts"
import { OPERATIONS, type OperationName } from "../sql/operations/operations.ts"
import type { Outcome, Program } from "../sql/program.ts"
import { Transaction } from "../sql/transaction.ts"
import { ASK_XID } from "./dialect.ts"
import { isLost, notStored } from "./failure.ts"
import type { Link } from "./link.ts"
import { type Lock, LOCKS, statementsOf } from "./locks.ts"
import { patiently } from "./patience.ts"
import type { Pool } from "./pool.ts"
import { Unit } from "./unit.ts"

/** So long the outcome of a commit is asked for whose answer was lost. */
const VERDICT_MS = 15_000
const MIN_ASKED = 20

export interface Performed {
  readonly value: unknown
  readonly streams: ReadonlySet<string>
}

type AnyOperation = (tx: Transaction, input: unknown) => Program<unknown>

/** Performs operations, each in a transaction of its own that first takes the rows it is about. */
export class Writer {
  readonly #pool: Pool
  readonly #clock: () => number
  readonly #epoch: string
  #count = 0

  constructor(pool: Pool, about: { clock: () => number; epoch: string }) {
    this.#pool = pool
    this.#clock = about.clock
    this.#epoch = about.epoch
  }

  async perform(name: OperationName, input: unknown): Promise<Performed> {
    try {
      return await patiently(() => this.#attempt(name, input))
    } catch (error) {
      throw notStored(name, error)
    }
  }

  async #attempt(name: OperationName, input: unknown): Promise<Performed> {
    const committing: Committing = { xid: undefined, performed: undefined }
    try {
      return await this.#pool.use((link) => this.#on(link, { name, input, committing }))
    } catch (error) {
      if (!committing.performed || committing.xid === undefined) throw error
      return await this.#verdict(name, committing.xid, committing.performed)
    }
  }

  async #on(link: Link, request: Request): Promise<Performed> {
    const { name, input, committing } = request
    const unit = new Unit(link)
    unit.say("BEGIN")
    const lock = (LOCKS[name] as (input: unknown) => Lock)(input)
    const locked = unit.lock(statementsOf(lock))
    const txid = `${this.#epoch}-${++this.#count}`
    const tx = new Transaction(unit, { clock: this.#clock, txid, group: null })
    try {
      const value = await unit.drive((OPERATIONS[name] as AnyOperation)(tx, input))
      await unit.drive(tx.finish())
      const number = numberIn((await locked) ?? [])
      if (unit.failure !== undefined) throw unit.failure
      const performed = { value, streams: tx.streams }
      if (!tx.wrote) {
        await rollback(link)
        return performed
      }
      committing.xid = number ?? (await ownNumber(link))
      committing.performed = performed
      await commit(link, unit, committing)
      return performed
    } catch (error) {
      await rollback(link)
      throw error
    }
  }

  /** The answer to a commit was lost. Its transaction has a number, and the database knows what became
   *  of it: nothing is acknowledged that is not there, and nothing done twice. */
  async #verdict(name: OperationName, xid: string, performed: Performed): Promise<Performed> {
    const until = performance.now() + VERDICT_MS
    for (let asked = 1; ; asked++) {
      const status = await this.#statusOf(xid)
      if (status === "committed") return performed
      if (status === "aborted") throw lostBefore()
      if (performance.now() > until && asked >= MIN_ASKED)
        throw new Refusal(
          "storage_failed",
          `the database went away while ${name} was stored, and does not say whether it was: send it again`,
        )
      await sleep(100)
    }
  }

  async #statusOf(xid: string): Promise<string | undefined> {
    try {
      return await this.#pool.use(async (link) => {
        const { rows } = await link.ask(STATUS, [xid])
        return (rows[0] as { status: string } | undefined)?.status
      })
    } catch (error) {
      if (isLost(error) || error instanceof Refusal) return undefined
      throw error
    }
  }
}

interface Committing {
  xid: string | undefined
  /** Set once COMMIT is on its way. */
  performed: Performed | undefined
}

interface Request {
  readonly name: OperationName
  readonly input: unknown
  readonly committing: Committing
}

// A lock that found its row tells it; who locks nothing asks.
function numberIn(locked: readonly Outcome[]): string | undefined {
  const rows = locked.flatMap((outcome) => outcome.rows as { xid?: string }[])
  return rows.find(({ xid }) => xid !== undefined)?.xid
}

async function ownNumber(link: Link): Promise<string | undefined> {
  const { rows } = await link.ask(ASK_XID)
  return (rows[0] as { xid: string } | undefined)?.xid
}

const STATUS = "SELECT pg_xact_status(CAST(CAST(? AS TEXT) AS XID8)) AS status"

/** Whether it was committed is unknown only while no answer came: a statement that went wrong before
 *  makes the database roll back, and it says so. */
async function commit(link: Link, unit: Unit, committing: Committing) {
  try {
    const { command } = await link.say("COMMIT")
    if (command === "COMMIT") return
  } catch (error) {
    if (isLost(error)) throw error
    committing.performed = undefined
    throw error
  }
  committing.performed = undefined
  throw unit.failure ?? new Error("the database rolled back what it was to commit")
}

async function rollback(link: Link) {
  if (!link.broken) await link.say("ROLLBACK").catch(() => undefined)
}

function lostBefore(): Error {
  return Object.assign(new Error("the connection was lost before the commit"), { code: "08006" })
}
