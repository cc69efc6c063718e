import { describe, expect, it } from "vitest"
import { Refusal } from "../../packages/core/message/refusal.ts"
import type { Store } from "../../packages/engine/store/store.ts"
import { newSession, openHouse, say, transcript, until } from "./house.ts"

/** A house whose store has no room for the first few of one operation. */
async function fullFor(name: "recordRequest" | "endTurn", times: number) {
  let left = times
  const store = (real: Store): Store => ({
    ...real,
    [name]: async (input: never) => {
      if (left-- > 0) throw new Refusal("storage_failed", `${name} was not stored: disk is full`)
      return real[name](input)
    },
  })
  const house = await openHouse({
    script: [{ text: "yes" }],
    observe: { store, blobs: (blobs) => blobs },
  })
  return { ...house, id: await newSession(house) }
}

describe("a turn on a full disk", () => {
  it("[EVT-001] ends in error with the code of what failed", async () => {
    const house = await fullFor("recordRequest", 1)
    await say(house, house.id, "are you there?")
    await house.host.idle()
    const turn = await house.host.store.latestTurn(house.id)
    expect(turn).toMatchObject({ state: "error", error: { code: "storage_failed" } })
    await say(house, house.id, "and now?")
    await house.host.idle()
    expect((await transcript(house, house.id)).at(-1)).toBe("assistant: yes")
  })

  it("[SES-061] that could not even be ended is taken up again once there is room", async () => {
    const house = await fullFor("endTurn", 2)
    const { message } = await say(house, house.id, "are you there?")
    await until(async () => (await house.host.store.latestTurn(house.id))?.state === "finished")
    const turn = await house.host.store.latestTurn(house.id)
    expect(turn).toMatchObject({ message_id: message.id, attempt: 2 })
    expect((await transcript(house, house.id)).at(-1)).toBe("assistant: yes")
  })
})
