import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { newId } from "../../src/message/id.ts"
import type { Mode } from "../../src/message/message.ts"
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts"
import type { Claim, Store } from "../../src/store/store.ts"
import { temporaryFolder } from "../build.ts"
import { ask, begin, keyOf, OWNER, textMessage } from "./build.ts"

type Ending = "finished" | "aborted" | "error"

type Action =
  | { readonly type: "send"; readonly mode: Mode }
  | { readonly type: "end"; readonly state: Ending }
  | { readonly type: "step" | "boundary" | "wait" | "resolve" | "abort" | "crash" | "claim" }
  | { readonly type: "release" | "cancel"; readonly pick: number }

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("send" as const), mode: modes() }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("end" as const), state: endings() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom("step", "boundary", "wait", "resolve", "abort", "crash", "claim"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom("release", "cancel"), pick: fc.nat(9) }),
  },
)

function modes() {
  return fc.constantFrom<Mode>("immediate", "queued", "paused", "steer")
}

function endings() {
  return fc.constantFrom<Ending>("finished", "finished", "aborted", "error")
}

/** A session, its runner, and what both must hold to whatever happens. */
class World {
  readonly #store: Store
  readonly #session_id: string
  /** In the order they were sent; those in `line` keep it when they fire. */
  readonly #line: string[] = []
  readonly #all: string[] = []
  readonly #cancelled = new Set<string>()
  readonly #places = new Map<string, number>()
  readonly #stale: Claim[] = []
  #claim: Claim | null = null
  #waiting: Claim | null = null

  constructor(store: Store, session_id: string) {
    this.#store = store
    this.#session_id = session_id
  }

