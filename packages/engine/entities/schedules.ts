import { recordOf } from "compositor-core/message/untyped"
import { Refusal } from "compositor-core/message/refusal"
import type { StoredMessage } from "compositor-core/message/row"
import { Schedule } from "compositor-core/triggers/schedule"
import type { NewSchedule } from "./context.ts"
import type { EntityDependencies } from "./rooms.ts"
import type { KnownSchedule } from "./wake.ts"

const SCHEDULES = "$schedules"
const MAX_NAME_CHARACTERS = 200

interface Kept extends KnownSchedule {
  readonly trigger_id: string
}

/** What wakes an entity by the clock: triggers like any session's, under names of its own, with what
 *  its handler is to be told. */
export class Schedules {
  readonly #rooms: Pick<EntityDependencies, "store" | "schedule" | "unschedule">

  constructor(rooms: Pick<EntityDependencies, "store" | "schedule" | "unschedule">) {
    this.#rooms = rooms
  }

  async put(session_id: string, id: string, about: NewSchedule): Promise<{ txid: string }> {
    if (id === "" || id.length > MAX_NAME_CHARACTERS)
      throw new Refusal("invalid", `a schedule's name has 1 to ${MAX_NAME_CHARACTERS} characters`)
    const { payload = null, message_type } = about
    const schedule = Schedule.parse(about.schedule)
    const before = await this.#kept(session_id, id)
    const { trigger } = await this.#rooms.schedule(session_id, {
      schedule,
      prompt: promptOf(id, payload),
    })
    const value: Kept = {
      id,
      payload,
      trigger_id: trigger.id,
      ...(message_type === undefined ? {} : { message_type }),
    }
    const written = await this.#write(session_id, id, { ...value, schedule })
    // The one before goes last: a crash in between leaves two, and neither is lost.
    if (before) await this.#rooms.unschedule(before.trigger_id, session_id)
    return written
  }

  async remove(session_id: string, id: string): Promise<boolean> {
    const before = await this.#kept(session_id, id)
    if (!before) return false
    await this.#rooms.unschedule(before.trigger_id, session_id)
    await this.#write(session_id, id, null)
    return true
  }

  /** What was kept of the schedule that sent this message. */
  async of({ session_id, metadata }: StoredMessage): Promise<KnownSchedule | undefined> {
    const trigger = recordOf(metadata.trigger)
    if (typeof trigger?.schedule_id !== "string") return undefined
    const rows = await this.#rooms.store.entityRows(session_id, SCHEDULES)
    const found = rows.find(({ value }) => value.trigger_id === trigger.schedule_id)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- we wrote the row
    return found?.value as unknown as KnownSchedule | undefined
  }

  async #kept(session_id: string, id: string): Promise<Kept | undefined> {
    const row = await this.#rooms.store.entityRow(session_id, SCHEDULES, id)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- we wrote the row
    return row?.value as unknown as Kept | undefined
  }

  #write(session_id: string, key: string, value: Readonly<Record<string, unknown>> | null) {
    return this.#rooms.store.writeRow({
      session_id,
      effect: null,
      collection: SCHEDULES,
      event_type: "schedule",
      key,
      operation: value === null ? "delete" : "upsert",
      value,
    })
  }
}

function promptOf(id: string, payload: unknown): string {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload)
  return payload === null ? `The schedule ${id} fired.` : text
}
