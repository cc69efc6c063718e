import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { Recorder } from "../../packages/engine/turns/recorder.ts"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import type { StreamRecord } from "../../packages/engine/store/store.ts"
import { temporaryFolder } from "../build.ts"
import { allEvents, ask, begin, finish, fire, keyOf, wordsOf } from "../store/build.ts"

/** A recorder over a real store, and what it wrote. */
async function recording() {
  const file = join(await temporaryFolder(), "compositor.db")
  const store = await openSqliteStore({ file, thread: false })
  onTestFinished(() => store.close())
  const { id } = await begin(store)
  const { claim } = await fire(store, id, "speak")
  const message_id = await ask(store, claim.turn)
  const records: StreamRecord[] = []
  const failures: unknown[] = []
  const recordStream = (record: StreamRecord) => {
    records.push(record)
    return store.recordStream(record)
  }
  const recorder = new Recorder(
    { recordStream },
    { turn: keyOf(claim.turn), message_id, failed: (error) => failures.push(error) },
  )
  return { store, session_id: id, turn: claim.turn, message_id, records, failures, recorder }
}

describe("Recorder", () => {
  it("[PER-012] writes rows at doublings only, and bytes linear in what was said", async () => {
    const { recorder, records, store, session_id, message_id, turn } = await recording()
    const piece = "0123456789abcdef".repeat(32)
    for (let count = 0; count < 512; count++) recorder.add("text", piece)
    const said = piece.repeat(512)
    const parts = await recorder.end()
    const rows = records.flatMap((record) => record.parts)
    expect(rows.length).toBeLessThanOrEqual(Math.log2(said.length))
    const sizes = rows.map(({ data_json }) => JSON.parse(data_json).text.length as number)
    for (const [at, size] of sizes.entries())
      if (at > 0) expect(size).toBeGreaterThanOrEqual(2 * (sizes[at - 1] ?? 0))
    const told = records.flatMap((record) => record.deltas)
    expect(said.startsWith(told.map(({ text }) => text).join(""))).toBe(true)
    const written = sizes.reduce((sum, size) => sum + size, 0)
    expect(written).toBeLessThanOrEqual(2 * said.length)
    expect(parts.map(({ data_json }) => JSON.parse(data_json))).toEqual([
      { type: "text", text: said },
    ])
    expect(said.startsWith(wordsOf(await store.message(session_id, message_id)))).toBe(true)
    expect(await allEvents(store, turn.id)).toHaveLength(told.length)
  })

  it("[PER-012] tells what comes together in one piece, and soon", async () => {
    const { recorder, records } = await recording()
    for (const word of ["a", "b", "c"]) recorder.add("text", word)
    expect(records).toEqual([])
    await pause(80)
    expect(records).toHaveLength(1)
    recorder.add("text", "d")
    await pause(80)
    expect(records.flatMap(({ deltas }) => deltas)).toMatchObject([
      { offset: 0, text: "abc" },
      { offset: 3, text: "d" },
    ])
    await recorder.end()
  })

  it("keeps thought and speech apart, in their order", async () => {
    const { recorder } = await recording()
    recorder.add("reasoning", "hm, ")
    recorder.add("reasoning", "yes")
    recorder.add("text", "Yes.")
    recorder.add("reasoning", "or no")
    recorder.add("text", " Or no.")
    const parts = await recorder.end()
    expect(parts.map(({ index, data_json }) => [index, JSON.parse(data_json)])).toEqual([
      [0, { type: "reasoning", text: "hm, yes" }],
      [1, { type: "text", text: "Yes." }],
      [2, { type: "reasoning", text: "or no" }],
      [3, { type: "text", text: " Or no." }],
    ])
    expect(new Set(parts.map(({ id }) => id)).size).toBe(4)
  })

  it("says when its turn was taken from it, and keeps nothing more", async () => {
    const { recorder, store, turn, failures, session_id, message_id } = await recording()
    recorder.add("text", "mine")
    await pause(80)
    await finish(store, turn, { message_id, text: "" }, { state: "aborted" })
    recorder.add("text", " and mine")
    await pause(80)
    expect(failures).toMatchObject([{ code: "stale" }])
    await recorder.end()
    expect(wordsOf(await store.message(session_id, message_id))).toBe("mine")
  })
})

describe("what a model calls", () => {
  it("[SES-001] [PER-012] is one row from its first letter to its whole input", async () => {
    const { recorder, records, store, session_id, message_id } = await recording()
    recorder.add("text", "Let me look.")
    recorder.startCall("c1", "look")
    recorder.tellCall("c1", '{"at":')
    await pause(80)
    const [, streaming] = (await store.message(session_id, message_id))?.parts ?? []
    expect(streaming).toMatchObject({
      type: "tool-look",
      tool_call_id: "c1",
      tool_state: "input-streaming",
      data: { input_text: '{"at":' },
    })
    recorder.tellCall("c1", '"a"}')
    recorder.endCall({ type: "tool-call-end", id: "c1", name: "look", input: { at: "a" } })
    await pause(80)
    const [, whole] = (await store.message(session_id, message_id))?.parts ?? []
    expect(whole).toMatchObject({ id: streaming?.id, tool_state: "input-available" })
    expect(whole?.data).toEqual({
      type: "tool-look",
      tool_call_id: "c1",
      initiator: "model",
      state: "input-available",
      input: { at: "a" },
    })
    const told = records
      .flatMap(({ deltas }) => deltas)
      .filter(({ part_id }) => part_id === whole?.id)
    expect(told.map(({ text, tool_call_id }) => [text, tool_call_id])).toEqual([
      ['{"at":', "c1"],
      ['"a"}', "c1"],
    ])
    await recorder.end()
    expect(recorder.calls().map(({ data }) => data.input)).toEqual([{ at: "a" }])
  })

  it("is two rows when it gives two calls one id", async () => {
    const { recorder } = await recording()
    for (const at of ["a", "b"]) {
      recorder.startCall("same", "look")
      recorder.tellCall("same", "{}")
      recorder.endCall({ type: "tool-call-end", id: "same", name: "look", input: { at } })
    }
    await recorder.end()
    expect(recorder.calls().map(({ data }) => [data.tool_call_id, data.input])).toEqual([
      ["same", { at: "a" }],
      ["same-2", { at: "b" }],
    ])
  })

  it("is not among the calls when its input did not come whole", async () => {
    const { recorder } = await recording()
    recorder.startCall("c1", "look")
    recorder.tellCall("c1", '{"at":')
    const parts = await recorder.end()
    expect(parts).toMatchObject([{ tool_state: "input-streaming" }])
    expect(recorder.calls()).toEqual([])
  })
})

describe("a seal", () => {
  const seal = { api: "a", model: "m", signature: "s" }

  it("ends what it seals, and stands alone where nothing was said", async () => {
    const { recorder } = await recording()
    recorder.add("reasoning", "hm")
    recorder.seal("reasoning", seal)
    recorder.seal("reasoning", null)
    recorder.add("reasoning", "and more")
    recorder.seal("text", seal)
    recorder.add("text", "Yes.")
    const parts = await recorder.end()
    expect(parts.map(({ data_json }) => JSON.parse(data_json))).toEqual([
      { type: "reasoning", text: "hm", seal },
      { type: "reasoning", text: "and more" },
      { type: "text", text: "", seal },
      { type: "text", text: "Yes." },
    ])
  })
})
