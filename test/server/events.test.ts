import { describe, expect, it } from "vitest"
import type { Frame } from "../../packages/client/sse.ts"
import type { Delta, StreamEvent } from "../../packages/core/message/row.ts"
import type { ScriptStep } from "../../packages/engine/providers/scripted.ts"
import { gate, openHouse, until } from "../session/house.ts"
import { begin, enqueue, saidIn } from "../store/build.ts"
import { type Door, Listener, newSession, openDoor, send } from "./house.ts"

const WORDS = ["once ", "upon ", "a ", "time ", "there ", "was ", "a ", "door."]

/** A model that says one word each time it is let. */
function speaker() {
  const gates = WORDS.map(() => gate())
  const script: ScriptStep[] = WORDS.flatMap((text, at) => [
    { wait: gates[at]?.wait ?? Promise.resolve() },
    { text },
  ])
  return {
    script,
    sayUpTo: (count: number) => {
      for (const { open } of gates.slice(0, count)) open()
    },
  }
}

async function listen(door: Door, session: string, from: { after?: number; last?: string } = {}) {
  const query = from.after === undefined ? "" : `?after=${from.after}`
  const headers = from.last === undefined ? {} : { "last-event-id": from.last }
  return new Listener(
    await door.request("get", `/v1/sessions/${session}/events${query}`, { headers }),
  )
}

function rowsIn(frames: readonly Frame[]): StreamEvent[] {
  return frames.filter(({ event }) => event === "row").map(({ data }) => JSON.parse(data))
}

function deltasIn(frames: readonly Frame[]): Delta[] {
  return frames.filter(({ event }) => event === "delta").map(({ data }) => JSON.parse(data))
}

function endsWith(words: string) {
  let text = ""
  return (frame: Frame) => {
    if (frame.event === "delta") text += JSON.parse(frame.data).text
    return text.endsWith(words)
  }
}

function isTurn(state: string) {
  return (frame: Frame) => {
    const [row] = rowsIn([frame])
    return row?.type === "turn" && row.value?.state === state
  }
}

function isEndOf(turn_id: string, frame: Frame): boolean {
  return isTurn("finished")(frame) && rowsIn([frame])[0]?.key === turn_id
}

function placeAfter(frames: readonly Frame[]): { last?: string } {
  const last = frames.at(-1)?.id
  return last === undefined ? {} : { last }
}

/** Each piece begins where the one before it ended, and nothing else was said. */
function wasSaidOnce(deltas: readonly Delta[]) {
  const starts = deltas.map((_, at) => joined(deltas.slice(0, at)).length)
  expect(deltas.map(({ offset }) => offset)).toEqual(starts)
  expect(WORDS.join("").startsWith(joined(deltas))).toBe(true)
  expect(new Set(deltas.map(({ turn_id }) => turn_id)).size).toBe(1)
}

