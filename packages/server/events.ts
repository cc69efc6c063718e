import { rowIn } from "compositor-core/message/told-row"
import { LIVE_TURN_STATES, type StreamEvent, type Turn } from "compositor-core/message/row"
import { ANSWER_HEADERS } from "./door.ts"
import type { Store } from "compositor-engine/store/store"
import { Lifecycle } from "./lifecycle.ts"
import { ANY, ChangeNotifier } from "./streams/change-notifier.ts"

const PAGE = 500
const PING_MS = 15_000

/** Where a reader stands: the next row to read, and how far into which turn's text it is. */
interface ReaderPosition {
  readonly next: number
  readonly turn_id: string | null
  readonly delta: number
}

/** `Last-Event-ID` as we wrote it: `<row>` or `<row>/<turn>/<delta>`; each names what was seen. */
export function positionAfter(id: string): ReaderPosition | undefined {
  const match = /^(-?\d+)(?:\/([\w]+)\/(\d+))?$/.exec(id)
  if (!match) return undefined
  const [, row, turn_id = null, delta] = match
  return { next: Number(row) + 1, turn_id, delta: delta === undefined ? 0 : Number(delta) + 1 }
}

export type EventStore = Pick<Store, "events" | "head" | "latestTurn" | "turn" | "watch">

/** A session's rows and the text of its running turn, as server-sent events: what was there, then
 *  what comes. Whoever leaves only stops listening; nothing is cancelled by it (SES-060). */
export function sessionEvents(
  store: EventStore,
  session_id: string,
  place: ReaderPosition,
): EventStream {
  const tail = new Tail(store, session_id, place)
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const text = await tail.next()
      if (text === undefined) controller.close()
      else controller.enqueue(new TextEncoder().encode(text))
    },
    cancel: () => tail.stop(),
  })
  return new EventStream(stream)
}

/** Events as bytes. They become a response where there is a wire. */
export class EventStream {
  readonly bytes: ReadableStream<Uint8Array>

  constructor(bytes: ReadableStream<Uint8Array>) {
    this.bytes = bytes
  }
}

export function eventStream(stream: ReadableStream<Uint8Array>): Response {
  return new Response(stream, {
    headers: {
      ...ANSWER_HEADERS,
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    },
  })
}

/** All sessions of the folder, each told anew when something of it changed: what a list of sessions
 *  follows; and what happens to their turns. Volatile: who was away reads the list again. */
export function folderEvents(
  store: Pick<Store, "watch" | "head" | "events">,
  describe: (session_id: string) => Promise<object | null>,
  isMeant: (session_id: string) => Promise<boolean>,
): Response {
  const changed = new Set<string>()
  const lifecycle = new Lifecycle(store)
  let missed = false
  const bell = new ChangeNotifier(store, ANY, (streams) => {
    missed ||= streams === undefined
    for (const id of streams ?? []) if (id.startsWith("ses_")) changed.add(id)
  })
  const news = async () => {
    let text = missed ? "event: reset\ndata: {}\n\n" : ""
    missed = false
    for (const id of takeAll(changed)) {
      if (!(await isMeant(id))) continue
      for (const { type, value } of await lifecycle.news(id))
        text += `event: lifecycle\ndata: ${JSON.stringify({ type, ...value })}\n\n`
      text += `event: row\ndata: ${JSON.stringify({ stream: id, type: "session", key: id, value: await describe(id) })}\n\n`
    }
    return text
  }
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const ping_at = Date.now() + PING_MS
      let text = ""
      // What is not for this reader is not told, not even by an empty line.
      while (text === "") {
        const rung = await bell.rung(Math.max(0, ping_at - Date.now()))
        if (bell.stopped) return controller.close()
        text = rung ? await news() : "event: ping\ndata: {}\n\n"
      }
      controller.enqueue(new TextEncoder().encode(text))
    },
    cancel: () => bell.stop(),
  })
  return eventStream(stream)
}

function takeAll(set: Set<string>): string[] {
  const all = [...set]
  set.clear()
  return all
}

class Tail {
  readonly #store: EventStore
  readonly #session_id: string
  readonly #bell: ChangeNotifier
  #next: number
  #turn_id: string | null
  #delta: number
  /** Turns up to this one are over, or are followed already. */
  #fence = 0
  #began = false

  constructor(store: EventStore, session_id: string, place: ReaderPosition) {
    this.#store = store
    this.#session_id = session_id
    this.#next = place.next
    this.#turn_id = place.turn_id
    this.#delta = place.delta
    this.#bell = new ChangeNotifier(store, session_id)
    if (place.turn_id !== null) this.#bell.alsoFor(place.turn_id)
  }

  async next(): Promise<string | undefined> {
    if (!this.#began) return this.#begin()
    for (;;) {
      if (this.#bell.stopped) return undefined
      const text = await this.#read()
      if (text !== "") return text
      const rung = await this.#bell.rung(PING_MS)
      if (!rung && !this.#bell.stopped) return "event: ping\ndata: {}\n\n"
    }
  }

  stop() {
    this.#bell.stop()
  }

  async #begin(): Promise<string> {
    this.#began = true
    const head = await this.#store.head(this.#session_id)
    const latest = await this.#store.latestTurn(this.#session_id)
    if (!(await this.#isOurTurn())) this.#turn_id = null
    if (latest && isLive(latest)) this.#follow(latest)
    this.#fence = latest?.fence ?? 0
    if (this.#next >= head.first_seq && this.#next <= head.next_seq) return "retry: 1000\n\n"
    this.#next = head.first_seq
    return "retry: 1000\n\nevent: reset\ndata: {}\n\n"
  }

  async #read(): Promise<string> {
    // The text first: the row that ends a part must not come before the end of its text.
    const deltas = await this.#readDeltas()
    const head = await this.#store.head(this.#session_id)
    if (this.#next < head.first_seq) {
      this.#next = head.first_seq
      return `${deltas}event: reset\ndata: {}\n\n`
    }
    const rows = await this.#store.events(this.#session_id, this.#next, PAGE)
    return deltas + rows.map((row) => this.#row(row)).join("")
  }

  #row(event: StreamEvent): string {
    this.#next = event.seq + 1
    const turn = rowIn(event, "turn")
    if (turn) this.#hear(turn)
    return `event: row\nid: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`
  }

  async #readDeltas(): Promise<string> {
    if (this.#turn_id === null) return ""
    const events = await this.#store.events(this.#turn_id, this.#delta, PAGE)
    return events.map((event) => this.#text(event)).join("")
  }

  #text(event: StreamEvent): string {
    this.#delta = event.seq + 1
    const id = `${this.#next - 1}/${this.#turn_id}/${event.seq}`
    return `event: delta\nid: ${id}\ndata: ${JSON.stringify(event.value)}\n\n`
  }

  // A reader who comes back names the turn it was in; another session's is none of its business.
  async #isOurTurn(): Promise<boolean> {
    if (this.#turn_id === null) return false
    const turn = await this.#store.turn(this.#turn_id)
    return turn?.session_id === this.#session_id
  }

  // Rows that are replayed tell of turns that began long ago: their text is in rows of its own.
  #hear(turn: Turn) {
    if (turn.fence <= this.#fence || !isLive(turn)) return
    this.#fence = turn.fence
    this.#follow(turn)
  }

  #follow({ id }: Turn) {
    if (this.#turn_id === id) return
    this.#turn_id = id
    this.#delta = 0
    this.#bell.alsoFor(id)
  }
}

function isLive(turn: Turn): boolean {
  return LIVE_TURN_STATES.some((state) => state === turn.state)
}
