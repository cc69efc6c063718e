import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { milliseconds, quantile, table } from "../bench/figures.ts"
import { newId } from "../src/message/id.ts"
import { FAST_FOLDER } from "./fast-folder.ts"
import { Random } from "./random.ts"
import { ServerProcess, type ServerReady } from "./server-process.ts"
import type { Firings } from "./turns-firings.ts"
import type { TurnsServerInput } from "./turns-server.ts"
import { type Freeze, readVerdict, type Sent } from "./turns-verdict.ts"
import { holdsWriteLock, isStopped } from "./write-lock.ts"

export interface TurnsOptions {
  readonly turns: number
  readonly seed: number
}

const SERVERS = 3
const SESSIONS = 48
const BURST = 20
/** A session that has had so many is left for another: what is tortured is who runs what, not how long
 *  a history is. */
const SESSION_MESSAGES = 200
const LEASE_MS = 2500
const HURT_MS = [2000, 8000] as const
const FREEZE_MS = [50, 4000] as const
const TELL_MS = 20_000
const LOOK_MS = 100
const REQUEST_MS = 5000
const DRAIN_MS = 120_000
const MAX_FIRING_MS = 250
const SCRIPT = "turns-server.ts"

/** Three servers over one folder, killed and frozen at random while they run turns; then what the folder
 *  says is held against what may be. */
export async function tortureTurns({ turns, seed }: TurnsOptions): Promise<boolean> {
  console.log(`turns: ${turns} turns, ${SERVERS} servers, --seed ${seed}`)
  const began = performance.now()
  const folder = await mkdtemp(join(FAST_FOLDER, "compositor-turns-"))
  const calls = join(folder, "calls")
  const crowd = new Crowd({ data: folder, lease_ms: LEASE_MS, calls }, seed)
  const run = await crowd.run(turns)
  const verdict = readVerdict(join(folder, "compositor.db"), { ...run, calls })
  const seconds = (performance.now() - began) / 1000
  const { firings } = verdict
  const [claimed, asked] = [firings.claimed_ms, firings.asked_ms].map((ms) => quantile(ms, 0.99))
  const gates: readonly (readonly [string, number, boolean])[] = [
    ["writes accepted from a stale fence", verdict.foreign_answers, verdict.foreign_answers === 0],
    ["turns with steps of two owners", verdict.two_owners, verdict.two_owners === 0],
    ["order inversions", verdict.inversions, verdict.inversions === 0],
    ["stuck messages", verdict.stuck, verdict.stuck === 0],
    ["acknowledged messages lost", verdict.lost, verdict.lost === 0],
    ["turns", verdict.turns, verdict.turns >= turns],
    ["idle to claim p99 (ms)", Math.round(claimed ?? Number.NaN), isPrompt(claimed)],
    ["idle to the model's call p99 (ms)", Math.round(asked ?? Number.NaN), isPrompt(asked)],
  ]
  const { kills, freezes } = run
  const held = freezes.filter((freeze) => freeze.held).length
  console.log(
    table(
      ["turns", "figure", "gate"],
      [
        ["kills, freezes, of them with the lock", `${kills}, ${freezes.length}, ${held}`, ""],
        ["interrupted, taken up again", `${verdict.interrupted}, ${verdict.refired}`, ""],
        ["turns a second", String(Math.round(verdict.turns / seconds)), ""],
        ...shown(firings),
        ...gates.map(([name, figure, isGood]) => [name, String(figure), isGood ? "ok" : "FAILED"]),
      ],
    ),
  )
  const clean = gates.every(([, , isGood]) => isGood)
  if (clean) await rm(folder, { recursive: true })
  else console.log(`the folder is kept for a look: ${folder}`)
  return clean
}

function isPrompt(ms: number | undefined): boolean {
  return ms !== undefined && ms <= MAX_FIRING_MS
}

function shown({ claimed_ms, asked_ms, ...counts }: Firings): string[][] {
  const middle = (values: readonly number[]) =>
    `${milliseconds(quantile(values, 0.5))}, ${milliseconds(quantile(values, 1))}`
  return [
    ["idle to claim p50, max", middle(claimed_ms), ""],
    ["idle to the model's call p50, max", middle(asked_ms), ""],
    ["waited at an idle session", String(counts.at_idle), ""],
    ["waited behind a take-over", String(counts.after_take_over), ""],
    ["not counted: the lock was with a stopped one", String(counts.locked), ""],
    ["killed between claim and call", String(counts.never_asked), ""],
  ]
}

interface Member {
  server: ServerProcess
  ready: ServerReady | undefined
}

/** The servers, those who hurt them, and those who send. */
class Crowd {
  readonly #input: TurnsServerInput
  readonly #random: Random
  readonly #members: Member[] = []
  readonly #sessions: string[] = []
  readonly #sent: Sent[] = []
  readonly #freezes: Freeze[] = []
  #kills = 0
  #stopping = false
  #hurting = true

  constructor(input: TurnsServerInput, seed: number) {
    this.#input = input
    this.#random = new Random(seed)
  }

  async run(turns: number) {
    for (let at = 0; at < SERVERS; at++) this.#members.push(await this.#start())
    const sending = Promise.all(Array.from({ length: SESSIONS }, () => this.#send()))
    const hurting = Promise.all(this.#members.map((member) => this.#hurt(member)))
    const telling = setInterval(() => this.#tell(), TELL_MS)
    while (this.#sent.length < turns) await pause(LOOK_MS)
    clearInterval(telling)
    this.#stopping = true
    await sending
    this.#hurting = false
    await hurting
    await this.#drain()
    for (const { server } of this.#members) await server.close()
    return { sent: this.#sent, freezes: this.#freezes, kills: this.#kills }
  }

  #tell() {
    const [sent, freezes] = [this.#sent.length, this.#freezes.length]
    console.log(`${sent} acknowledged, ${this.#kills} kills, ${freezes} freezes`)
  }

  async #start(): Promise<Member> {
    const server = new ServerProcess(this.#input, SCRIPT)
    return { server, ready: await server.ready() }
  }

  async #hurt(member: Member) {
    while (this.#hurting) {
      await pause(this.#random.between(...HURT_MS))
      if (this.#random.chance(0.3)) await this.#kill(member)
      else await this.#freeze(member)
    }
  }

  async #kill(member: Member) {
    member.ready = undefined
    await member.server.kill()
    this.#kills += 1
    const { server, ready } = await this.#start()
    member.server = server
    member.ready = ready
  }

  async #freeze(member: Member) {
    const { server } = member
    const from = Date.now()
    server.freeze()
    while (!isStopped(server.pid)) await pause(1)
    const held = holdsWriteLock(server.pid, join(this.#input.data, "compositor.db"))
    await pause(this.#random.between(...FREEZE_MS) * this.#random.next())
    server.thaw()
    this.#freezes.push({ from, to: Date.now(), held })
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
    for (let sent = 0; sent < SESSION_MESSAGES && !this.#stopping; sent += BURST) {
      for (let left = BURST; left > 0 && !this.#stopping; left--) {
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
