import assert from "node:assert/strict"
import { newId } from "../../packages/core/message/id.ts"
import { allOf, sinceCompaction } from "../../packages/engine/turns/compaction.ts"
import type { Action } from "./session-actions.ts"
import { type Described, keyOf, toldOf } from "./session-lists.ts"
import { branch, compact, rewind, unrewind } from "./session-paths.ts"
import { change, release, reorder, send } from "./session-queue.ts"
import { abort, end, run } from "./session-turns.ts"
import { type Clock, type Done, newSession, type Stage, type World } from "./session-world.ts"

const MAX_TURNS_LEFT = 500

/** Does everything twice: to the store, and to lists; and looks whether both say the same. */
export class SessionModel {
  readonly #world: World
  #at = 0

  constructor(stage: Stage, clock: Clock) {
    this.#world = {
      stage,
      clock,
      sessions: [],
      tails: new Map(),
      texts: new Map(),
      stale: [],
    }
  }

  async begin() {
    const id = newId("ses")
    const model = { provider_id: "scripted", model_id: "scripted" }
    const about = { agent: "assistant", title: null, workspace_root: null, metadata: {} }
    await this.#world.stage.store.createSession({ id, model, ...about })
    this.#world.sessions.push(newSession(id, []))
  }

  /** False when there was nothing that it could be done to. */
  async perform(one: Action): Done {
    const world = this.#world
    const session = this.#current()
    switch (one.type) {
      case "send":
        return send(world, session, one.mode)
      case "end":
        return end(world, session, one.state)
      case "abort":
        return abort(world, session, one.clear)
      case "clock":
        world.clock.tick(one.hours)
        return true
      case "edit":
      case "cancel":
      case "pause":
      case "hold":
      case "release":
        return change(world, session, one)
      case "reorder":
        return reorder(world, session, one)
      case "compact":
        return compact(world, session, one.at)
      case "branch":
        return branch(world, session, one.at)
      case "rewind":
        return rewind(world, session, one.at)
      case "unrewind":
        return unrewind(world, session)
      case "go":
        this.#at = one.to % world.sessions.length
        return true
      case "ask":
      case "step":
      case "boundary":
      case "wait":
      case "resolve":
      case "crash":
      case "claim":
        return run(world, session, one.type)
    }
  }

  /** All that the store says of the session at hand. */
  async check() {
    const session = this.#current()
    const { id } = session
    const { store } = this.#world.stage
    const { messages } = await store.history(id, { limit: 500 })
    assert.deepEqual(messages.map((message) => message.id).slice(-500), session.said.slice(-500))
    const queue = await store.queue(id)
    assert.deepEqual(
      queue.map((message) => [message.id, message.state, message.parts[0]?.data.text]),
      session.queue.map(({ id, state, text }) => [id, state, text]),
    )
    const latest = await store.latestTurn(id)
    const isLive = latest !== null && latest.ended_at === null
    assert.equal(isLive ? latest.id : null, session.live?.turn.id ?? null)
    assert.equal((await store.session(id))?.drain, session.drain)
    for (const { id, parts } of messages) {
      const text = this.#world.texts.get(id)
      if (text !== undefined) assert.equal(parts[0]?.data.text, text)
    }
    await this.#checkTold(session)
    await this.#checkStale()
  }

  /** Once everyone says yes nothing is left behind, in any session. */
  async drain() {
    for (const [at, session] of this.#world.sessions.entries()) {
      this.#at = at
      for (let turn = 0; turn < MAX_TURNS_LEFT; turn++) {
        await run(this.#world, session, "resolve")
        await end(this.#world, session, "finished")
        for (const one of session.queue) await release(this.#world, session, one)
        await run(this.#world, session, "claim")
        if (!session.live && session.queue.length === 0) break
      }
      await this.check()
      assert.deepEqual([session.live, session.queue], [null, []])
    }
  }

  #current(): Described {
    const session = this.#world.sessions[this.#at]
    if (!session) throw new Error("there is no session yet")
    return session
  }

  // What the next request would tell, and what the lists say it should.
  async #checkTold({ id, said }: Described) {
    const told = allOf(sinceCompaction(await this.#world.stage.store.rawHistory(id)))
    assert.deepEqual(
      told.map((message) => message.id),
      toldOf(said, this.#world.tails),
    )
  }

  async #checkStale() {
    const { stage, stale } = this.#world
    for (const turn of stale.splice(0))
      await assert.rejects(
        stage.store.recordStream({ ...keyOf(turn), message_id: "", deltas: [], parts: [] }),
        { code: "stale" },
      )
  }
}