  async perform(one: Action) {
    switch (one.type) {
      case "send":
        return this.#send(one.mode)
      case "end":
        return this.#end(one.state)
      case "step":
        return this.#step()
      case "boundary":
        if (this.#claim) await this.#store.takeSteers(keyOf(this.#claim.turn))
        return undefined
      case "wait":
        return this.#wait()
      case "resolve":
        return this.#resolve()
      case "abort":
        return this.#abort()
      case "crash":
        return this.#crash()
      case "claim":
        return this.#take()
      case "release":
      case "cancel":
        return this.#change(one.type, one.pick)
    }
  }

  /** Nothing is left behind once everyone says yes. */
  async drain() {
    for (let turn = 0; turn < 200; turn++) {
      await this.#resolve()
      await this.#end("finished")
      // It also opens a queue that an error stopped.
      for (const { id } of await this.#store.queue(this.#session_id)) await this.#release(id)
      await this.#take()
      if (!this.#claim && !this.#waiting) break
    }
    await this.check()
    for (const id of this.#all)
      expect([id, this.#places.has(id)]).toEqual([id, !this.#cancelled.has(id)])
  }

  async check() {
    const live = await this.#store.liveTurns()
    expect(live.length).toBe(this.#claim || this.#waiting ? 1 : 0)
    const { messages } = await this.#store.history(this.#session_id, { limit: 500 })
    const seqs = messages.map(({ seq }) => seq ?? -1)
    expect(seqs).toEqual(seqs.map((_, at) => at + 1))
    for (const { id, seq } of messages) {
      expect([id, this.#places.get(id) ?? seq]).toEqual([id, seq])
      expect(this.#cancelled.has(id)).toBe(false)
      this.#places.set(id, seq ?? -1)
    }
    const fired = this.#line.flatMap((id) => this.#places.get(id) ?? [])
    expect(fired).toEqual(fired.toSorted((a, b) => a - b))
    for (const { turn } of this.#stale)
      await expect(
        this.#store.recordStream({ ...keyOf(turn), message_id: "", deltas: [], parts: [] }),
      ).rejects.toMatchObject({ code: "stale" })
    this.#stale.splice(0)
  }

  async #send(mode: Mode) {
    const busy = this.#claim !== null || this.#waiting !== null
    const input = textMessage(this.#session_id, mode, { mode, owner: OWNER })
    const { message, claim } = await this.#store.append(input)
    this.#all.push(message.id)
    if (mode === "queued" || mode === "paused" || (mode === "immediate" && busy))
      this.#line.push(message.id)
    if (claim) this.#claim = claim
  }

  async #step() {
    if (!this.#claim) return
    const { turn } = this.#claim
    const message_id = await ask(this.#store, turn)
    const data = { type: "tool-do", tool_call_id: "c1", state: "input-available", input: {} }
    const part = { id: newId("prt"), index: 0, type: data.type, data_json: JSON.stringify(data) }
    const parts = [{ ...part, tool_call_id: "c1", tool_state: data.state }]
    const answer = { message_id, metadata: { finish: "tool-call" }, parts }
    await this.#store.endAnswer({ ...keyOf(turn), answer, usage: null })
  }

  async #wait() {
    if (!this.#claim) return
    await this.#step()
    const wait = { call_id: "c1", tool: "do", for: "approval", asks: [] } as const
    await this.#store.waitFor({ ...keyOf(this.#claim.turn), waiting: [{ ...wait, asks: [] }] })
    this.#waiting = this.#claim
    this.#stale.push(this.#claim)
    this.#claim = null
  }

  async #resolve() {
    if (!this.#waiting) return
    const { claim } = await this.#store.resolveCall({
      session_id: this.#session_id,
      turn_id: this.#waiting.turn.id,
      call_id: "c1",
      resolution: { type: "approve" },
      rules: [],
      owner: OWNER,
    })
    expect(claim?.turn.fence).toBeGreaterThan(this.#waiting.turn.fence)
    this.#waiting = null
    this.#claim = claim
  }

  async #end(state: Ending) {
    if (!this.#claim) return
    const { turn } = this.#claim
    const message_id = await ask(this.#store, turn)
    const { next, steered } = await this.#store.endTurn({
      ...keyOf(turn),
      state,
      usage: null,
      error: state === "error" ? { code: "broken", message: "it broke" } : null,
      answer: { message_id, metadata: { finish: state }, parts: [] },
      owner: OWNER,
      takes_steers: true,
    })
    if (steered.length > 0) return
    this.#stale.push(this.#claim)
    this.#claim = next
  }

  async #abort() {
    const { turn } = await this.#store.requestAbort({ session_id: this.#session_id, clear: false })
    expect(turn?.id).toBe((this.#claim ?? this.#waiting)?.turn.id)
    if (this.#waiting) this.#waiting = null
    else await this.#end("aborted")
  }

  async #crash() {
    const [live] = await this.#store.liveTurns()
    if (!this.#claim || !live) return
    const { turn, next } = await this.#store.interrupt({
      ...keyOf(this.#claim.turn),
      beat: live.beat,
      owner: OWNER,
      refire: true,
    })
    expect(turn).not.toBeNull()
    this.#stale.push(this.#claim)
    this.#claim = next
  }

  async #take() {
    const claim = await this.#store.claim({ session_id: this.#session_id, owner: OWNER })
    if (!claim) return
    expect(this.#claim ?? this.#waiting).toBeNull()
    this.#claim = claim
  }

  async #change(type: "release" | "cancel", pick: number) {
    const queue = await this.#store.queue(this.#session_id)
    const message = queue[pick % Math.max(1, queue.length)]
    if (!message) return
    if (type === "release") return this.#release(message.id)
    await this.#store.cancelQueued({ session_id: this.#session_id, message_id: message.id })
    this.#cancelled.add(message.id)
  }

  async #release(message_id: string) {
    const session_id = this.#session_id
    await this.#store.changeQueued({ session_id, message_id, state: "queued" })
  }
}

describe("a session", () => {
  it("[QUE-001] [QUE-004] [EA-022] [SES-071] keeps its promises whatever happens", async () => {
    const folder = await temporaryFolder()
    const store = await openSqliteStore({ file: join(folder, "compositor.db"), thread: false })
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const { id } = await begin(store)
        const world = new World(store, id)
        for (const one of actions) {
          await world.perform(one)
          await world.check()
        }
        await world.drain()
        await store.deleteSession({ session_id: id, cascade: false })
      }),
      { numRuns: 500 },
    )
    await store.close()
  }, 120_000)
})
