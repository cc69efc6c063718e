import type { Part } from "../../packages/core/parts/table.ts"
import { describe, expect, it } from "vitest"
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

  it.each([
    ["/rewind", ""],
    ["/clear", ""],
  ])(
    "[SES-010] tells whoever follows the session that %s changed its path",
    async (command, raw) => {
      const house = await openHouse({ script: [{ text: "Done." }] })
      const { store } = house.host
      const id = await newSession(house)
      await say(house, id, "one")
      await house.host.idle()
      const before = await store.session(id)
      const { next_seq } = await store.head(id)
      await say(house, id, [{ type: "command", id: command, args: { raw }, raw: command }])
      await house.host.idle()
      const after = await store.session(id)
      expect(after?.path_revision).toBeGreaterThan(before?.path_revision ?? 0)
      const told = (await store.events(id, next_seq, 100)).filter(({ type }) => type === "session")
      expect(told.map(({ value }) => value?.path_revision)).toContain(after?.path_revision)
    },
  )
})
