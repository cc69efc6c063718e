import { describe, expect, it } from "vitest"
import type { Frame } from "../../packages/client/sse.ts"
import { withRetries } from "../../packages/engine/providers/retry.ts"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { until } from "../session/house.ts"
import { caller, type Log, pay } from "../session/tools.ts"
import { Listener, newSession, openDoor, send } from "./house.ts"

function rowOf(frame: Frame, type: string) {
  const row = frame.event === "row" ? JSON.parse(frame.data) : undefined
  return row?.type === type ? row.value : undefined
}

describe("a turn over HTTP", () => {
  it("[SES-070] [SES-071] waits, is approved, and goes on", async () => {
    const log: Log = []
    const script = caller([{ name: "pay", input: { whom: "x" } }])
    const door = await openDoor({ tools: [pay(log)], script })
    const session = await newSession(door)
    const { turn } = await send(door, session, "pay up")
    await door.host.idle()
    const status = async () => (await door.ask("get", `/v1/sessions/${session}/status`)).body
    expect(await status()).toMatchObject({
      state: "waiting_on_approval",
      turn_id: turn.id,
      message: "pay: x",
    })
    const call = `/v1/sessions/${session}/turns/${turn.id}/calls/step1call0`
    const approved = await door.ask("post", `${call}/approve`, { json: {} })
    expect(approved.status).toBe(200)
    await door.host.idle()
    expect(log).toHaveLength(2)
    expect(await status()).toEqual({ state: "idle" })
    expect((await door.ask("post", `${call}/approve`, { json: {} })).status).toBe(409)
  })

  it("[EA-022] takes a steer for the turn that was meant, and for no other", async () => {
    const door = await openDoor({ script: [{ wait: new Promise(() => undefined) }] })
    const session = await newSession(door)
    const { turn } = await send(door, session, "one")
    const steer = (expected_turn_id: string) =>
      door.ask("post", `/v1/sessions/${session}/messages`, {
        json: { parts: [{ type: "text", text: "left" }], mode: "steer", expected_turn_id },
      })
    expect((await steer("trn_of_yesterday")).status).toBe(409)
    expect((await steer(turn.id)).body.message).toMatchObject({ state: "queued" })
  })

  it("[UX-050] says that a provider is being waited for, and which try it is", async () => {
    let asked = 0
    const overloaded = { code: "overloaded", message: "too much to do", retryable: true }
    const model = scriptedProvider(() =>
      ++asked < 3 ? [{ error: overloaded }] : [{ text: "here" }],
    )
    const provider = withRetries(model, { first_delay_ms: 20, max_delay_ms: 20 })
    const door = await openDoor({ providers: new Map([["scripted", provider]]) })
    const session = await newSession(door)
    const listener = new Listener(await door.request("get", `/v1/sessions/${session}/events`))
    await send(door, session, "hello?")
    const frames = await listener.upTo((frame) => rowOf(frame, "turn")?.state === "finished")
    const states = frames.flatMap((frame) => rowOf(frame, "status") ?? [])
    expect(states.map(({ state, attempt, message }) => [state, attempt, message])).toEqual([
      ["busy", undefined, undefined],
      ["retrying", 2, "too much to do"],
      ["retrying", 3, "too much to do"],
      ["busy", undefined, undefined],
    ])
  })
})

describe("the host's stream", () => {
  it("[EVT-001] [EVT-002] tells when a turn starts, asks and ends, in that order", async () => {
    const script = caller([{ name: "pay", input: { whom: "x" } }])
    const door = await openDoor({ tools: [pay()], script })
    const session = await newSession(door)
    await send(door, session, "before anyone listens")
    await door.host.idle()
    await door.host.abort(session, false)
    await new Promise((resolve) => setTimeout(resolve, 5))
    const listener = new Listener(await door.request("get", "/v1/events"))
    const { turn, message } = await send(door, session, "now")
    const frames = await listener.upTo(
      ({ event, data }) => event === "lifecycle" && JSON.parse(data).type === "turn-finished",
    )
    const told = frames
      .filter(({ event }) => event === "lifecycle")
      .map(({ data }) => JSON.parse(data))
    expect(told.map(({ type, turn_id }) => [type, turn_id])).toEqual([
      ["turn-started", turn.id],
      ["turn-finished", turn.id],
    ])
    expect(told[1]).toMatchObject({ message_id: message.id, reason: "finish" })
    await until(async () => (await door.host.store.turn(turn.id))?.state === "finished")
  })
})
