import { setTimeout as pause } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import type { RecordedCall } from "../../packages/engine/providers/scripted.ts"
import { waitingIn } from "../store/build.ts"
import {
  answersIn,
  gate,
  newestOf,
  newSession,
  openHouse,
  say,
  transcript,
  until,
  untilSaid,
} from "./house.ts"

const FAILED = { code: "overloaded", message: "too much to do", retryable: true }

function wordsIn(call: RecordedCall): string {
  return newestOf(call).join("\n")
}

describe("a queue while a turn runs", () => {
  it("[UX-001] [UX-009] [QUE-006] waits and is answered in order", async () => {
    const door = gate()
    const house = await openHouse({
      script: (call) => [{ wait: door.wait }, { text: `${wordsIn(call)}!` }],
    })
    const id = await newSession(house)
    const first = await say(house, id, "one")
    expect(first.claim?.turn.message_id).toBe(first.message.id)
    for (const text of ["two", "three"]) {
      const { message, claim } = await say(house, id, text)
      expect(claim).toBeNull()
      expect(message).toMatchObject({ state: "queued" })
      expect(message.metadata.queued_at).toEqual(expect.any(Number))
    }
    expect(await house.host.store.latestTurn(id)).toMatchObject({ state: "running" })
    expect(await waitingIn(house.host.store, id)).toEqual(["two", "three"])
    door.open()
    await house.host.idle()
    expect(await transcript(house, id)).toEqual([
      "user: one",
      "assistant: one!",
      "user: two",
      "assistant: two!",
      "user: three",
      "assistant: three!",
    ])
    expect(house.model.calls.map(wordsIn)).toEqual(["one", "two", "three"])
  })

  it("[UX-005] never runs two turns of one session, while others run beside it", async () => {
    let [most, now] = [0, 0]
    const running = new Set<string>()
    const house = await openHouse({
      script: (call) => {
        const session = wordsIn(call).split(" ")[0] ?? ""
        if (running.has(session)) throw new Error("two turns at once")
        running.add(session)
        most = Math.max(most, ++now)
        const leave = pause(2).then(() => {
          now -= 1
          running.delete(session)
        })
        return [{ wait: leave }, { text: "done" }]
      },
    })
    const ids = [await newSession(house), await newSession(house), await newSession(house)]
    await Promise.all(
      Array.from({ length: 30 }, (_, at) => say(house, ids[at % 3] ?? "", `s${at % 3} m${at}`)),
    )
    await house.host.idle()
    for (const id of ids) {
      const turns = await house.host.store.turns(id)
      expect(turns.map(({ state }) => state)).toEqual(turns.map(() => "finished"))
      expect(turns).toHaveLength(10)
    }
    expect(most).toBeGreaterThan(1)
  })

  it("[UX-006] [UX-007] [QUE-006] fires what an edit made of it, and nothing that was cancelled", async () => {
    const door = gate()
    const house = await openHouse({ script: [{ wait: door.wait }, { text: "ok" }] })
    const id = await newSession(house)
    await say(house, id, "one")
    const edited = await say(house, id, "tow")
    const cancelled = await say(house, id, "never")
    await house.host.editQueued({
      session_id: id,
      message_id: edited.message.id,
      parts: [{ type: "text", text: "two" }],
    })
    await house.host.cancelQueued(id, cancelled.message.id)
    door.open()
    await house.host.idle()
    expect(house.model.calls.map(wordsIn)).toEqual(["one", "two"])
  })

  it("[EA-022] goes on when a paused message is released, or cancelled", async () => {
    const house = await openHouse({ script: [{ text: "ok" }] })
    const id = await newSession(house)
    const held = await say(house, id, "held", { mode: "paused" })
    const behind = await say(house, id, "behind", { mode: "queued" })
    expect(behind.claim).toBeNull()
    await house.host.editQueued({
      session_id: id,
      message_id: held.message.id,
      state: "queued",
    })
    await house.host.idle()
    const again = await say(house, id, "held again", { mode: "paused" })
    await say(house, id, "behind again", { mode: "queued" })
    await house.host.cancelQueued(id, again.message.id)
    await house.host.idle()
    expect(house.model.calls.map(wordsIn)).toEqual(["held", "behind", "behind again"])
  })
})

