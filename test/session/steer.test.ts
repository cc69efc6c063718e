import { describe, expect, it } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import type { RecordedCall } from "../../packages/engine/providers/scripted.ts"
import { waitingIn } from "../store/build.ts"
import { gate, newestOf, newSession, openHouse, say, transcript, until } from "./house.ts"
import { caller, type Log, look, pay } from "./tools.ts"

/** Who said what in a request, results by their names. */
function shape({ prompt }: RecordedCall): string[] {
  return prompt.map(({ role, blocks }) => {
    const said = blocks.map((block) => ("text" in block ? block.text : `<${block.type}>`))
    return `${role}: ${said.join(" ")}`
  })
}

describe("steering", () => {
  it("[EA-022] puts the message between two steps, behind all results, once", async () => {
    const door = gate()
    const log: Log = []
    const house = await openHouse({
      tools: [look(log, door.wait)],
      script: caller([
        { name: "look", input: { at: "a" } },
        { name: "look", input: { at: "b" } },
      ]),
    })
    const id = await newSession(house)
    const { claim } = await say(house, id, "look around")
    await until(() => log.length === 2)
    const steered = await say(house, id, "look left", {
      mode: "steer",
      expected_turn_id: claim?.turn.id,
    })
    expect(steered.message).toMatchObject({ state: "queued", seq: null })
    await say(house, id, "later")
    door.open()
    await house.host.idle()
    expect(shape(house.model.calls[1] as RecordedCall)).toEqual([
      "user: look around",
      "assistant: <tool-call> <tool-call>",
      "user: <tool-result> <tool-result>",
      "user: look left",
    ])
    const { messages } = await house.host.store.history(id, { limit: 9 })
    expect(messages.map(({ role, seq }) => [role, seq])).toEqual([
      ["user", 1],
      ["assistant", 2],
      ["user", 3],
      ["assistant", 4],
      ["user", 5],
      ["assistant", 6],
    ])
    expect(messages[2]).toMatchObject({
      id: steered.message.id,
      state: "fired",
      metadata: { steered: claim?.turn.id },
    })
    const turns = await house.host.store.turns(id)
    expect(turns.map(({ message_id }) => message_id)).toEqual([messages[0]?.id, messages[4]?.id])
  })

  it("[EA-022] keeps a turn going that would have ended", async () => {
    const door = gate()
    const house = await openHouse({
      script: (call) => [{ wait: door.wait }, { text: newestOf(call).join() }],
    })
    const id = await newSession(house)
    await say(house, id, "one")
    await until(() => house.model.calls.length === 1)
    await say(house, id, "queued")
    await say(house, id, "two", { mode: "steer" })
    await say(house, id, "three", { mode: "steer" })
    door.open()
    await house.host.idle()
    expect(await transcript(house, id)).toEqual([
      "user: one",
      "assistant: one",
      "user: two",
      "user: three",
      "assistant: three",
      "user: queued",
      "assistant: queued",
    ])
    expect(await house.host.store.turns(id)).toHaveLength(2)
  })

  it("[EA-022] is a conflict when the turn that was meant is over", async () => {
    const house = await openHouse({ script: [{ text: "ok" }] })
    const id = await newSession(house)
    const { claim } = await say(house, id, "one")
    await house.host.idle()
    const late = say(house, id, "two", { mode: "steer", expected_turn_id: claim?.turn.id })
    await expect(late).rejects.toMatchObject({ code: "conflict" })
    await expect(
      say(house, id, "two", { mode: "steer", expected_turn_id: newId("trn") }),
    ).rejects.toMatchObject({ code: "conflict" })
    expect((await say(house, id, "three", { mode: "steer" })).claim).not.toBeNull()
  })

  it("[EA-022] fires ahead of the queue when the turn was stopped", async () => {
    const house = await openHouse({
      script: (call) =>
        newestOf(call)[0] === "one"
          ? [{ wait: new Promise(() => undefined) }]
          : [{ text: newestOf(call).join() }],
    })
    const id = await newSession(house)
    await say(house, id, "one")
    await say(house, id, "queued")
    await say(house, id, "steered", { mode: "steer" })
    await until(() => house.model.calls.length === 1)
    await house.host.abort(id, false)
    await house.host.idle()
    expect((await transcript(house, id)).slice(-4)).toEqual([
      "user: steered",
      "assistant: steered",
      "user: queued",
      "assistant: queued",
    ])
  })

  it("[EA-022] is the head of the queue when the turn failed", async () => {
    const door = gate()
    const house = await openHouse({
      script: [
        { wait: door.wait },
        { error: { code: "broken", message: "it broke", retryable: false } },
      ],
    })
    const id = await newSession(house)
    await say(house, id, "one")
    await say(house, id, "queued")
    await say(house, id, "first", { mode: "steer" })
    await say(house, id, "second", { mode: "steer" })
    door.open()
    await house.host.idle()
    expect(await waitingIn(house.host.store, id)).toEqual(["first", "second", "queued"])
    expect((await house.host.store.session(id))?.drain).toBe("stopped")
  })

  it("[SES-071] waits while a person is asked, and comes behind what was asked", async () => {
    const log: Log = []
    const house = await openHouse({
      tools: [pay(log)],
      script: caller([{ name: "pay", input: { whom: "x" } }]),
    })
    const id = await newSession(house)
    const { claim } = await say(house, id, "pay up")
    await house.host.idle()
    const { message } = await say(house, id, "but hurry", { mode: "steer" })
    expect(message.state).toBe("queued")
    await house.host.resolveCall(id, claim?.turn.id ?? "", {
      call_id: "step1call0",
      resolution: { type: "approve" },
      always: false,
    })
    await house.host.idle()
    expect(shape(house.model.calls[1] as RecordedCall)).toEqual([
      "user: pay up",
      "assistant: <tool-call>",
      "user: <tool-result>",
      "user: but hurry",
    ])
  })
})
