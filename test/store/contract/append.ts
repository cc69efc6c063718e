import { describe, expect, it } from "vitest"
import { newId } from "../../../packages/core/message/id.ts"
import type { Append, Store } from "../../../packages/engine/store/store.ts"
import { temporaryFolder } from "../../build.ts"
import {
  allEvents,
  ask,
  begin,
  blobOf,
  blobPart,
  enqueue,
  exchange,
  finish,
  fire,
  type Maker,
  OWNER,
  openStore,
  saidIn,
  textMessage,
  textPart,
  waitingIn,
  wordsOf,
} from "../build.ts"

export function appendContract(maker: Maker) {
  describe("append", () => {
    it("[EA-022] is first a queued row; an idle session claims it in the same commit", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const waiting = await enqueue(store, id, "later")
      expect(waiting).toMatchObject({ state: "queued", seq: null, role: "user" })
      expect(waiting.metadata.queued_at).toBe(waiting.metadata.queue_enqueued_at)
      const { claim, message, txid } = await fire(store, id, "now")
      // The one that came first is the head, so it is the one that fired.
      expect(claim.turn.message_id).toBe(waiting.id)
      expect(message.state).toBe("queued")
      const told = (await allEvents(store, id)).filter(({ headers }) => headers.txid === txid)
      expect(told.map(({ type, headers }) => `${type} ${headers.operation}`)).toEqual([
        "message insert",
        "part insert",
        "message update",
        "turn insert",
        "status update",
        "turn-started insert",
      ])
    })

    it("[UX-008] makes a fired message an ordinary one: its place in line is gone", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { message } = await fire(store, id, "now")
      expect(message).toMatchObject({ state: "fired", seq: 1 })
      expect(message.metadata).not.toHaveProperty("queued_at")
      expect(message.metadata).toHaveProperty("queue_enqueued_at")
    })

    it("[CMP-100] keeps parts verbatim and in their order", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const data = [
        '{"type":"text","text":"lone \\ud800, nul \\u0000"}',
        '{"type":"later-kind","n":1e400,"__proto__":{"a":1}}',
        '{"type":"text","text":"last"}',
      ]
      const parts = data.map((data_json) => ({ ...textPart(""), data_json }))
      const { message } = await store.append(textMessage(id, "x", { parts }))
      const canonical = await store.canonical(id, [message.id])
      expect(canonical?.messages[0]?.parts.map((part) => part.data_json)).toEqual(data)
      expect(await store.message(id, message.id)).toEqual(message)
    })

    it("is on disk when it returns", async () => {
      const folder = await temporaryFolder()
      const first = await maker.open(folder)
      const { id } = await begin(first)
      const { message, claim } = await fire(first, id, "durable")
      await first.close()
      const second = await openStore(maker, folder)
      expect(await second.message(id, message.id)).toEqual(message)
      expect(await second.turn(claim.turn.id)).toEqual(claim.turn)
    })

    it("says so when the store is closed, at once or while it closes", async () => {
      const store = await maker.open(await temporaryFolder())
      const { id } = await begin(store)
      const closing = store.close()
      const late = store.append(textMessage(id, "late"))
      await expect(late).rejects.toThrow("closed")
      await closing
      await expect(store.append(textMessage(id, "later"))).rejects.toThrow("closed")
      await store.close()
    })

    const fates: [string, (store: Store, input: Append) => Promise<unknown>][] = [
      ["waits", async () => undefined],
      [
        "was cancelled",
        (store, { session_id, message_id }) => store.cancelQueued({ session_id, message_id }),
      ],
      [
        "was edited",
        (store, { session_id, message_id }) =>
          store.changeQueued({ session_id, message_id, parts: [textPart("edited")] }),
      ],
      ["fired", (store, { session_id }) => store.claim({ session_id, owner: OWNER })],
      [
        "was answered",
        async (store, { session_id }) => {
          const claim = await store.claim({ session_id, owner: OWNER })
          if (!claim) throw new Error("nothing to claim")
          const message_id = await ask(store, claim.turn)
          await finish(store, claim.turn, { message_id, text: "yes" })
        },
      ],
      [
        "was purged",
        (store, { session_id, message_id }) => store.purgeMessage({ session_id, message_id }),
      ],
    ]
    it.each(fates)("[QUE-003] takes a retry for the same message when it %s", async (_, befall) => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const input = textMessage(id, "once")
      const first = await store.append(input)
      expect(first.replayed).toBe(false)
      await befall(store, input)
      const before = await store.message(id, input.message_id)
      const { next_seq } = await store.head(id)
      const retry = await store.append({ ...input, parts: [textPart("once")], owner: OWNER })
      expect(retry).toMatchObject({ replayed: true, claim: null })
      expect(retry.message).toEqual(before)
      expect((await store.head(id)).next_seq).toBe(next_seq)
      await expect(store.append({ ...input, digest: "another" })).rejects.toMatchObject({
        code: "conflict",
      })
    })

    it("[QUE-003] refuses an id that another session has used", async () => {
      const store = await openStore(maker)
      const [one, two] = [await begin(store), await begin(store)]
      const input = textMessage(one.id, "mine")
      await store.append(input)
      await expect(store.append({ ...input, session_id: two.id })).rejects.toMatchObject({
        code: "conflict",
      })
      expect(await store.message(two.id, input.message_id)).toBeNull()
    })

    it("[QUE-003] makes one message of one that was sent by many at once", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const input = textMessage(id, "once", { owner: OWNER })
      const sends = await Promise.all(Array.from({ length: 8 }, () => store.append(input)))
      expect(sends.filter(({ replayed }) => !replayed)).toHaveLength(1)
      expect(sends.filter(({ claim }) => claim !== null)).toHaveLength(1)
      expect(await saidIn(store, id)).toEqual(["once"])
    })

    it("refuses what it cannot keep, and keeps nothing of it", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const refused = async (input: Append, code: string) =>
        expect(store.append(input)).rejects.toMatchObject({ code })
      await refused(textMessage(newId("ses"), "nowhere"), "not_found")
      await refused(textMessage(id, "late", { expected_turn_id: newId("trn") }), "conflict")
      const absent = blobPart(blobOf("0", { stored: false }))
      await refused(textMessage(id, "absent", { parts: [textPart("a"), absent] }), "invalid")
      await store.changeSession({ id, archived: true })
      await refused(textMessage(id, "archived"), "conflict")
      await store.changeSession({ id, archived: false })
      expect(await waitingIn(store, id)).toEqual([])
      const { claim } = await fire(store, id, "first")
      await enqueue(store, id, "in time", { expected_turn_id: claim.turn.id })
      expect(await waitingIn(store, id)).toEqual(["in time"])
    })

    it("does not undo its neighbours when one of a group fails", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const absent = textMessage(id, "absent", {
        parts: [blobPart(blobOf("0", { stored: false }))],
      })
      const group = await Promise.allSettled([
        store.append(textMessage(id, "one")),
        store.append(absent),
        store.append(textMessage(id, "two")),
        store.cancelQueued({ session_id: id, message_id: newId("msg") }),
        store.changeSession({ id, title: "three" }),
        store.branch({
          id,
          parent_id: id,
          from_message_id: null,
          title: null,
          metadata: {},
        }),
        store.append(textMessage(id, "four")),
      ])
      expect(group.map(({ status }) => status)).toEqual([
        "fulfilled",
        "rejected",
        "fulfilled",
        "rejected",
        "fulfilled",
        "rejected",
        "fulfilled",
      ])
      expect(await waitingIn(store, id)).toEqual(["one", "two", "four"])
      expect((await store.session(id))?.title).toBe("three")
      expect(await store.message(id, absent.message_id)).toBeNull()
      await everyEventIsNumbered(store, id)
    })
  })

  describe("events", () => {
    it("[PER-014] number every row without a gap, with the txid that its writer was given", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { question } = await exchange(store, id, "hello", "hi")
      const sent = await Promise.all(
        Array.from({ length: 20 }, (_, at) => store.append(textMessage(id, `m${at}`))),
      )
      const first = sent[0]?.message.id ?? ""
      const { txid } = await store.changeQueued({ session_id: id, message_id: first, after: null })
      const events = await everyEventIsNumbered(store, id)
      const told = new Set(events.map(({ headers }) => headers.txid))
      for (const answer of [...sent, { txid }]) expect(told).toContain(answer.txid)
      const { messages, stream_next_offset } = await store.history(id, { limit: 10 })
      expect(stream_next_offset).toBe(events.length)
      expect(messages[0]?.id).toBe(question)
      // From any place on, the rest is the same.
      for (const from of [0, 1, 7, events.length - 1])
        expect(await store.events(id, from, 10_000)).toEqual(events.slice(from))
    })

    it("[PER-014] carry the full row as it is now", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { question, answer } = await exchange(store, id, "hello", "hi")
      const events = await allEvents(store, id)
      for (const message_id of [question, answer]) {
        const { parts, ...row } = (await store.message(id, message_id)) ?? { parts: [] }
        expect(events.findLast(({ key }) => key === message_id)?.value).toEqual(row)
        expect(events.findLast(({ key }) => key === parts[0]?.id)?.value).toEqual(parts[0])
      }
      expect(wordsOf(await store.message(id, answer))).toBe("hi")
      const session = events.findLast(({ type }) => type === "session")?.value
      expect(session).toMatchObject({ id, drain: "open" })
    })

    it("[UX-050] tell the status of each turn as it begins and ends", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { turn, question } = await exchange(store, id, "hello", "hi")
      const states = (await allEvents(store, id)).filter(({ type }) => type === "status")
      expect(states.map(({ value }) => value?.state)).toEqual(["busy", "idle"])
      expect(states[0]?.value).toMatchObject({ turn_id: turn.id, message_id: question })
    })

    it("tell who listens which streams changed", async () => {
      const store = await openStore(maker)
      const heard: string[] = []
      const stop = store.watch((streams) => heard.push(...(streams ?? [])))
      const { id } = await begin(store)
      await enqueue(store, id, "hello")
      expect(new Set(heard)).toEqual(new Set([id]))
      stop()
      await enqueue(store, id, "again")
      expect(heard).toHaveLength(2)
    })
  })
}

async function everyEventIsNumbered(store: Store, stream: string) {
  const events = await allEvents(store, stream)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at))
  expect(await store.head(stream)).toEqual({ first_seq: 0, next_seq: events.length })
  for (const { headers } of events) expect(headers.txid).toMatch(/^\S+$/)
  return events
}
