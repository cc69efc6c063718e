import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import type { FiredMessage } from "../../packages/engine/turns/steps.ts"
import { ownerOf } from "../../packages/engine/turns/owner.ts"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import { temporaryFolder } from "../build.ts"
import { begin, fire, keyOf, wordsOf } from "../store/build.ts"
import { gate, type House, newSession, openHouse, say, transcript, until } from "./house.ts"
import { caller, type Log, look, pay } from "./tools.ts"

/** A host that keeps the world under a name for each message, and notes of which it was told. */
function keeper() {
  const told: string[] = []
  const message_user = async ({ message }: FiredMessage) => {
    told.push(wordsOf(message))
    return { snapshot_id: `snap-${told.length}` }
  }
  return { told, message_user }
}

async function snapshotsIn({ host }: House, session_id: string) {
  const { messages } = await host.store.history(session_id, { limit: 99 })
  return messages
    .filter(({ role }) => role === "user")
    .map(({ metadata }) => metadata.snapshot_id as string | null | undefined)
}

describe("the hook message.user", () => {
  it("[SES-011] [PER-006] hears of a message before the model does, and names what it kept", async () => {
    const kept: FiredMessage[] = []
    let asked = 0
    const house = await openHouse({
      message_user: async (fired) => {
        kept.push(fired)
        asked = house.model.calls.length
        return { snapshot_id: "snap-1" }
      },
      script: [{ text: "Done." }],
    })
    const id = await newSession(house)
    const { message } = await say(house, id, "change it")
    await house.host.idle()
    expect(asked).toBe(0)
    expect(kept).toMatchObject([
      {
        session_id: id,
        workspace_root: house.workspace,
        message: { id: message.id, state: "fired", role: "user" },
      },
    ])
    expect(kept[0]?.turn_id).toBe((await house.host.store.latestTurn(id))?.id)
    const stored = await house.host.store.message(id, message.id)
    expect(stored?.metadata.snapshot_id).toBe("snap-1")
    expect(await transcript(house, id)).toEqual(["user: change it", "assistant: Done."])
  })

  it("[SES-011] a rewind undoes nothing, and names what was kept behind it, oldest first", async () => {
    const { message_user } = keeper()
    const file = { path: "" }
    const house = await openHouse({
      message_user,
      tools: [pay([], async () => writeFileSync(file.path, "paid"))],
      rules: async () => [
        { permission: "net.fetch", pattern: "*", action: "allow", source: "project" },
      ],
      script: caller([{ name: "pay", input: { whom: "Ann" } }]),
    })
    file.path = join(house.workspace, "receipt.txt")
    const id = await newSession(house)
    await say(house, id, "one")
    const { message: two } = await say(house, id, "two")
    await say(house, id, "three")
    await house.host.idle()
    expect(await snapshotsIn(house, id)).toEqual(["snap-1", "snap-2", "snap-3"])
    expect(existsSync(file.path)).toBe(true)
    const { store } = house.host
    const branched = (await store.branch({ ...branchOf(id), id: newId("ses") })).session.id
    const rewound = await store.rewind({ session_id: id, before_message_id: two.id })
    expect(rewound.snapshot_ids).toEqual(["snap-2", "snap-3"])
    expect(existsSync(file.path)).toBe(true)
    const all = await store.rewind({ session_id: id, before_message_id: null })
    expect(all.snapshot_ids).toEqual(["snap-1"])
    // A branch goes behind what its parent said, too.
    const inherited = await store.rewind({ session_id: branched, before_message_id: two.id })
    expect(inherited.snapshot_ids).toEqual(["snap-2", "snap-3"])
  })

  it("[SES-011] a rewind by command names them in its answer", async () => {
    const house = await openHouse({ ...keeper(), script: [{ text: "Done." }] })
    const id = await newSession(house)
    await say(house, id, "one")
    await say(house, id, "two")
    await house.host.idle()
    await say(house, id, [{ type: "command", id: "/rewind", args: { raw: "" }, raw: "/rewind" }])
    await house.host.idle()
    const { messages } = await house.host.store.history(id, { limit: 9 })
    expect(messages.at(-1)?.metadata).toMatchObject({ host: true, snapshot_ids: ["snap-2"] })
  })

  it("[SES-011] hears of what is steered in", async () => {
    const { told, message_user } = keeper()
    const door = gate()
    const log: Log = []
    const house = await openHouse({
      message_user,
      tools: [look(log, door.wait)],
      script: caller([{ name: "look", input: { at: "a" } }]),
    })
    const id = await newSession(house)
    await say(house, id, "look around")
    await until(() => log.length === 1)
    await say(house, id, "look left", { mode: "steer" })
    expect(told).toEqual(["look around"])
    door.open()
    await house.host.idle()
    expect(told).toEqual(["look around", "look left"])
    expect(await snapshotsIn(house, id)).toEqual(["snap-1", "snap-2"])
  })

  it.each([
    ["throws", () => Promise.reject(new Error("the disk is full")), "the disk is full"],
    ["answers nonsense", async () => ({ snapshot_id: "x".repeat(999) }), "1 to 200 characters"],
  ])("[SES-011] one that %s is a notice, and its message is answered", async (_, hook, why) => {
    const house = await openHouse({ message_user: hook, script: [{ text: "Done." }] })
    const id = await newSession(house)
    await say(house, id, "hello")
    await house.host.idle()
    expect(await transcript(house, id)).toEqual(["user: hello", "assistant: Done."])
    const turn = await house.host.store.latestTurn(id)
    expect(turn?.state).toBe("finished")
    expect(turn?.notices).toEqual([expect.stringContaining(why)])
    expect(await snapshotsIn(house, id)).toEqual([null])
  })

  it("[SES-011] one that hangs is left when the turn is stopped", async () => {
    const called = gate()
    const house = await openHouse({
      message_user: () => {
        called.open()
        return new Promise(() => undefined)
      },
    })
    const id = await newSession(house)
    await say(house, id, "hello")
    await called.wait
    expect((await house.host.abort(id, false)).turn?.state).toBe("aborted")
  })

  it("[SES-011] is not called twice for one message, whoever takes its turn over", async () => {
    for (const [wasCalled, expected] of [
      [true, []],
      [false, ["do it"]],
    ] as const) {
      const data = await temporaryFolder()
      const session_id = await diedIn(data, wasCalled)
      const { told, message_user } = keeper()
      const house = await openHouse({ data, message_user, script: [{ text: "Done." }] })
      await until(async () => (await transcript(house, session_id)).length === 2)
      await house.host.idle()
      expect(told).toEqual(expected)
    }
  })

  it("[SES-011] [PRI-008] no surface says what was kept", async () => {
    const house = await openHouse()
    const id = await newSession(house)
    await expect(say(house, id, "hi", { metadata: { snapshot_id: "mine" } })).rejects.toMatchObject(
      { code: "invalid", details: [{ path: "/metadata/snapshot_id" }] },
    )
  })
})

function branchOf(parent_id: string) {
  return { parent_id, from_message_id: null, title: null, metadata: {} }
}

/** A folder whose process died while, or before, it told its host of a message. */
async function diedIn(data: string, wasCalled: boolean): Promise<string> {
  const child = spawn(process.execPath, ["-e", ""])
  const owner = ownerOf(child.pid)
  await once(child, "exit")
  const store = await openSqliteStore({ file: join(data, "compositor.db"), thread: false })
  const { id } = await begin(store)
  const { claim, message } = await fire(store, id, "do it", { owner })
  const key = { ...keyOf(claim.turn), message_id: message.id }
  if (wasCalled) await store.recordSnapshot({ ...key, snapshot_id: null })
  await store.close()
  return id
}
