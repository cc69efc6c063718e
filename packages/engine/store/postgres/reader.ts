import { type Program, rowsAs } from "../sql/program.ts"
import { exportRows, type Listing } from "../sql/reads/export-rows.ts"
import { readsOf, SNAPSHOTS } from "../sql/reads/reads.ts"
import type { ExportRow } from "../store.ts"
import { notRead } from "./failure.ts"
import type { PostgresLink } from "./link.ts"
import { patiently } from "./retry.ts"
import type { Pool } from "./pool.ts"
import { Unit } from "./read-driver.ts"
import { Yielding } from "./program-engine.ts"

type Read = (...input: unknown[]) => Program<unknown>

// Reads are asked for by their names, with what those take.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
const READS = readsOf(new Yielding()) as unknown as Record<string, Read>

export const READ_NAMES: readonly string[] = Object.keys(READS)

/** Reads. One that is true of any moment shares its connection with all others, because there each
 *  statement is sent without waiting for the one before; one that must be true of a single moment has a
 *  transaction to itself. */
export class PostgresReader {
  readonly #pool: Pool
  readonly #open: () => Promise<PostgresLink>
  #shared: Promise<PostgresLink> | undefined

  constructor(pool: Pool, open: () => Promise<PostgresLink>) {
    this.#pool = pool
    this.#open = open
  }

  async read(name: string, input: readonly unknown[]): Promise<unknown> {
    try {
      return await patiently(() => this.#once(name, input))
    } catch (error) {
      throw notRead(name, error)
    }
  }

  /** The rows of one moment, on a connection that nobody else has for as long as that takes. */
  async *exported(session_id: string | null): AsyncIterable<ExportRow> {
    const link = await this.#pool.take()
    try {
      const unit = new Unit(link)
      unit.say(SNAPSHOT)
      unit.say("SET LOCAL idle_in_transaction_session_timeout = 0")
      yield* listed(unit, exportRows(unit, session_id))
    } catch (error) {
      throw notRead("the export", error)
    } finally {
      await ended(link)
      this.#pool.give(link)
    }
  }

  /** Something that is another when anybody has committed since. */
  async mark(): Promise<string> {
    const link = await this.#link()
    const { rows } = await link.ask("SELECT CAST(pg_current_snapshot() AS TEXT) AS mark")
    return rowsAs<{ mark: string }>(rows)[0]?.mark ?? ""
  }

  async #once(name: string, input: readonly unknown[]): Promise<unknown> {
    const read = READS[name]
    if (!read) throw new Error(`there is no read ${name}`)
    if (SNAPSHOTS.has(name)) return this.#pool.use((link) => inOneMoment(link, read(...input)))
    return new Unit(await this.#link()).drive(read(...input))
  }

  // Nothing is awaited between looking and opening: of several who find none, one opens it.
  async #link(): Promise<PostgresLink> {
    const asked = (this.#shared ??= this.#open())
    const link = await asked.catch((error: unknown) => {
      this.#forget(asked)
      throw error
    })
    if (!link.broken) return link
    this.#forget(asked)
    return this.#link()
  }

  #forget(asked: Promise<PostgresLink>) {
    if (this.#shared === asked) this.#shared = undefined
  }
}

const SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

async function inOneMoment<T>(link: PostgresLink, program: Program<T>): Promise<T> {
  const unit = new Unit(link)
  unit.say(SNAPSHOT)
  try {
    return await unit.drive(program)
  } finally {
    await ended(link)
  }
}

async function ended(link: PostgresLink) {
  if (!link.broken) await link.say("COMMIT").catch(() => undefined)
}

async function* listed(unit: Unit, listing: Listing): AsyncIterable<ExportRow> {
  let step = listing.next([])
  while (!step.done) {
    if ("type" in step.value) {
      yield step.value
      step = listing.next([])
      continue
    }
    const outcomes = await unit.ask(step.value)
    step = outcomes ? listing.next(outcomes) : listing.throw(unit.failure)
  }
}
