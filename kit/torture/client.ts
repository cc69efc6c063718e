import { setTimeout as pause } from "node:timers/promises"
import { newId } from "../../packages/core/message/id.ts"
import type { Door, Reply } from "./door.ts"
import type { Ledger, SentMessage } from "./ledger.ts"
import type { Random } from "./random.ts"

export interface ClientRooms {
  readonly door: Door
  readonly ledger: Ledger
  readonly random: Random
  readonly client: number
  /** A session that every client writes to and none deletes. */
  readonly shared: string
}

const OWN_SESSIONS = 2
const MAX_BURST = 4
const MAX_PAUSE_MS = 60
/** So long a client that was told that a queue is full leaves it alone. */
const FULL_PAUSE_MS = 500

/** One client: sends, cancels, repeats itself and deletes, and notes what it was promised. */
export class Client {
  readonly #rooms: ClientRooms
  readonly #own: string[] = []
  #stopping = false

  constructor(rooms: ClientRooms) {
    this.#rooms = rooms
  }

  async run() {
    while (this.#own.length < OWN_SESSIONS) await this.#create()
    while (!this.#stopping) await this.#step()
  }

  stop() {
    this.#stopping = true
  }

  async #step() {
    const { random } = this.#rooms
    const sent = (await this.#burst()).filter(({ sending }) => sending !== "refused")
    if (sent.length === 0) return pause(FULL_PAUSE_MS)
    if (random.chance(0.25)) await this.#cancel(random.pick(sent))
    if (random.chance(0.1)) await this.#repeat(random.pick(sent))
    if (random.chance(0.05)) await this.#contradict(random.pick(sent))
    if (random.chance(0.04)) await this.#replaceSession()
    await pause(random.between(0, MAX_PAUSE_MS))
  }

  async #burst(): Promise<SentMessage[]> {
    const { random, shared } = this.#rooms
    const session_id = random.pick([...this.#own, shared])
    const sent: SentMessage[] = []
    for (let left = random.between(1, MAX_BURST); left > 0; left--)
      sent.push(await this.#send(session_id))
    return sent
  }

  async #send(session_id: string): Promise<SentMessage> {
    const { ledger, client, random } = this.#rooms
    const id = newId("msg")
    const text = `${id} ${"words ".repeat(random.between(1, 200))}`
    const message = ledger.message({ id, session_id, client, text })
    const reply = await this.#post(message, random.chance(0.4) ? "queued" : "immediate")
    if (isFull(reply)) message.sending = "refused"
    else if (this.#expect(reply, [201], "a send") && this.#isNew(reply, message))
      message.sending = "acknowledged"
    return message
  }

  #post({ id, session_id, text }: SentMessage, mode: string): Promise<Reply> {
    const parts = [{ type: "text", text }]
    const path = `/v1/sessions/${session_id}/messages`
    return this.#rooms.door.call("POST", path, { id, parts, mode })
  }

  // A first try that was heard makes the second a replay; a send made once must not be one.
  #isNew({ body, retried }: Reply, { id }: SentMessage): boolean {
    const message = body.message as { id: string }
    if (message.id !== id) this.#surprise(`the send of ${id} was answered with ${message.id}`)
    if (body.replayed === true && !retried) this.#surprise(`${id} was there before it was sent`)
    return true
  }

  async #cancel(message: SentMessage) {
    if (message.cancellation !== "never") return
    message.cancellation = "asked"
    const path = `/v1/sessions/${message.session_id}/queue/${message.id}`
    const reply = await this.#rooms.door.call("DELETE", path)
    if (this.#expect(reply, [200, 409], "a cancel") && reply.status === 200)
      message.cancellation = "acknowledged"
  }

  async #repeat(message: SentMessage) {
    const reply = await this.#post(message, "immediate")
    if (this.#expect(reply, [201], "a repeated send") && reply.body.replayed !== true)
      this.#surprise(`${message.id} was accepted twice`)
  }

  async #contradict(message: SentMessage) {
    const reply = await this.#post({ ...message, text: "something else" }, "immediate")
    this.#expect(reply, [409], "another message under the same id")
  }

  async #replaceSession() {
    const { door, ledger } = this.#rooms
    const id = this.#own.shift()
    const session = id && ledger.sessions.get(id)
    if (!session) return
    session.deletion = "asked"
    const reply = await door.call("DELETE", `/v1/sessions/${session.id}`)
    if (this.#expect(reply, reply.retried ? [200, 404] : [200], "a deletion"))
      session.deletion = "acknowledged"
    await this.#create()
  }

  async #create() {
    const session = this.#rooms.ledger.session(newId("ses"))
    const reply = await createSession(this.#rooms.door, session.id)
    if (this.#expect(reply, reply.retried ? [201, 409] : [201], "a new session"))
      session.creation = "acknowledged"
    this.#own.push(session.id)
  }

  #expect({ status, body }: Reply, wanted: readonly number[], what: string): boolean {
    if (wanted.includes(status)) return true
    this.#surprise(`${what} was answered with ${status}: ${JSON.stringify(body)}`)
    return false
  }

  #surprise(what: string) {
    this.#rooms.ledger.surprises.push(`client ${this.#rooms.client}: ${what}`)
  }
}

function isFull({ status, body }: Reply): boolean {
  return status === 429 && (body.error as { code?: string } | undefined)?.code === "queue_full"
}

export function createSession(door: Door, id: string): Promise<Reply> {
  return door.call("POST", "/v1/sessions", { id, model: "scripted", workspace_root: null })
}
