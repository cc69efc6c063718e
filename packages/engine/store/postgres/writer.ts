import { setTimeout as sleep } from "node:timers/promises"
import { Refusal } from "compositor-core/message/refusal"
import { type OperationName, operationOf } from "../sql/operations/operations.ts"
import { type StatementOutcome, rowsAs } from "../sql/program.ts"
import { Transaction } from "../sql/transaction.ts"
import { ASK_XID } from "./dialect.ts"
import { isLost, notStored, Undecided } from "./failure.ts"
import { StatementBatch, type Share } from "./statement-batch.ts"
import type { PostgresLink } from "./link.ts"
import { type Lock, LOCKS, statementsOf } from "./locks.ts"
import { patiently } from "./retry.ts"
import type { Pool } from "./pool.ts"

/** So long the outcome of a commit is asked for whose answer was lost. */
const VERDICT_MS = 15_000
const MIN_ASKED = 20

export interface OperationRequest {
  readonly name: OperationName
  readonly input: unknown
  /** The one session that it is about, where that is known. */
  readonly session_id?: string
}

export type Performed =
  | { readonly type: "done"; readonly value: unknown; readonly streams: ReadonlySet<string> }
  | { readonly type: "refused"; readonly refusal: Refusal }

type Done = Performed & { readonly wrote: boolean }

/** Performs operations, each in a transaction that first takes the rows it is about. */
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

  /** By itself, and again where others were in its way. */
  async alone(request: OperationRequest): Promise<Performed> {
    try {
      const [performed] = await patiently(() => this.together(this.#pool, [request]))
      if (!performed) throw new Error(`${request.name} has no outcome`)
      return performed
    } catch (error) {
      throw notStored(request.name, error)
    }
  }

  /** Several that are about different rows in one transaction, once: what one of them gets wrong when it
   *  has written already, all get wrong. */
  async together(pool: Pool, requests: readonly OperationRequest[]): Promise<readonly Performed[]> {
    const committing: Committing = { xid: undefined, performed: undefined }
    try {
      return await pool.use((link) => this.#on(link, requests, committing))
    } catch (error) {
      if (!committing.performed || committing.xid === undefined) throw error
      return await this.#verdict(committing.xid, committing.performed)
    }
  }

  async #on(link: PostgresLink, requests: readonly OperationRequest[], committing: Committing) {
    const gathering = new StatementBatch(link)
    gathering.begin()
    const members = requests.map((request) => ({ request, share: gathering.share() }))
    const locking = members.map(({ request, share }) =>
      share.lock(statementsOf(lockOf(request), request.session_id)),
    )
    try {
      const settled = await Promise.allSettled(
        members.map(({ request, share }) => this.#perform(share, request)),
      )
      const number = numberIn((await Promise.all(locking)).flat())
      // What one says of its own failure is more than what the database says.
      const [only, ...others] = settled
      if (only && others.length === 0) valueOf(only)
      if (gathering.failure !== undefined) throw gathering.failure
      const performed = settled.map(valueOf)
      if (performed.every(({ wrote }) => !wrote)) {
        await gathering.rollback()
        return performed
      }
      committing.xid = number ?? (await ownNumber(link))
      committing.performed = performed
      await commit(gathering, committing)
      return performed
    } catch (error) {
      await gathering.rollback()
      throw error
    }
  }

  async #perform(share: Share, { name, input }: OperationRequest): Promise<Done> {
    const txid = `${this.#epoch}-${++this.#count}`
    const tx = new Transaction(share, { clock: this.#clock, txid, group: null })
    try {
      const value = await share.drive(operationOf(name)(tx, input))
      await share.drive(tx.finish())
      return { type: "done", value, streams: tx.streams, wrote: tx.wrote }
    } catch (error) {
      if (!(error instanceof Refusal) || tx.wrote) throw error
      return { type: "refused", refusal: error, wrote: false }
    }
  }

  /** The answer to a commit was lost. Its transaction has a number, and the database knows what became
   *  of it: nothing is acknowledged that is not there, and nothing done twice. */
  async #verdict(xid: string, performed: readonly Performed[]): Promise<readonly Performed[]> {
    const until = performance.now() + VERDICT_MS
    for (let asked = 1; ; asked++) {
      const status = await this.#statusOf(xid)
      if (status === "committed") return performed
      if (status === "aborted") throw lostBefore()
      if (performance.now() > until && asked >= MIN_ASKED) throw new Undecided()
      await sleep(100)
    }
  }

  async #statusOf(xid: string): Promise<string | undefined> {
    try {
      return await this.#pool.use(async (link) => {
        const { rows } = await link.ask(STATUS, [xid])
        return rowsAs<{ status: string }>(rows)[0]?.status
      })
    } catch (error) {
      if (isLost(error) || error instanceof Refusal) return undefined
      throw error
    }
  }
}

export function lockOf({ name, input }: OperationRequest): Lock {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a name and its input travel together
  return (LOCKS[name] as (input: unknown) => Lock)(input)
}

interface Committing {
  xid: string | undefined
  /** Set once COMMIT is on its way. */
  performed: readonly Performed[] | undefined
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === "rejected") throw settled.reason
  return settled.value
}

// A lock that found its row tells it; who locks nothing asks.
function numberIn(locked: readonly (StatementOutcome | undefined)[]): string | undefined {
  const rows = locked.flatMap((outcome) => rowsAs<{ xid?: string }>(outcome?.rows ?? []))
  return rows.find(({ xid }) => xid !== undefined)?.xid
}

async function ownNumber(link: PostgresLink): Promise<string | undefined> {
  const { rows } = await link.ask(ASK_XID)
  return rowsAs<{ xid: string }>(rows)[0]?.xid
}

const STATUS = "SELECT pg_xact_status(CAST(CAST(? AS TEXT) AS XID8)) AS status"

/** Whether it was committed is unknown only while no answer came: a statement that went wrong before
 *  makes the database roll back, and it says so. */
async function commit(gathering: StatementBatch, committing: Committing) {
  try {
    const { command } = await gathering.commit()
    if (command === "COMMIT") return
  } catch (error) {
    if (isLost(error)) throw error
    committing.performed = undefined
    throw error
  }
  committing.performed = undefined
  throw gathering.failure ?? new Error("the database rolled back what it was to commit")
}

function lostBefore(): Error {
  return Object.assign(new Error("the connection was lost before the commit"), { code: "08006" })
}
