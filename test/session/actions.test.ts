import { describe, expect, it } from "vitest"
import type { Part } from "../../src/message/part.ts"
import { newSession, openHouse, say, transcript } from "./house.ts"

function rewind(raw: string): Part[] {
  return [{ type: "command", id: "/rewind", args: { raw }, raw: `/rewind ${raw}` }]
}

describe("an action on a session", () => {
  it("[SES-010] goes back to before a message that is named, and says so when there is none", async () => {
    const house = await openHouse({ script: [{ text: "Done." }] })
    const id = await newSession(house)
    await say(house, id, "one")
    const { message } = await say(house, id, "two")
    await house.host.idle()
    await say(house, id, rewind(message.id))
    await house.host.idle()
    const said = await transcript(house, id)
    expect(said.slice(0, 2)).toEqual(["user: one", "assistant: Done."])
    expect(said.at(-1)).toBe(`assistant: Went back to before message ${message.id}.`)
    await say(house, id, rewind(message.id))
    await house.host.idle()
    expect((await transcript(house, id)).at(-1)).toContain("is not in this session's history")
    expect((await house.host.store.latestTurn(id))?.state).toBe("finished")
  })
})