describe("abort", () => {
  it("[SES-062] freezes what was said, and the queue goes on", async () => {
    const house = await openHouse({
      script: (call) =>
        wordsIn(call) === "tell me"
          ? [{ text: "once upon" }, { wait: new Promise(() => undefined) }]
          : [{ text: "next" }],
    })
    const id = await newSession(house)
    await say(house, id, "tell me")
    await say(house, id, "and then")
    await untilSaid(house, id, "once upon")
    const { turn } = await house.host.abort(id, false)
    expect(turn).toMatchObject({ state: "aborted" })
    await house.host.idle()
    expect(await transcript(house, id)).toEqual([
      "user: tell me",
      "assistant: once upon",
      "user: and then",
      "assistant: next",
    ])
    const [frozen] = await answersIn(house, id)
    expect(frozen?.metadata).toMatchObject({ finish: "abort" })
  })

  it("[UXH-002] clears the queue when it is told to, and is quiet on an idle session", async () => {
    const house = await openHouse({ script: [{ wait: new Promise(() => undefined) }] })
    const id = await newSession(house)
    await say(house, id, "one")
    const { message } = await say(house, id, "two")
    const { cancelled } = await house.host.abort(id, true)
    expect(cancelled).toEqual([message.id])
    await house.host.idle()
    expect(house.model.calls).toHaveLength(1)
    expect(await house.host.abort(id, false)).toEqual({ turn: null, cancelled: [] })
  })

  it("[PER-015] reaches a turn that another process runs", async () => {
    const house = await openHouse({
      script: [{ text: "endless" }, { wait: new Promise(() => undefined) }],
    })
    const other = await openHouse({ data: house.data, turns: false })
    const id = await newSession(house)
    await say(house, id, "go on")
    await untilSaid(house, id, "endless")
    const { turn } = await other.host.abort(id, false)
    await until(async () => (await other.host.store.turn(turn?.id ?? ""))?.state === "aborted")
  })
})

describe("a session that is deleted", () => {
  it("stops the model that is still answering, and leaves nothing of the answer", async () => {
    const house = await openHouse({ script: [{ wait: new Promise(() => undefined) }] })
    const [id, other] = [await newSession(house), await newSession(house)]
    await say(house, id, "endless")
    await until(() => house.model.calls.length === 1)
    await house.host.deleteSession(id, false)
    await house.host.idle()
    expect(house.model.calls[0]?.call.signal.aborted).toBe(true)
    expect((await house.host.store.sessions({ limit: 9 })).map(({ id }) => id)).toEqual([other])
  })

  it("[PER-015] stops it soon, also when another process deleted it", async () => {
    const house = await openHouse({ script: [{ wait: new Promise(() => undefined) }] })
    const elsewhere = await openHouse({ data: house.data, turns: false })
    const id = await newSession(house)
    await say(house, id, "endless")
    await until(() => house.model.calls.length === 1)
    await elsewhere.host.deleteSession(id, false)
    await house.host.idle()
    expect(house.model.calls[0]?.call.signal.aborted).toBe(true)
  })
})

