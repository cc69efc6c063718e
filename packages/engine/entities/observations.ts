import type { StreamEvent } from "compositor-core/message/row"
import { printOffset } from "../streams/offset.ts"
import type { StoredObservation } from "../store/store.ts"
import { digestOf } from "../submit/digest.ts"
import { derivedId } from "./address.ts"
import type { EntityDependencies } from "./rooms.ts"
import type { WakeMetadata } from "./wake.ts"

const PAGE = 500
/** So many changes are told with a wake; the stream has them all. */
const MAX_CHANGES = 100

type ObservationRooms = Pick<EntityDependencies, "store" | "submitRooms" | "take" | "log">
type Changes = Extract<WakeMetadata, { type: "observation" }>["changes"]

/** Wakes entities when others that they observe change. What was told is kept beside the observation,
 *  and a wake's id follows from where it begins: whoever tells it, it is told once. */
export class Observations {
  readonly #rooms: ObservationRooms
  #unwatch: (() => void) | undefined
  #telling: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(rooms: ObservationRooms) {
    this.#rooms = rooms
  }

  start() {
    this.#unwatch = this.#rooms.store.watch((streams) => this.#soon(streams))
    this.#soon(undefined)
  }

  async stop() {
    this.#stopped = true
    this.#unwatch?.()
    await this.#telling
  }

  #soon(streams: ReadonlySet<string> | undefined) {
    const sessions = streams && [...streams].filter((id) => id.startsWith("ses_"))
    if (this.#stopped || sessions?.length === 0) return
    this.#telling = this.#telling
      .then(() => this.#tellAll(sessions))
      .catch((error: unknown) => this.#rooms.log?.(`telling observers failed: ${String(error)}`))
  }

  async #tellAll(sessions: readonly string[] | undefined) {
    if (this.#stopped) return
    const { store } = this.#rooms
    const found = sessions
      ? (await Promise.all(sessions.map((id) => store.observationsOf(id)))).flat()
      : await store.observations()
    for (const observation of found) await this.#tell(observation)
  }

  async #tell(observation: StoredObservation) {
    const { store } = this.#rooms
    const { observer, observed, seen } = observation
    const events = await store.events(observed, seen, PAGE)
    const last = events.at(-1)
    if (!last) return
    const to = last.seq + 1
    const changes = events.filter((event) => concerns(observation, event)).map(changeOf)
    if (changes.length > 0) await this.#wake(observation, to, changes.slice(-MAX_CHANGES))
    // Rows that concern nobody are passed over only now and then: each would be a write.
    if (changes.length > 0 || events.length >= PAGE)
      await store.seeObservation({ observer, observed, from: seen, to })
  }

  async #wake({ observer, observed, seen }: StoredObservation, to: number, changes: Changes) {
    const { store } = this.#rooms
    const entity = await store.entityOf(observed)
    const session = await store.session(observer)
    if (!session || session.archived_at !== null) return
    const wake: WakeMetadata = {
      type: "observation",
      entity: { type: entity?.type ?? "session", id: entity?.name ?? observed },
      changes,
      from_offset: printOffset(seen),
      to_offset: printOffset(to),
    }
    const appended = await store.append({
      session_id: observer,
      message_id: derivedId("msg", observer, ["observation", observed, seen]),
      metadata: { wake },
      // Two processes may see another number of changes: it is the same wake.
      digest: digestOf(["observation", observed, seen]),
      parts: [],
      captures: [],
      mode: "queued",
      position: null,
      expected_turn_id: null,
      title: null,
      owner: this.#rooms.submitRooms().owner,
    })
    if (appended.claim) this.#rooms.take(appended.claim)
  }
}

function concerns({ collections }: StoredObservation, { type }: StreamEvent): boolean {
  return collections.length === 0 ? type === "turn-finished" : collections.includes(type)
}

function changeOf({ type, key, value, headers }: StreamEvent): Changes[number] {
  const told = value === null ? {} : { value }
  return { type, key, operation: headers.operation, ...told }
}
