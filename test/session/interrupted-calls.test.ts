import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import { ownerOf } from "../../packages/engine/turns/owner.ts"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import type { PartUpsert } from "../../packages/engine/store/store.ts"
import { temporaryFolder } from "../build.ts"
import { ask, begin, enqueue, fire, keyOf } from "../store/build.ts"
import { answersIn, openHouse, transcript, until } from "./house.ts"
import { caller, type Log, look, pay } from "./tools.ts"

async function deadOwner(): Promise<string> {
  const child = spawn(process.execPath, ["-e", ""])
  const owner = ownerOf(child.pid)
  await once(child, "exit")
  return owner
}

interface Left {
  readonly name: string
  readonly input: unknown
  readonly read_only?: boolean
  readonly started?: boolean
  readonly done?: boolean
}

/** A folder whose process died while it ran these calls. */
async function crashed(...calls: readonly Left[]) {
  const data = await temporaryFolder()
  const store = await openSqliteStore({ file: join(data, "compositor.db"), thread: false })
  const { id } = await begin(store)
  const { claim } = await fire(store, id, "do it", { owner: await deadOwner() })
  const message_id = await ask(store, claim.turn)
  const parts = calls.map(partOf)
  const key = keyOf(claim.turn)
  const answer = { message_id, metadata: { finish: "tool-call" }, parts }
  await store.endAnswer({ ...key, answer, usage: null })
  const side_effects = calls.some(({ started, done, read_only }) => (started || done) && !read_only)
  await store.recordCalls({ ...key, message_id, parts: [], side_effects })
  await store.close()
  return { data, session_id: id, turn_id: claim.turn.id }
}

function partOf({ name, input, read_only = false, started, done }: Left, at: number): PartUpsert {
  const type = `tool-${name}`
  const call = { type, tool_call_id: `c${at}`, input, read_only }
  const state = done ? "output-available" : "input-available"
  const data = {
    ...call,
    state,
    ...(started || done ? { started_at: 1 } : {}),
    ...(done ? { output: { data: "done before" } } : {}),
  }
  const id = newId("prt")
  return {
    id,
    index: at,
    type,
    data_json: JSON.stringify(data),
    tool_call_id: `c${at}`,
    tool_state: state,
  }
}

const PAY = { name: "pay", input: { whom: "x" } } as const
const LOOK = { name: "look", input: { at: "a" }, read_only: true } as const

async function afterwards(data: string, log: Log) {
  return openHouse({ data, tools: [pay(log), look(log)], script: caller() })
}

describe("a crash between the start of a call and its result", () => {
  it("[SES-061] leaves a call that may have run to the user, and never runs it in silence", async () => {
    const { data, session_id, turn_id } = await crashed({ ...PAY, started: true })
    const log: Log = []
    const house = await afterwards(data, log)
    await until(
      async () => (await house.host.store.turn(turn_id))?.state === "waiting_on_user_input",
    )
    await house.host.idle()
    expect(log).toEqual([])
    expect(house.model.calls).toEqual([])
    expect((await house.host.store.turn(turn_id))?.waiting).toEqual([
      { call_id: "c0", tool: "pay", for: "interrupted", asks: [], reason: "it may have run" },
    ])
    const [answer] = await answersIn(house, session_id)
    expect(answer?.parts[0]).toMatchObject({
      tool_state: "output-error",
      data: { interrupted: true, error_text: expect.stringContaining("may have run") },
    })
  })

  it("runs it again when the user says so", async () => {
    const { data, session_id, turn_id } = await crashed({ ...PAY, started: true })
    const log: Log = []
    const house = await afterwards(data, log)
    await until(async () => (await house.host.store.turn(turn_id))?.waiting.length === 1)
    const resolution = { type: "retry" } as const
    await house.host.resolveCall(session_id, turn_id, { call_id: "c0", resolution, always: false })
    await house.host.idle()
    expect(log).toEqual(["pay x begins", "pay x ends"])
    expect(await transcript(house, session_id)).toContain(`assistant: {"paid":"x"}`)
  })

  it("skips it when the user says so, and runs what had not started", async () => {
    const { data, session_id, turn_id } = await crashed({ ...PAY, started: true }, LOOK)
    const log: Log = []
    const house = await afterwards(data, log)
    await until(async () => (await house.host.store.turn(turn_id))?.waiting.length === 1)
    const resolution = { type: "skip" } as const
    await house.host.resolveCall(session_id, turn_id, { call_id: "c0", resolution, always: false })
    await house.host.idle()
    expect(log).toEqual(["look a begins", "look a ends"])
    expect((await transcript(house, session_id)).at(-1)).toMatch(
      /error: .*may have run.*not to run it again.* \| saw a/,
    )
  })

  it("runs again by itself what changes nothing, in the step where it was", async () => {
    const { data, session_id } = await crashed({ ...LOOK, started: true }, { ...LOOK, done: true })
    const log: Log = []
    const house = await afterwards(data, log)
    await until(async () => (await house.host.store.turns(session_id)).length === 2)
    await house.host.idle()
    expect(log).toEqual(["look a begins", "look a ends"])
    expect(house.model.calls).toHaveLength(1)
    expect((await house.host.store.turns(session_id)).map(({ state }) => state)).toEqual([
      "interrupted",
      "finished",
    ])
    expect((await transcript(house, session_id)).at(-1)).toBe("assistant: saw a | done before")
  })

  it("[SES-061] does not go on by itself when something was done already", async () => {
    const { data, session_id, turn_id } = await crashed({ ...PAY, done: true }, LOOK)
    const log: Log = []
    const house = await afterwards(data, log)
    await until(async () => (await house.host.store.turn(turn_id))?.state === "interrupted")
    await house.host.idle()
    expect(log).toEqual([])
    const [answer] = await answersIn(house, session_id)
    expect(answer?.parts.map(({ tool_state, data }) => [tool_state, data.error_text])).toEqual([
      ["output-available", undefined],
      ["output-error", "aborted by host restart"],
    ])
    expect(house.model.calls).toEqual([])
  })

  it("leaves what is sent meanwhile in the queue", async () => {
    const { data, session_id, turn_id } = await crashed({ ...PAY, started: true })
    const house = await afterwards(data, [])
    await until(async () => (await house.host.store.turn(turn_id))?.waiting.length === 1)
    await enqueue(house.host.store, session_id, "well?")
    await house.host.idle()
    expect(house.model.calls).toEqual([])
    await house.host.abort(session_id, false)
    await house.host.idle()
    expect((await transcript(house, session_id)).at(-1)).toBe("assistant: well?")
  })
})
