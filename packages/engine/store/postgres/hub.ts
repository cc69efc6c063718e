import { setTimeout as sleep } from "node:timers/promises"
import type { PostgresLink } from "./link.ts"

const CHANNEL = "compositor"
/** A payload is shorter than 8000 bytes; with more to say, anything may have changed. */
const MAX_PAYLOAD = 7900
const ANYTHING = "*"
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 5000
/** How often the database is asked whether anything happened while nobody would tell. */
const POLL_MS = 500

type OnStreamsChanged = (streams: ReadonlySet<string> | undefined) => void

/** Tells other nodes which streams changed, and hears it from them, on a connection of its own. What
 *  is told is told after its commit and in one piece while another is on its way: a notification inside
 *  the transaction would make all commits of all nodes queue up behind each other. */
export class Hub {
  readonly #node: string
  readonly #open: () => Promise<PostgresLink>
  readonly #mark: () => Promise<string>
  readonly #heard: OnStreamsChanged
  #link: PostgresLink | undefined
  #told = new Set<string>()
  #telling = false
  #closed = false
  #seen = ""
  readonly #closing = new AbortController()

  constructor(rooms: {
    node: string
    open: () => Promise<PostgresLink>
    /** Something that is another when anybody has committed since. */
    mark: () => Promise<string>
    heard: OnStreamsChanged
  }) {
    this.#node = rooms.node
    this.#open = rooms.open
    this.#mark = rooms.mark
    this.#heard = rooms.heard
  }

  async start() {
    this.#use(await this.#listening())
  }

  tell(streams: ReadonlySet<string>) {
    for (const stream of streams) this.#told.add(stream)
    void this.#flush()
  }

  close() {
    this.#closed = true
    this.#closing.abort()
    this.#link?.close()
  }

  async #flush() {
    const link = this.#link
    if (this.#telling || !link || this.#told.size === 0) return
    this.#telling = true
    const streams = this.#told
    this.#told = new Set()
    try {
      await link.ask("SELECT pg_notify(?, ?)", [CHANNEL, payloadOf(this.#node, streams)])
    } catch {
      for (const stream of streams) this.#told.add(stream)
      return
    } finally {
      this.#telling = false
    }
    void this.#flush()
  }

  async #listening(): Promise<PostgresLink> {
    const link = await this.#open()
    link.listen((payload) => this.#hear(payload))
    await link.say(`LISTEN ${CHANNEL}`)
    return link
  }

  #use(link: PostgresLink) {
    this.#link = link
    link.onBroken(() => void this.#again())
    void this.#flush()
  }

  #hear(payload: string) {
    const [node, ...streams] = payload.split(" ")
    if (node === this.#node) return
    this.#heard(streams[0] === ANYTHING ? undefined : new Set(streams))
  }

  // Until somebody tells us again we look for ourselves; what happened in between is anybody's guess.
  async #again() {
    if (this.#closed) return
    this.#link = undefined
    const looking = setInterval(() => void this.#look(), POLL_MS)
    try {
      const link = await this.#reconnected()
      if (!link) return
      this.#use(link)
      this.#heard(undefined)
    } finally {
      clearInterval(looking)
    }
  }

  async #reconnected(): Promise<PostgresLink | undefined> {
    for (let delay = FIRST_DELAY_MS; !this.#closed; delay = Math.min(delay * 2, MAX_DELAY_MS)) {
      try {
        return await this.#listening()
      } catch {
        await sleep(delay, undefined, { signal: this.#closing.signal }).catch(() => undefined)
      }
    }
    return undefined
  }

  async #look() {
    const mark = await this.#mark().catch(() => this.#seen)
    if (this.#closed || mark === this.#seen) return
    this.#seen = mark
    this.#heard(undefined)
  }
}

function payloadOf(node: string, streams: ReadonlySet<string>): string {
  const payload = [node, ...streams].join(" ")
  return Buffer.byteLength(payload) > MAX_PAYLOAD ? `${node} ${ANYTHING}` : payload
}
