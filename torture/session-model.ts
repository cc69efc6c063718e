import assert from "node:assert/strict"
import { newId } from "../src/message/id.ts"
import type { Mode } from "../src/message/message.ts"
import type { Turn } from "../src/message/row.ts"
import { allOf, sinceCompaction } from "../src/session/since-compaction.ts"
import type { Claim, Store } from "../src/store/store.ts"
import type { Action, Ending, PLAIN } from "./session-actions.ts"
import {
  type Described,
  EDITING_MS,
  firing,
  isSteer,
  keyOf,
  type Live,
  messageOf,
  OWNER,
  partOf,
  stopped,
  toldOf,
} from "./session-lists.ts"

const MAX_SESSIONS = 4

/** The store's clock, which can be moved. */
export interface Clock {
  readonly now: () => number
  readonly tick: (hours: number) => void
}

/** Does everything twice: to the store, and to lists; and looks whether both say the same. */
export class SessionModel {
  readonly #store: Store
  readonly #tick: Clock["tick"]
  readonly #now: Clock["now"]
  readonly #sessions: Described[] = []
  /** Where each summary says that its tail begins. */
  readonly #tails = new Map<string, string | null>()
  readonly #texts = new Map<string, string>()
  readonly #stale: Turn[] = []
  #at = 0

  constructor(store: Store, { tick, now }: Clock) {
    this.#store = store
    this.#tick = tick
    this.#now = now
  }

  async begin() {
    const id = newId("ses")
    const model = { provider_id: "scripted", model_id: "scripted" }
    const about = { agent: "assistant", title: null, workspace_root: null, metadata: {} }
    await this.#store.createSession({ id, model, ...about })
    this.#add(id, [])
  }

  async perform(one: Action) {
    const session = this.#current()
    switch (one.type) {
      case "send":
        return this.#send(session, one.mode)
      case "end":
        return this.#end(session, one.state)
      case "abort":
        return this.#abort(session, one.clear)
      case "clock":
        return this.#tick(one.hours)
      case "edit":
      case "cancel":
      case "pause":
      case "hold":
      case "release":
        return this.#change(session, one)
      case "reorder":
        return this.#reorder(session, one)
      case "compact":
        return this.#compact(session, one.at)
      case "branch":
        return this.#branch(session, one.at)
      case "rewind":
        return this.#rewind(session, one.at)
      case "unrewind":
        return this.#unrewind(session)
      case "go":
        this.#at = one.to % this.#sessions.length
        return undefined
      case "ask":
      case "step":
      case "boundary":
      case "wait":
      case "resolve":
      case "crash":
      case "claim":
        return this.#run(session, one.type)
    }
  }

