import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { Recorder } from "../../src/session/recorder.ts"
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts"
import type { StreamRecord } from "../../src/store/store.ts"
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