describe("a turn that fails", () => {
  it("[UXH-003] stops the drain; the next message that fires starts it again", async () => {
    const house = await openHouse({
      script: (call) =>
        wordsIn(call) === "one" ? [{ text: "well" }, { error: FAILED }] : [{ text: "ok" }],
    })
    const id = await newSession(house)
    await Promise.all([say(house, id, "one"), say(house, id, "two")])
    await house.host.idle()
    expect(await house.host.store.latestTurn(id)).toMatchObject({
      state: "error",
      error: { code: FAILED.code, message: FAILED.message },
    })
    expect(await waitingIn(house.host.store, id)).toEqual(["two"])
    expect((await house.host.store.session(id))?.drain).toBe("stopped")
    await say(house, id, "three")
    await house.host.idle()
    expect(await transcript(house, id)).toEqual([
      "user: one",
      "assistant: well",
      "user: three",
      "assistant: ok",
      "user: two",
      "assistant: ok",
    ])
  })

  it("says so when its model is not set up here", async () => {
    const house = await openHouse()
    const id = await newSession(house)
    await house.host.store.changeSession({
      id,
      model: { provider_id: "anthropic", model_id: "claude-opus-5-5" },
    })
    await say(house, id, "hello?")
    await house.host.idle()
    expect(await house.host.store.latestTurn(id)).toMatchObject({
      state: "error",
      error: { code: "unknown_model", message: expect.stringContaining("anthropic") },
    })
    await house.host.store.changeSession({
      id,
      model: { provider_id: "scripted", model_id: "scripted" },
    })
    await say(house, id, "hello again")
    await house.host.idle()
    expect((await house.host.store.latestTurn(id))?.state).toBe("finished")
  })

  it("[BEY-02] does not end the session when a provider breaks its promise and throws", async () => {
    const house = await openHouse()
    const broken = {
      ...house.model,
      // oxlint-disable-next-line require-yield
      async *stream() {
        throw new Error("out of order")
      },
    }
    const other = await openHouse({ providers: new Map([["scripted", broken]]) })
    const id = await newSession(other)
    await say(other, id, "hello?")
    await other.host.idle()
    expect(await other.host.store.latestTurn(id)).toMatchObject({
      state: "error",
      error: { code: "internal", message: "out of order" },
    })
  })

  it("takes an answer that never says its end for a failure", async () => {
    const house = await openHouse()
    const silent = {
      ...house.model,
      async *stream() {
        yield { type: "text-delta", text: "half" } as const
      },
    }
    const other = await openHouse({ providers: new Map([["scripted", silent]]) })
    const id = await newSession(other)
    await say(other, id, "hello?")
    await other.host.idle()
    expect(await other.host.store.latestTurn(id)).toMatchObject({ error: { code: "incomplete" } })
    expect(await transcript(other, id)).toEqual(["user: hello?", "assistant: half"])
  })
})

describe("a message", () => {
  it("[CMP-130] is on disk before the model is asked", async () => {
    const seen: string[] = []
    const house = await openHouse({
      script: (call) => {
        seen.push(wordsIn(call))
        return [{ text: "ok" }]
      },
    })
    const id = await newSession(house)
    const sent = say(house, id, "first")
    expect(seen).toEqual([])
    const { message } = await sent
    expect(await house.host.store.message(id, message.id)).toEqual(message)
    await house.host.idle()
    expect(seen).toEqual(["first"])
  })

  it("[QUE-003] is answered once, however often it is sent", async () => {
    const house = await openHouse({ script: [{ text: "once" }] })
    const id = await newSession(house)
    const { message } = await say(house, id, "hello")
    const again = Array.from({ length: 5 }, () =>
      say(house, id, "hello", { message_id: message.id }),
    )
    for (const { replayed } of await Promise.all(again)) expect(replayed).toBe(true)
    await house.host.idle()
    expect(house.model.calls).toHaveLength(1)
  })

  it("refuses metadata that is not the sender's to say", async () => {
    const house = await openHouse()
    const id = await newSession(house)
    const forged = {
      queued_at: 1,
      schema_version: 9,
      usage: {},
      superseded: true,
      model: "a string",
      purged_at: 1,
    }
    for (const [key, value] of Object.entries(forged))
      await expect(say(house, id, "hi", { metadata: { [key]: value } })).rejects.toMatchObject({
        code: "invalid",
        details: [{ path: `/metadata/${key}` }],
      })
    expect(await house.host.store.queue(id)).toEqual([])
  })
})