  /** All that the store says of the session at hand. */
  async check() {
    const session = this.#current()
    const { id } = session
    const { messages } = await this.#store.history(id, { limit: 500 })
    assert.deepEqual(messages.map((message) => message.id).slice(-500), session.said.slice(-500))
    const queue = await this.#store.queue(id)
    assert.deepEqual(
      queue.map((message) => [message.id, message.state, message.parts[0]?.data.text]),
      session.queue.map(({ id, state, text }) => [id, state, text]),
    )
    const latest = await this.#store.latestTurn(id)
    const isLive = latest !== null && latest.ended_at === null
    assert.equal(isLive ? latest.id : null, session.live?.turn.id ?? null)
    assert.equal((await this.#store.session(id))?.drain, session.drain)
    for (const { id, parts } of messages)
      if (this.#texts.has(id)) assert.equal(parts[0]?.data.text, this.#texts.get(id))
    await this.#checkTold(session)
    for (const turn of this.#stale.splice(0))
      await assert.rejects(
        this.#store.recordStream({ ...keyOf(turn), message_id: "", deltas: [], parts: [] }),
        { code: "stale" },
      )
  }

  /** Once everyone says yes nothing is left behind, in any session. */
  async drain() {
    for (const [at, session] of this.#sessions.entries()) {
      this.#at = at
      for (let turn = 0; turn < 500; turn++) {
        await this.#run(session, "resolve")
        await this.#end(session, "finished")
        for (const { id } of session.queue) await this.#release(session, id)
        await this.#run(session, "claim")
        if (!session.live && session.queue.length === 0) break
      }
      await this.check()
      assert.deepEqual([session.live, session.queue], [null, []])
    }
  }

  #add(id: string, said: readonly string[]) {
    this.#sessions.push({ id, said, left: [], queue: [], live: null, drain: "open" })
  }

  #current(): Described {
    const session = this.#sessions[this.#at]
    if (!session) throw new Error("there is no session yet")
    return session
  }

  // What the next request would tell, and what the lists say it should.
  async #checkTold({ id, said }: Described) {
    const told = allOf(sinceCompaction(await this.#store.rawHistory(id)))
    assert.deepEqual(
      told.map((message) => message.id),
      toldOf(said, this.#tails),
    )
  }

  async #send(session: Described, mode: Mode) {
    const busy = session.live !== null
    const id = newId("msg")
    const text = `said ${id}`
    const { message, claim } = await this.#store.append(messageOf(session.id, { id, text, mode }))
    assert.equal(message.id, id)
    this.#texts.set(id, text)
    const state = mode === "paused" ? "paused" : "queued"
    const waits = busy && mode === "immediate" ? "queued" : mode
    session.queue.push({ id, text, state, mode: waits, until: 0 })
    this.#fired(session, claim, busy)
    await this.#sendAgain(session, { id, text, mode })
  }

  async #sendAgain(session: Described, sent: { id: string; text: string; mode: Mode }) {
    const again = await this.#store.append(messageOf(session.id, sent))
    assert.deepEqual([again.replayed, again.claim, again.message.id], [true, null, sent.id])
  }

  /** What should fire now, and what the store says did. */
  #fired(session: Described, claim: Claim | null, busy = false) {
    const expected = busy ? undefined : firing(session, this.#now())
    assert.equal(claim?.turn.message_id, expected?.id)
    if (!claim || !expected) return
    session.queue = session.queue.filter((one) => one !== expected)
    session.said = [...session.said, expected.id]
    session.drain = "open"
    session.live = { turn: claim.turn, waiting: false }
  }

  async #run(session: Described, what: (typeof PLAIN)[number]) {
    const { live } = session
    if (what === "claim") {
      const claim = await this.#store.claim({ session_id: session.id, owner: OWNER })
      return this.#fired(session, claim, live !== null)
    }
    if (!live || live.waiting !== (what === "resolve")) return undefined
    switch (what) {
      case "ask":
        return void (await this.#ask(session, live))
      case "step":
        return this.#step(session, live)
      case "boundary": {
        const { steered } = await this.#store.takeSteers(keyOf(live.turn))
        return this.#takeSteers(session, steered)
      }
      case "wait":
        return this.#wait(session, live)
      case "resolve":
        return this.#resolve(session, live)
      case "crash":
        return this.#crash(session, live)
      case "unrewind":
        return undefined
    }
  }

  async #ask(session: Described, { turn }: Live): Promise<string> {
    const message_id = newId("msg")
    await this.#store.recordRequest({
      ...keyOf(turn),
      api: "scripted",
      capabilities_revision: "1",
      system_prompt: { digest: "sha256:system", body: "Be kind." },
      tool_catalog: { digest: "sha256:tools", body: "[]" },
      receipts: [],
      captures: [],
      answer: { message_id, metadata: { turn_id: turn.id } },
    })
    session.said = [...session.said, message_id]
    return message_id
  }

  async #step(session: Described, live: Live) {
    const message_id = await this.#ask(session, live)
    const data = { type: "tool-do", tool_call_id: "c1", state: "input-available", input: {} }
    const part = { id: newId("prt"), index: 0, type: data.type, data_json: JSON.stringify(data) }
    const parts = [{ ...part, tool_call_id: "c1", tool_state: data.state }]
    const answer = { message_id, metadata: { finish: "tool-call" }, parts }
    await this.#store.endAnswer({ ...keyOf(live.turn), answer, usage: null })
  }

  #takeSteers(session: Described, steered: readonly string[]) {
    const expected = session.queue.filter(isSteer)
    assert.deepEqual(
      steered,
      expected.map(({ id }) => id),
    )
    session.queue = session.queue.filter((one) => !isSteer(one))
    session.said = [...session.said, ...steered]
  }

  async #wait(session: Described, live: Live) {
    await this.#step(session, live)
    const wait = { call_id: "c1", tool: "do", for: "approval", asks: [] } as const
    await this.#store.waitFor({ ...keyOf(live.turn), waiting: [{ ...wait, asks: [] }] })
    this.#stale.push(live.turn)
    live.waiting = true
  }

  async #resolve(session: Described, live: Live) {
    const { claim } = await this.#store.resolveCall({
      session_id: session.id,
      turn_id: live.turn.id,
      call_id: "c1",
      resolution: { type: "approve" },
      rules: [],
      owner: OWNER,
    })
    assert.ok(claim && claim.turn.fence > live.turn.fence)
    session.live = { turn: claim.turn, waiting: false }
  }

  async #end(session: Described, state: Ending) {
    const { live } = session
    if (!live || live.waiting) return
    const message_id = await this.#ask(session, live)
    const { next, steered } = await this.#store.endTurn({
      ...keyOf(live.turn),
      state,
      usage: null,
      error: state === "error" ? { code: "broken", message: "it broke" } : null,
      answer: { message_id, metadata: { finish: state }, parts: [] },
      owner: OWNER,
      takes_steers: true,
    })
    if (state === "finished" && session.queue.some(isSteer))
      return this.#takeSteers(session, steered)
    this.#over(session, live)
    if (state === "error") stopped(session)
    this.#fired(session, next)
  }

  #over(session: Described, { turn }: Live) {
    this.#stale.push(turn)
    session.live = null
  }

  async #abort(session: Described, clear: boolean) {
    const { live } = session
    const asked = await this.#store.requestAbort({ session_id: session.id, clear })
    assert.equal(asked.turn?.id, live?.turn.id)
    if (clear) session.queue = []
    if (live?.waiting) session.live = null
    else await this.#end(session, "aborted")
  }

  async #crash(session: Described, live: Live) {
    const found = (await this.#store.liveTurns()).find(({ turn }) => turn.id === live.turn.id)
    const { next } = await this.#store.interrupt({
      ...keyOf(live.turn),
      beat: found?.beat ?? -1,
      owner: OWNER,
      refire: true,
    })
    const { turn } = live
    this.#over(session, live)
    if (turn.attempt >= 3) return this.#fired(session, next)
    assert.deepEqual(
      [next?.turn.message_id, next?.turn.attempt],
      [turn.message_id, turn.attempt + 1],
    )
    if (next) session.live = { turn: next.turn, waiting: false }
  }

  async #change(session: Described, { type, at }: Extract<Action, { at: number }>) {
    const { id: session_id, queue } = session
    const one = queue[at % Math.max(1, queue.length)]
    if (!one) return
    const message_id = one.id
    if (type === "cancel") {
      await this.#store.cancelQueued({ session_id, message_id })
      session.queue = queue.filter((other) => other !== one)
    } else if (type === "release") await this.#release(session, message_id)
    else if (type === "edit") {
      one.text = `${one.text}, changed`
      this.#texts.set(one.id, one.text)
      const parts = [partOf(one.text)]
      await this.#store.changeQueued({ session_id, message_id, parts })
    } else {
      one.state = type === "pause" ? "paused" : "editing"
      one.until = this.#now() + EDITING_MS
      await this.#store.changeQueued({ session_id, message_id, state: one.state })
    }
  }

  async #release(session: Described, message_id: string) {
    const one = session.queue.find(({ id }) => id === message_id)
    if (!one) return
    await this.#store.changeQueued({ session_id: session.id, message_id, state: "queued" })
    if (one.state !== "editing") session.drain = "open"
    if (one.mode === "paused") one.mode = "queued"
    one.state = "queued"
  }

  async #reorder(session: Described, { at, after }: { at: number; after: number }) {
    const { queue } = session
    const one = queue[at % Math.max(1, queue.length)]
    if (!one) return
    const others = queue.filter((other) => other !== one)
    const place = after % (others.length + 1)
    const behind = others[place - 1]?.id ?? null
    await this.#store.changeQueued({ session_id: session.id, message_id: one.id, after: behind })
    session.queue = others.toSpliced(place, 0, one)
  }

  async #compact(session: Described, at: number) {
    const { live, said } = session
    if (!live || live.waiting) return
    const tail = at % 3 === 0 ? null : (said[said.length - 1 - (at % said.length)] ?? null)
    const message_id = newId("msg")
    const part = { type: "data-compaction", summary: "in short", auto: true } as const
    await this.#store.recordCompaction({
      ...keyOf(live.turn),
      compaction: {
        message_id,
        part_id: newId("prt"),
        part: { ...part, tail_start_id: tail, summary_tokens: 2 },
        context_tokens: 2,
        usage: null,
      },
      notice: "it was summarised",
    })
    this.#tails.set(message_id, tail)
    session.said = [...said, message_id]
  }

  async #branch(session: Described, at: number) {
    if (this.#sessions.length >= MAX_SESSIONS) return
    const { said, live } = session
    const settled = live ? said.indexOf(live.turn.message_id) : said.length
    const index = at % (said.length + 1)
    const point = said[index] ?? null
    const id = newId("ses")
    const branching = this.#store.branch({
      id,
      parent_id: session.id,
      from_message_id: point,
      title: null,
      metadata: {},
    })
    if (point !== null && index >= settled) return assert.rejects(branching, { code: "conflict" })
    await branching
    this.#add(id, point === null ? said.slice(0, settled) : said.slice(0, index + 1))
  }

  async #rewind(session: Described, at: number) {
    const { said, live } = session
    const index = at % (said.length + 1)
    const before_message_id = at % 7 === 0 ? null : (said[index] ?? null)
    const rewinding = this.#store.rewind({ session_id: session.id, before_message_id })
    if (live) return assert.rejects(rewinding, { code: "conflict" })
    await rewinding
    session.left.push(said)
    session.said = before_message_id === null ? [] : said.slice(0, index)
  }

  async #unrewind(session: Described) {
    const { said, live, left } = session
    const restoring = this.#store.unrewind({ session_id: session.id })
    const restored = left.at(-1)
    if (live || !restored) return assert.rejects(restoring, { code: "conflict" })
    await restoring
    left.pop()
    if (!said.every((id, at) => restored[at] === id)) left.unshift(said)
    session.said = restored
  }
}
