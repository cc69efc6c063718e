import { setTimeout as pause } from "node:timers/promises"
import { newId } from "../../packages/core/message/id.ts"
import { Random } from "./random.ts"
import { ServerProcess, type ServerReady } from "./server-process.ts"
import type { TurnsServerInput } from "./turns-server.ts"
import type { Freeze, Sent } from "./turns-verdict.ts"
import { isStopped } from "./write-lock.ts"

export interface CrowdOptions {
  /** What each server is started with. */
  readonly inputs: readonly TurnsServerInput[]
  readonly seed: number
  /** So many send at once, each to a session of its own. */
  readonly senders: number
  /** A session that has had so many is left for another: what is tortured is who runs what, not how
   *  long a history is. */
  readonly session_messages: number
  readonly burst: number
  readonly freeze_ms: readonly [number, number]
  /** Whether a stopped process keeps all others from writing. */
  readonly holds: (pid: number) => boolean
  /** Whatever else is done to them, now and then. */
  readonly cut?: () => Promise<void>
}

/** Of one of the servers, by its number; `to` is when another was there in its place. */
export interface Kill {
  readonly server: number
  readonly pid: number
  readonly from: number
  readonly to: number
}

const STARTS = 5
const SCRIPT = "turns-server.ts"
const HURT_MS = [2000, 8000] as const
const CUT_MS = [500, 3000] as const
const TELL_MS = 20_000
const LOOK_MS = 100
const REQUEST_MS = 5000
const DRAIN_MS = 120_000

interface Member {
  readonly input: TurnsServerInput
  server: ServerProcess
  ready: ServerReady | undefined
}

/** The servers, those who hurt them, and those who send. */
export class Crowd {
  readonly #options: CrowdOptions
  readonly #random: Random
  readonly #members: Member[] = []
  readonly #sessions: string[] = []
  readonly #sent: Sent[] = []
  readonly #freezes: Freeze[] = []
  readonly #kills: Kill[] = []
  #cuts = 0
  #stopping = false
  #hurting = true

  constructor(options: CrowdOptions) {
    this.#options = options
    this.#random = new Random(options.seed)
  }

  async run(turns: number) {
    try {
      return await this.#run(turns)
    } catch (error) {
      await Promise.all(this.#members.map(({ server }) => server.kill()))
      throw error
    }
  }

  async #run(turns: number) {
    const { inputs, senders } = this.#options
    for (const input of inputs) this.#members.push(await this.#start(input))
    const sending = Promise.all(Array.from({ length: senders }, () => this.#send()))
    const hurting = Promise.all([
      ...this.#members.map((member, server) => this.#hurt(member, server)),
      this.#cutAgainAndAgain(),
    ])
    const telling = setInterval(() => this.#tell(), TELL_MS)
    await Promise.race([this.#sentAll(turns), Promise.all([sending, hurting])])
    clearInterval(telling)
    this.#stopping = true
    await sending
    this.#hurting = false
    await hurting
    await this.#drain()
    for (const { server } of this.#members) await server.close()
    return {
      sent: this.#sent,
      freezes: this.#freezes,
      kills: this.#kills,
      cuts: this.#cuts,
      sessions: this.#sessions.length,
    }
  }

  async #sentAll(turns: number) {
    while (this.#sent.length < turns) await pause(LOOK_MS)
  }

  #tell() {
    const [sent, freezes] = [this.#sent.length, this.#freezes.length]
    console.log(`${sent} acknowledged, ${this.#kills.length} kills, ${freezes} freezes`)
  }

  /** One that was hurt before it was there is started again. */
  async #start(input: TurnsServerInput): Promise<Member> {
    for (let left = STARTS; ; left--) {
      const server = new ServerProcess(input, SCRIPT)
      const ready = await server.ready().catch(() => undefined)
      if (ready) return { input, server, ready }
      if (left <= 1) throw new Error(`a server did not start, ${STARTS} times`)
    }
  }

  async #hurt(member: Member, server: number) {
    while (this.#hurting) {
      await pause(this.#random.between(...HURT_MS))
      if (this.#random.chance(0.3)) await this.#kill(member, server)
      else await this.#freeze(member, server)
    }
  }

  async #cutAgainAndAgain() {
    const { cut } = this.#options
    if (!cut) return
    while (this.#hurting) {
      await pause(this.#random.between(...CUT_MS))
      await cut()
      this.#cuts += 1
    }
  }

  async #kill(member: Member, server: number) {
    const { pid } = member.server
    member.ready = undefined
    const from = Date.now()
    await member.server.kill()
    const started = await this.#start(member.input)
    member.server = started.server
    member.ready = started.ready
    this.#kills.push({ server, pid, from, to: Date.now() })
  }

  async #freeze(member: Member, at: number) {
    const { server } = member
    const from = Date.now()
    server.freeze()
    while (!isStopped(server.pid)) await pause(1)
    const held = this.#options.holds(server.pid)
    await pause(this.#random.between(...this.#options.freeze_ms) * this.#random.next())
    server.thaw()
    this.#freezes.push({ server: at, from, to: Date.now(), held })
  }

  async #send() {
    while (!this.#stopping) {
      const id = newId("ses")
      this.#sessions.push(id)
      await this.#call("POST", "/v1/sessions", { id, model: "scripted", workspace_root: null })
      await this.#fill(id)
    }
  }

  /** One after the other, so that their order is known; as many at once as keep a queue. */
  async #fill(session_id: string) {
    const { session_messages, burst } = this.#options
    for (let sent = 0; sent < session_messages && !this.#stopping; sent += burst) {
      for (let left = burst; left > 0 && !this.#stopping; left--) {
        const id = newId("msg")
        const text = this.#random.chance(0.2) ? `${id}!` : id
        const mode = this.#random.chance(0.5) ? "queued" : "immediate"
        const message = { id, mode, parts: [{ type: "text", text }] }
        await this.#call("POST", `/v1/sessions/${session_id}/messages`, message)
        this.#sent.push({ id, session_id })
      }
      // Sometimes the next finds others that wait, sometimes a session where nothing runs.
      const left = this.#random.chance(0.5) ? 1 : 0
      while ((await this.#waiting(session_id)) > left) await pause(LOOK_MS)
    }
  }

  async #waiting(session_id: string): Promise<number> {
    const { queued = 0 } = await this.#call("GET", `/v1/sessions/${session_id}`)
    return Number(queued)
  }

  async #drain() {
    const began = performance.now()
    for (const id of this.#sessions)
      for (;;) {
        const { queued, status } = await this.#call("GET", `/v1/sessions/${id}`)
        if (Number(queued) === 0 && (status as { state: string }).state === "idle") break
        if (performance.now() - began > DRAIN_MS) return
        await pause(50)
      }
  }

  /** Whoever answers first; what got no answer is asked again, of another. */
  async #call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    for (;;) {
      const { ready } = this.#random.pick(this.#members)
      const answer = ready && (await request(ready, { method, path, body }).catch(() => undefined))
      // A session that a first try made is there already.
      if (answer && (answer.status < 300 || answer.status === 409)) return answer.body
      if (answer && answer.status < 500)
        throw new Error(
          `${method} ${path} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`,
        )
      await pause(5)
    }
  }
}

async function request(
  { url, token }: ServerReady,
  { method, path, body }: { method: string; path: string; body: object | undefined },
) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_MS),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
