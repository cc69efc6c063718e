import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import { isGone, ownerOf } from "../../packages/engine/turns/owner.ts"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import type { Store } from "../../packages/engine/store/store.ts"
import { temporaryFolder } from "../build.ts"
import { answerPart, ask, begin, enqueue, fire, keyOf } from "../store/build.ts"
import { deltaOf } from "../store/contract/turns.ts"
import { answersIn, openHouse, transcript, until } from "./house.ts"

/** A process that is no more. */
async function deadOwner(): Promise<string> {
  const child = spawn(process.execPath, ["-e", ""])
  const owner = ownerOf(child.pid)
  await once(child, "exit")
  return owner
}

interface Crash {
  readonly data: string
  readonly session_id: string
  readonly question: string
  readonly turn_id: string
}

/** A folder whose process died while it answered: half an answer, and a message behind it. */
async function crashed(
  owner: string,
  before?: (store: Store, session_id: string) => Promise<void>,
) {
  const data = await temporaryFolder()
  const store = await openSqliteStore({ file: join(data, "compositor.db"), thread: false })
  const { id } = await begin(store)
  const { claim, message } = await fire(store, id, "tell me", { owner })
  const message_id = await ask(store, claim.turn)
  const part_id = newId("prt")
  const delta = (offset: number, text: string) =>
    deltaOf(claim.turn, message_id, part_id, offset, text)
  await store.recordStream({
    ...keyOf(claim.turn),
    message_id,
    deltas: [delta(0, "once ")],
    parts: [answerPart("once ", part_id)],
  })
  await store.recordStream({
    ...keyOf(claim.turn),
    message_id,
    deltas: [delta(5, "upon")],
    parts: [],
  })
  await enqueue(store, id, "and then")
  await before?.(store, id)
  await store.close()
  const crash: Crash = { data, session_id: id, question: message.id, turn_id: claim.turn.id }
  return crash
}

describe("after a crash", () => {
  it("the next process interrupts the turn, asks again, and the queue goes on", async () => {
    const { data, session_id, question } = await crashed(await deadOwner())
    const house = await openHouse({ data, script: [{ text: "all of it" }] })
    await until(async () => (await house.host.store.turns(session_id)).length === 3)
    await house.host.idle()
    const turns = await house.host.store.turns(session_id)
    expect(turns.map(({ state, attempt }) => [state, attempt])).toEqual([
      ["interrupted", 1],
      ["finished", 2],
      ["finished", 1],
    ])
    expect(turns[1]?.message_id).toBe(question)
    expect(await transcript(house, session_id)).toEqual([
      "user: tell me",
      "assistant: once upon",
      "assistant: all of it",
      "user: and then",
      "assistant: all of it",
    ])
  })

  it("what was cut short stays visible, and is not part of the next prompt", async () => {
    const { data, session_id } = await crashed(await deadOwner())
    const house = await openHouse({ data, script: [{ text: "all of it" }] })
    await until(async () => house.model.calls.length === 2)
    await house.host.idle()
    const [cut] = await answersIn(house, session_id)
    expect(cut?.metadata).toMatchObject({ superseded: true, finish: "interrupted" })
    const said = house.model.calls.map(({ prompt }) =>
      prompt.map(({ role, blocks }) => [
        role,
        ...blocks.map((block) => "text" in block && block.text),
      ]),
    )
    expect(said).toEqual([
      [["user", "tell me"]],
      [
        ["user", "tell me"],
        ["assistant", "all of it"],
        ["user", "and then"],
      ],
    ])
  })

  it("[SES-062] a turn that was asked to stop stays stopped", async () => {
    const { data, session_id, turn_id } = await crashed(
      await deadOwner(),
      async (store, session_id) => {
        await store.requestAbort({ session_id, clear: true })
      },
    )
    const house = await openHouse({ data })
    await until(async () => (await house.host.store.turn(turn_id))?.state === "aborted")
    await house.host.idle()
    expect(house.model.calls).toEqual([])
    expect(await transcript(house, session_id)).toEqual(["user: tell me", "assistant: once upon"])
  })

  it("a deleted session's turn does not keep others from being looked after", async () => {
    const { data, session_id } = await crashed(await deadOwner(), async (store) => {
      const other = await begin(store)
      await fire(store, other.id, "lost", { owner: "nobody" })
      await store.deleteSession({ session_id: other.id, cascade: false })
    })
    const house = await openHouse({ data, script: [{ text: "fine" }] })
    await until(async () => (await house.host.store.turns(session_id)).length === 3)
  })

  it("[PER-015] a turn of a living process is left alone", async () => {
    const { data, turn_id } = await crashed(ownerOf())
    const house = await openHouse({ data })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect((await house.host.store.turn(turn_id))?.state).toBe("running")
    expect(house.model.calls).toEqual([])
  })

  it("[PER-015] a turn whose heart stands still is taken over when its lease has run out", async () => {
    const { data, turn_id } = await crashed(ownerOf())
    const house = await openHouse({ data, lease_ms: 50, script: [{ text: "mine now" }] })
    await until(async () => (await house.host.store.turn(turn_id))?.state === "interrupted")
  })

  it("[PER-015] a message that a process without turns took in is answered by one that has them", async () => {
    const house = await openHouse({ script: [{ text: "here" }] })
    const quiet = await openHouse({ data: house.data, turns: false })
    const { id } = await begin(quiet.host.store)
    await quiet.host.submit({ session_id: id, parts: [{ type: "text", text: "anyone?" }] })
    await until(async () => (await transcript(quiet, id)).at(-1) === "assistant: here")
  })
})

describe("an owner", () => {
  it("[PER-015] lives as long as its process, and no longer", async () => {
    const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"])
    const owner = ownerOf(child.pid)
    expect(isGone(owner)).toBe(false)
    child.kill("SIGKILL")
    await once(child, "exit")
    expect(isGone(owner)).toBe(true)
  })

  it("[PER-015] is this process, and not one that has its number again", () => {
    expect(isGone(ownerOf())).toBe(false)
    const [host, boot, pid] = ownerOf().split("|")
    expect(isGone([host, boot, pid, "1"].join("|"))).toBe(true)
    expect(isGone([host, "another boot", pid, "1"].join("|"))).toBe(true)
  })

  it("[PER-015] on another machine may live: its heartbeat decides", () =>
    expect(isGone("elsewhere|boot|1|1")).toBe(false))

  it.each(["", "|||", "nonsense", "a|b|c"])("is no process when it is %j", (owner) =>
    expect(typeof isGone(owner)).toBe("boolean"),
  )
})