describe("a session's stream", () => {
  it("[SES-060] replays from the start, then tells what comes", async () => {
    const door = await openDoor({ script: [{ text: "hello" }] })
    const session = await newSession(door)
    await send(door, session, "one")
    await door.host.idle()
    const listener = await listen(door, session)
    const before = rowsIn(await listener.upTo(isTurn("finished")))
    await send(door, session, "two")
    const all = [...before, ...rowsIn(await listener.upTo(isTurn("finished")))]
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at))
    expect(all[0]).toMatchObject({ type: "session", key: session })
    expect(all.filter(({ type }) => type === "turn")).toHaveLength(4)
  })

  it("follows a page from the offset that the page names", async () => {
    const door = await openDoor({ script: [{ text: "hello" }] })
    const session = await newSession(door)
    await send(door, session, "one")
    await door.host.idle()
    const { body } = await door.ask("get", `/v1/sessions/${session}/messages`)
    const listener = await listen(door, session, { after: body.stream_next_offset })
    await send(door, session, "two")
    const [first] = rowsIn([await listener.next()])
    expect(first).toMatchObject({ seq: body.stream_next_offset, type: "message" })
  })

  it("[SES-060] resumes within an answer, without a word lost or said twice", async () => {
    const { script, sayUpTo } = speaker()
    const door = await openDoor({ script })
    const session = await newSession(door)
    await send(door, session, "speak")
    const seen: Frame[] = []
    for (const count of [2, 3, 5, 6]) {
      const listener = await listen(door, session, placeAfter(seen))
      sayUpTo(count)
      const rest = WORDS.slice(0, count)
        .join("")
        .slice(joined(deltasIn(seen)).length)
      seen.push(...(await listener.upTo(endsWith(rest))))
      await listener.leave()
    }
    sayUpTo(8)
    const listener = await listen(door, session, placeAfter(seen))
    seen.push(...(await listener.upTo(isTurn("finished"))))
    wasSaidOnce(deltasIn(seen))
    const rows = rowsIn(seen)
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at))
    const part = rows.findLast(({ type, value }) => type === "part" && value?.type === "text")
    expect(part?.value?.data).toEqual({ type: "text", text: WORDS.join("") })
  })

  it("[SES-060] tells the running turn's words once, however many turns went before", async () => {
    const { script, sayUpTo } = speaker()
    let turns = 0
    const door = await openDoor({ script: () => (turns++ < 2 ? [{ text: "short" }] : script) })
    const session = await newSession(door)
    for (const text of ["one", "two"]) {
      await send(door, session, text)
      await door.host.idle()
    }
    const { turn } = await send(door, session, "speak")
    sayUpTo(3)
    await until(async () => (await saidIn(door.host.store, session)).at(-1) === "once upon a ")
    const listener = await listen(door, session)
    const seen = await listener.upTo(({ event }) => event === "delta")
    await listener.leave()
    const again = await listen(door, session, placeAfter(seen))
    seen.push(...(await again.upTo(isTurn("running"))))
    sayUpTo(7)
    seen.push(...(await again.upTo(endsWith("was a "))))
    sayUpTo(8)
    await door.host.idle()
    seen.push(...(await again.upTo((frame) => isEndOf(turn.id, frame))))
    wasSaidOnce(deltasIn(seen))
  })

  it("[SES-060] goes on answering when whoever listened leaves", async () => {
    const { script, sayUpTo } = speaker()
    const door = await openDoor({ script })
    const session = await newSession(door)
    await send(door, session, "speak")
    const listener = await listen(door, session)
    sayUpTo(1)
    await listener.upTo(endsWith("once "))
    await listener.leave()
    sayUpTo(8)
    await door.host.idle()
    expect(await saidIn(door.host.store, session)).toEqual(["speak", WORDS.join("")])
  })

  it("[decision 17] says reset after a purge, to who listens and to who comes back", async () => {
    const door = await openDoor({ script: [{ text: "hello" }] })
    const session = await newSession(door)
    const { message } = await send(door, session, "a secret")
    await door.host.idle()
    const listener = await listen(door, session)
    const seen = await listener.upTo(isTurn("finished"))
    await door.ask("delete", `/v1/sessions/${session}/messages/${message.id}`)
    const after = await listener.upTo(({ event }) => event === "reset")
    expect(JSON.stringify(after)).not.toContain("a secret")
    const back = await listen(door, session, { last: seen.at(-1)?.id ?? "" })
    expect((await back.next()).event).toBe("reset")
    const [row] = rowsIn([await back.next()])
    expect(row).toMatchObject({ type: "session" })
  })

  it("says reset to who comes with a place that never was", async () => {
    const door = await openDoor({ turns: false })
    const session = await newSession(door)
    for (const last of ["99", "99/trn_x/1", "9".repeat(90)]) {
      const listener = await listen(door, session, { last })
      expect([last, (await listener.next()).event]).toEqual([last, "reset"])
      await listener.leave()
    }
    for (const last of ["x", "1/2", "1/a/b", "1 ", "../1", "1/trn_x/1/2"]) {
      const path = `/v1/sessions/${session}/events?last_event_id=${encodeURIComponent(last)}`
      expect([last, (await door.ask("get", path)).status]).toEqual([last, 422])
    }
  })

  it("[D6] tells nothing of another session, whatever place is claimed", async () => {
    const door = await openDoor({ script: [{ text: "a secret" }] })
    const [mine, other] = [await newSession(door), await newSession(door)]
    const { turn } = await send(door, other, "tell")
    await door.host.idle()
    await send(door, mine, "hello", { mode: "paused" })
    for (const stream of [turn.id, other]) {
      const listener = await listen(door, mine, { last: `-1/${stream}/0` })
      const frames = await listener.upTo((frame) => rowsIn([frame])[0]?.type === "part")
      expect(deltasIn(frames)).toEqual([])
      await listener.leave()
    }
  })

  it("ends its watch when the client goes", async () => {
    const door = await openDoor({ turns: false })
    const session = await newSession(door)
    const listeners = await Promise.all(Array.from({ length: 20 }, () => listen(door, session)))
    for (const listener of listeners) await listener.next()
    for (const listener of listeners) await listener.leave()
    await send(door, session, "anyone?")
    expect(door.failures).toEqual([])
  })
})

describe("the folder's stream", () => {
  it("[EVT-002] tells of each session as it changes", async () => {
    const door = await openDoor({ script: [{ text: "hello" }] })
    const listener = new Listener(await door.request("get", "/v1/events"))
    const session = await newSession(door, { title: "Plans" })
    const [born] = rowsIn(await listener.upTo(({ event }) => event === "row"))
    expect(born).toMatchObject({
      stream: session,
      type: "session",
      value: { title: "Plans", status: { state: "idle" }, queued: 0 },
    })
    await door.ask("delete", `/v1/sessions/${session}`)
    await listener.upTo((frame) => frame.event === "row" && JSON.parse(frame.data).value === null)
  })

  it("[PER-015] says reset when another process wrote: then anything may have changed", async () => {
    const door = await openDoor({ turns: false })
    const listener = new Listener(await door.request("get", "/v1/events"))
    const other = await openHouse({ data: door.data, turns: false })
    const { id } = await begin(other.host.store)
    await enqueue(other.host.store, id, "from elsewhere")
    await listener.upTo(({ event }) => event === "reset")
  })
})

function joined(deltas: readonly Delta[]): string {
  return deltas.map(({ text }) => text).join("")
}
