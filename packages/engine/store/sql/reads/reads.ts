import type { EntityReads, PrincipalReads, Reads, TriggerReads } from "../../store.ts"
import type { SqlReader, Programs } from "../program.ts"
import { DurableReads } from "./durable-reads.ts"
import { EntityPrograms } from "./entity-reads.ts"
import { PrincipalPrograms } from "./principal-reads.ts"
import { SessionReads } from "./session-reads.ts"
import { StreamReads } from "./stream-reads.ts"
import { HistoryReads } from "./told-reads.ts"
import { TriggerPrograms } from "./trigger-reads.ts"
import { TurnReads } from "./turn-reads.ts"

export type AllReads = Reads & TriggerReads & EntityReads & PrincipalReads

/** Every read by its name. */
export function readsOf(asking: SqlReader): Programs<AllReads> {
  const rooms = [
    SessionReads,
    HistoryReads,
    TurnReads,
    StreamReads,
    DurableReads,
    EntityPrograms,
    TriggerPrograms,
    PrincipalPrograms,
  ]
  const reads = rooms.flatMap((Room) => methodsOf(new Room(asking)))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- together these classes have every read
  return Object.fromEntries(reads) as Programs<AllReads>
}

/** What these tell must be true of one moment: a page and the offset from which its reader follows the
 *  stream, for one. */
export const SNAPSHOTS: ReadonlySet<string> = new Set<keyof AllReads>(["history"])

function methodsOf(room: object): [string, unknown][] {
  const prototype: Record<string, (...input: unknown[]) => unknown> = Object.getPrototypeOf(room)
  return Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== "constructor")
    .map((name) => [name, prototype[name]?.bind(room)])
}
