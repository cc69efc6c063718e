import { describe, expect, it } from "vitest"
import { newId } from "../../../packages/core/message/id.ts"
import type { Claim, QueuedChange, Store } from "../../../packages/engine/store/store.ts"
import {
  allEvents,
  ask,
  begin,
  enqueue,
  exported,
  finish,
  fire,
  type Maker,
  OWNER,
  openStore,
  textMessage,
  textPart,
  waitingIn,
  wordsOf,
} from "../build.ts"

export function queueContract(maker: Maker) {
  describe("queue", () => {
    it("[UX-009] [QUE-002] fires in the order in which messages came", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      await Promise.all(["a", "b", "c"].map((text) => store.append(textMessage(id, text))))
      expect(await waitingIn(store, id)).toEqual(["a", "b", "c"])
      expect(await drain(store, id)).toEqual(["a", "b", "c"])
    })

    it("[QUE-005] orders by position, then by id", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const ids = [newId("msg"), newId("msg"), newId("msg")]
      const put = (text: string, position: string, at: number) =>
        enqueue(store, id, text, { position, message_id: ids[at] ?? "" })
      await put("third", "b", 2)
      await put("second", "b", 1)
      await put("first", "a", 0)
      expect(await waitingIn(store, id)).toEqual(["first", "second", "third"])
      expect(await drain(store, id)).toEqual(["first", "second", "third"])
    })

    it("[QUE-005] keeps its order when the clock steps back", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      await enqueue(store, id, "before")
      const tomorrow = Date.now() + 24 * 60 * 60 * 1000
      const rows = await exported(store)
      const moved = await openStore(maker)
      await moved.importRows({
        rows: rows.map((row) => {
          if (row.type !== "session") return row
          return {
            ...row,
            data: { ...row.data, last_queued_at: tomorrow, last_created_at: tomorrow },
          }
        }),
      })
      const [one, two] = [await enqueue(moved, id, "one"), await enqueue(moved, id, "two")]
      expect(one.metadata.queued_at).toBe(tomorrow + 1)
      expect(two.metadata.queued_at).toBe(tomorrow + 2)
      expect(one.position).toBe(`${String(tomorrow + 1).padStart(16, "0")}:a0`)
      expect([one.created_at, two.created_at]).toEqual([tomorrow, tomorrow])
      expect(await waitingIn(moved, id)).toEqual(["before", "one", "two"])
    })

    it("[EA-022] holds what is behind a paused head; what is immediate passes it", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const held = await enqueue(store, id, "held", { mode: "paused" })
      await enqueue(store, id, "behind", { mode: "queued" })
      expect(await store.claim({ session_id: id, owner: OWNER })).toBeNull()
      const { claim, message } = await fire(store, id, "now")
      expect(claim.turn.message_id).toBe(message.id)
      expect(await end(store, claim)).toBeNull()
      await store.changeQueued({ session_id: id, message_id: held.id, state: "queued" })
      expect(await drain(store, id)).toEqual(["held", "behind"])
    })

    it("[EA-022] lets an immediate message wait its turn while the session is busy", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "first")
      const busy = await store.append(textMessage(id, "second", { owner: OWNER }))
      expect(busy).toMatchObject({ claim: null, message: { state: "queued" } })
      await enqueue(store, id, "third")
      const next = await end(store, claim)
      expect(next?.turn.message_id).toBe(busy.message.id)
    })

    it("[EA-022] fires what was steered ahead of the queue", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "first")
      await enqueue(store, id, "later")
      const steered = await enqueue(store, id, "turn left", { mode: "steer" })
      const next = await end(store, claim, "aborted")
      expect(next?.turn.message_id).toBe(steered.id)
    })

    it("[UXH-003] stops at an error; what is immediate starts it again, and the stream says so", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "first")
      await enqueue(store, id, "waited")
      expect(await end(store, claim, "error")).toBeNull()
      expect(await store.claim({ session_id: id, owner: OWNER })).toBeNull()
      const queued = await store.append(
        textMessage(id, "also waits", { mode: "queued", owner: OWNER }),
      )
      expect(queued.claim).toBeNull()
      expect(await drainTold(store, id)).toBe("stopped")
      const { claim: again, message } = await fire(store, id, "go on")
      expect(again.turn.message_id).toBe(message.id)
      expect((await store.session(id))?.drain).toBe("open")
      expect(await drainTold(store, id)).toBe("open")
      const next = await end(store, again)
      expect(wordsOf(await store.message(id, next?.turn.message_id ?? ""))).toBe("waited")
      expect(next && (await end(store, next))).not.toBeNull()
    })

    it("[QUE-005] goes on after an abort", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "first")
      const waited = await enqueue(store, id, "waited")
      expect((await end(store, claim, "aborted"))?.turn.message_id).toBe(waited.id)
    })

    it("[EA-023] edits, pauses and releases what waits, keeping when it was sent", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const sent = await enqueue(store, id, "first thought")
      const change = (more: Partial<QueuedChange>) =>
        store.changeQueued({ session_id: id, message_id: sent.id, ...more })
      const parts = [textPart("second"), textPart(" thought")]
      const { message } = await change({ parts, metadata: { note: 1 }, state: "editing" })
      expect(wordsOf(message)).toBe("second thought")
      expect(message.metadata).toEqual({
        ...sent.metadata,
        note: 1,
        editing_until: expect.any(Number),
      })
      expect(message).toMatchObject({ state: "editing", position: sent.position })
      expect(await store.claim({ session_id: id, owner: OWNER })).toBeNull()
      await change({ state: "paused" })
      expect(await store.claim({ session_id: id, owner: OWNER })).toBeNull()
      await change({ state: "queued" })
      expect(await drain(store, id)).toEqual(["second thought"])
      const told = (await allEvents(store, id)).filter(({ key }) => key === sent.parts[0]?.id)
      expect(told.at(-1)).toMatchObject({ value: null, headers: { operation: "delete" } })
    })

    it("[QUE-003] cancels what waits, and leaves its row to say so", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const sent = await enqueue(store, id, "never mind")
      const { message } = await store.cancelQueued({ session_id: id, message_id: sent.id })
      expect(message.state).toBe("cancelled")
      expect(message.metadata).toMatchObject({ queue_canceled_at: expect.any(Number) })
      expect(message.metadata).not.toHaveProperty("queued_at")
      expect(await store.queuedCount(id)).toBe(0)
      expect(await store.claim({ session_id: id, owner: OWNER })).toBeNull()
    })

    it("[EA-023] refuses every change once the message fired or was cancelled", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const cancelled = await enqueue(store, id, "cancelled")
      await store.cancelQueued({ session_id: id, message_id: cancelled.id })
      const { message: fired } = await fire(store, id, "fired")
      for (const message_id of [fired.id, cancelled.id]) {
        const key = { session_id: id, message_id }
        const changes = await Promise.allSettled([
          store.changeQueued({ ...key, parts: [textPart("x")] }),
          store.changeQueued({ ...key, state: "paused" }),
          store.changeQueued({ ...key, position: "a" }),
          store.changeQueued({ ...key, after: null }),
          store.cancelQueued(key),
        ])
        for (const change of changes) expect(change).toMatchObject({ reason: { code: "conflict" } })
      }
      await expect(
        store.cancelQueued({ session_id: id, message_id: newId("msg") }),
      ).rejects.toMatchObject({ code: "not_found" })
      expect(wordsOf(await store.message(id, fired.id))).toBe("fired")
    })

    it("[QUE-004] lets exactly one of claim, cancel and edit win", async () => {
      const store = await openStore(maker)
      for (let round = 0; round < 10; round++) {
        const { id } = await begin(store)
        const { id: message_id } = await enqueue(store, id, "wanted")
        const key = { session_id: id, message_id }
        const [claim, cancel] = await Promise.allSettled([
          store.claim({ session_id: id, owner: OWNER }),
          store.cancelQueued(key),
        ])
        const fired = claim.status === "fulfilled" && claim.value !== null
        expect(fired).toBe(cancel.status === "rejected")
      }
    })

    it("[EA-023] puts a message anywhere, also between the same two again and again", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const [a, b, c] = [
        await enqueue(store, id, "a"),
        await enqueue(store, id, "b"),
        await enqueue(store, id, "c"),
      ]
      const put = (message: { id: string }, after: { id: string } | null) =>
        store.changeQueued({ session_id: id, message_id: message.id, after: after?.id ?? null })
      await put(c, null)
      expect(await waitingIn(store, id)).toEqual(["c", "a", "b"])
      await put(c, a)
      expect(await waitingIn(store, id)).toEqual(["a", "c", "b"])
      await put(a, b)
      expect(await waitingIn(store, id)).toEqual(["c", "b", "a"])
      for (let times = 0; times < 20; times++) {
        const wedge = await enqueue(store, id, `w${times}`)
        await put(wedge, c)
        expect((await waitingIn(store, id)).slice(0, 2)).toEqual(["c", `w${times}`])
      }
      expect((await waitingIn(store, id)).slice(-2)).toEqual(["b", "a"])
      for (let times = 0; times < 20; times++) {
        const first = await enqueue(store, id, `f${times}`)
        await put(first, null)
        expect((await waitingIn(store, id))[0]).toBe(`f${times}`)
      }
      await expect(put(a, { id: newId("msg") })).rejects.toMatchObject({ code: "conflict" })
    })

    it("[EA-023] puts a message before one that was placed by hand", async () => {
      const store = await openStore(maker)
      for (const position of ["!", "a", "0", "~~~"]) {
        const { id } = await begin(store)
        await enqueue(store, id, "placed", { position })
        const first = await enqueue(store, id, "first", { position: "~~~~" })
        await store.changeQueued({ session_id: id, message_id: first.id, after: null })
        expect(await waitingIn(store, id)).toEqual(["first", "placed"])
      }
    })
  })
}

/** Answer whatever fires until nothing does; gives the words in their order. */
async function drain(store: Store, session_id: string): Promise<string[]> {
  const fired: string[] = []
  let claim = await store.claim({ session_id, owner: OWNER })
  while (claim) {
    fired.push(wordsOf(await store.message(session_id, claim.turn.message_id)))
    claim = await end(store, claim)
  }
  return fired
}

async function end(
  store: Store,
  { turn }: Claim,
  state: "finished" | "aborted" | "error" = "finished",
): Promise<Claim | null> {
  const message_id = await ask(store, turn)
  const { next } = await finish(store, turn, { message_id, text: "ok" }, { state, owner: OWNER })
  return next
}

/** What a reader of the stream thinks of the drain. */
async function drainTold(store: Store, session_id: string) {
  const events = await allEvents(store, session_id)
  return events.findLast(({ type }) => type === "session")?.value?.drain
}
