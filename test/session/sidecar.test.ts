import { describe, expect, it } from "vitest"
import type { RecordedCall, ScriptStep } from "../../packages/engine/providers/scripted.ts"
import { type Door, newSession, openDoor, send } from "../server/house.ts"
import { gate, lastWords, newestOf, transcript, until } from "./house.ts"
import { look, pay } from "./tools.ts"

async function branchOf(door: Door, parent: string, metadata: object = { ephemeral: true }) {
  const { status, body } = await door.ask("post", `/v1/sessions/${parent}/branch`, {
    json: { metadata },
  })
  expect(status).toBe(201)
  return body.session.id as string
}

async function listed(door: Door, query: string): Promise<string[]> {
  const { body } = await door.ask("get", `/v1/sessions?${query}`)
  return body.sessions.map(({ id }: { id: string }) => id)
}

function toolsOf(call: RecordedCall | undefined): string[] {
  return (call?.call.envelope.tools ?? []).map(({ name }) => name)
}

describe("a sidecar", () => {
  it("[UX-020] [UX-022] [BEY-09] opens and answers while its parent streams, and the main chat is as it was", async () => {
    const door = gate()
    const script = ({ newest }: RecordedCall): readonly ScriptStep[] =>
      newestOf({ newest } as RecordedCall)[0] === "take your time"
        ? [{ text: "I " }, { wait: door.wait }, { text: "did." }]
        : [{ text: "At once." }]
    const house = await openDoor({ script })
    const main = await newSession(house)
    await send(house, main, "good morning")
    await house.host.idle()
    await send(house, main, "take your time")
    await until(async () => (await transcript(house, main)).at(-1) === "assistant: I ")
    const side = await branchOf(house, main)
    await send(house, side, "meanwhile: what is a fjord?")
    await until(async () => (await transcript(house, side)).at(-1) === "assistant: At once.")
    expect((await house.host.store.latestTurn(main))?.state).toBe("running")
    const said = await transcript(house, side)
    expect(said.slice(0, 2)).toEqual(["user: good morning", "assistant: At once."])
    expect(said[2]).toContain("system: What stands above is the main conversation")
    expect(said).toHaveLength(5)
    const asked = house.model.calls.at(-1)
    expect(asked?.prompt.map(({ role }) => role)).toEqual(["user", "assistant", "user", "user"])
    door.open()
    await house.host.idle()
    expect(await transcript(house, main)).toEqual([
      "user: good morning",
      "assistant: At once.",
      "user: take your time",
      "assistant: I did.",
    ])
  })

  it("[UX-021] [UX-023] [UX-024] is listed apart, is kept when it is closed, and can be promoted or deleted", async () => {
    const house = await openDoor()
    const main = await newSession(house)
    await send(house, main, "good morning")
    await house.host.idle()
    const [kept, promoted, deleted] = [
      await branchOf(house, main),
      await branchOf(house, main),
      await branchOf(house, main),
    ]
    expect(await listed(house, "")).toEqual([main])
    expect(new Set(await listed(house, "ephemeral=only"))).toEqual(
      new Set([kept, promoted, deleted]),
    )
    expect(await listed(house, "ephemeral=true")).toHaveLength(4)
    const close = (id: string, json: object) =>
      house.ask("post", `/v1/sessions/${id}/close`, { json })
    expect((await close(kept, {})).body).toMatchObject({ session: { id: kept }, deleted: [] })
    expect((await close(promoted, { as: "promote" })).status).toBe(200)
    expect((await close(deleted, { as: "delete" })).body).toEqual({
      session: null,
      deleted: [deleted],
    })
    expect(await listed(house, "ephemeral=only")).toEqual([kept])
    expect(new Set(await listed(house, ""))).toEqual(new Set([main, promoted]))
    expect((await close(main, {})).status).toBe(409)
    expect((await house.ask("get", `/v1/sessions/${deleted}`)).status).toBe(404)
  })

  it("[BEY-09] looks and changes nothing, until it is told otherwise or promoted", async () => {
    const house = await openDoor({ tools: [look(), pay()] })
    const main = await newSession(house)
    const asked = async (id: string) => {
      await send(house, id, "what can you do")
      await house.host.idle()
      return toolsOf(house.model.calls.at(-1))
    }
    expect(await asked(main)).toEqual(["look", "pay"])
    const side = await branchOf(house, main)
    expect(await asked(side)).toEqual(["look"])
    expect(await asked(await branchOf(house, main, { ephemeral: true, tools: "all" }))).toEqual([
      "look",
      "pay",
    ])
    await house.ask("post", `/v1/sessions/${side}/close`, { json: { as: "promote" } })
    expect(await asked(side)).toEqual(["look", "pay"])
    expect(await asked(await branchOf(house, main, {}))).toEqual(["look", "pay"])
  })

  it("[BEY-09] brings words back into the main draft as a quote with its source", async () => {
    const house = await openDoor({ script: [{ text: "A fjord is\na drowned valley." }] })
    const main = await newSession(house)
    await send(house, main, "good morning")
    await house.host.idle()
    const draft = { source: "half a thought", attachments: [] }
    const path = `/v1/sessions/${main}/draft`
    await house.ask("put", path, { json: { base_revision: 0, draft, updated_by: "web" } })
    const side = await branchOf(house, main)
    await send(house, side, "what is a fjord?")
    await house.host.idle()
    const { messages } = await house.host.store.history(side, { limit: 9 })
    const message_id = messages.at(-1)?.id ?? ""
    expect(lastWords(messages)).toBe("A fjord is\na drowned valley.")
    const back = (json: object) => house.ask("post", `/v1/sessions/${side}/bring-back`, { json })
    const quote = { type: "quote", session_id: side, message_id }
    const { body } = await back({ message_id })
    expect(body).toMatchObject({
      session_id: main,
      revision: 2,
      part: { ...quote, text: "A fjord is\na drowned valley." },
    })
    await back({ message_id, range: { start: 11, end: 27 } })
    const kept = (await house.ask("get", path)).body
    expect(kept).toMatchObject({ revision: 3, draft: { source: "half a thought" } })
    const [whole, some] = kept.draft.attachments
    expect(whole).toEqual({ ...quote, text: "A fjord is\na drowned valley." })
    expect(some).toEqual({ ...quote, text: "a drowned valley", range: { start: 11, end: 27 } })
    await send(house, main, "", { parts: [{ type: "text", text: "so:" }, whole] })
    await house.host.idle()
    expect(newestOf(house.model.calls.at(-1))).toEqual([
      "so:",
      `[quoted from message ${message_id} of session ${side}]\n> A fjord is\n> a drowned valley.`,
    ])
    expect((await back({ message_id, range: { start: 90, end: 91 } })).status).toBe(422)
    const other = { json: { message_id } }
    expect((await house.ask("post", `/v1/sessions/${main}/bring-back`, other)).status).toBe(409)
  })
})
