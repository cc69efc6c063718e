import { describe, expect, it } from "vitest"
import { newId } from "../../../packages/core/message/id.ts"
import type { Store } from "../../../packages/engine/store/store.ts"
import { temporaryFolder } from "../../build.ts"
import {
  allEvents,
  answerPart,
  ask,
  begin,
  blobOf,
  blobPart,
  captureOf,
  enqueue,
  exchange,
  exported,
  finish,
  fire,
  keyOf,
  type Maker,
  OWNER,
  openStore,
  saidIn,
  textMessage,
  textPart,
  wordsOf,
} from "../build.ts"
import { deltaOf } from "./turns.ts"

export function deletionContract(maker: Maker) {
  describe("delete", () => {
    it("[decision 17] removes rows, events, captures and blobs", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store, { title: "secret" })
      const part = blobPart(blobOf("a"))
      const captures = [captureOf(part.id, blobOf("b"))]
      const { claim } = await fire(store, id, "secret", { parts: [part], captures })
      const message_id = await ask(store, claim.turn)
      await speak(store, claim.turn, message_id, "secret")
      await finish(store, claim.turn, { message_id, text: "secret" })
      await enqueue(store, id, "secret")
      const deleted = await store.deleteSession({ session_id: id, cascade: false })
      expect(deleted).toMatchObject({ deleted: [id], branches: [] })
      expect(new Set(deleted.content_ids)).toEqual(
        new Set([blobOf("a").content_id, blobOf("b").content_id]),
      )
      expect(await store.session(id)).toBeNull()
      expect(await exported(store)).toEqual([])
      expect(JSON.stringify(await allEvents(store, id))).not.toContain("secret")
      expect(await allEvents(store, claim.turn.id)).toEqual([])
      expect(await store.claimable()).toEqual([])
    })

    it("[decision 17] is told to who follows, and is final", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { next_seq } = await store.head(id)
      await store.deleteSession({ session_id: id, cascade: false })
      const [told] = await store.events(id, next_seq, 10)
      expect(told).toMatchObject({ type: "session", value: null, headers: { operation: "delete" } })
      const refused = await Promise.allSettled<unknown>([
        store.append(textMessage(id, "hello?")),
        store.changeSession({ id, title: "hello?" }),
        store.history(id, { limit: 1 }),
        store.queue(id),
        store.deleteSession({ session_id: id, cascade: false }),
      ])
      for (const call of refused) expect(call).toMatchObject({ reason: { code: "not_found" } })
    })

    it("leaves other sessions as they were, and what they share", async () => {
      const store = await openStore(maker)
      const [one, two] = [await begin(store), await begin(store)]
      const blob = blobOf("a")
      for (const { id } of [one, two])
        await store.append(textMessage(id, "look", { parts: [blobPart(blob)] }))
      const kept = await exchange(store, two.id, "hello", "hi")
      const { content_ids } = await store.deleteSession({ session_id: one.id, cascade: false })
      expect(content_ids).toEqual([])
      expect(await store.sessionHasBlob(two.id, blob.content_id)).toBe(true)
      expect(await store.systemPrompt("sha256:system")).toBe("Be kind.")
      expect(wordsOf(await store.message(two.id, kept.answer))).toBe("hi")
    })

    it("[SES-021] keeps, hidden, only what living branches read; it goes with the last", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store, { title: "secret", metadata: { note: "secret" } })
      const shared = await exchange(store, id, "shared", "yes")
      const late = await fire(store, id, "secret", { parts: [blobPart(blobOf("a"))] })
      await finish(store, late.claim.turn, null, { state: "error" })
      const [one, two] = [await branchFrom(store, id, shared.answer), await branchFrom(store, id)]
      await store.deleteSession({ session_id: two, cascade: false })
      const deleted = await store.deleteSession({ session_id: id, cascade: false })
      expect(deleted).toEqual({
        deleted: [id],
        branches: [one],
        content_ids: [blobOf("a").content_id],
      })
      expect(await store.session(id)).toBeNull()
      expect(await saidIn(store, one)).toEqual(["shared", "yes"])
      expect(JSON.stringify(await exported(store))).not.toContain("secret")
      expect(await store.sessions({ limit: 9, archived: true })).toMatchObject([{ id: one }])
      await store.deleteSession({ session_id: one, cascade: false })
      expect(await exported(store)).toEqual([])
    })

    it("[SES-021] takes branches, and theirs, along when it cascades", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      await exchange(store, id, "shared", "yes")
      const one = await branchFrom(store, id)
      await exchange(store, one, "more", "yes")
      const two = await branchFrom(store, one)
      const other = await begin(store)
      const { deleted, branches } = await store.deleteSession({ session_id: id, cascade: true })
      expect(new Set(deleted)).toEqual(new Set([id, one, two]))
      expect(branches).toEqual([])
      expect((await exported(store)).map(({ data }) => data.id)).toEqual([other.id])
    })

    it("ends a turn that runs, whether branches keep the session or not", async () => {
      const store = await openStore(maker)
      for (const branched of [false, true]) {
        const { id } = await begin(store)
        await exchange(store, id, "shared", "yes")
        if (branched) await branchFrom(store, id)
        const { claim } = await fire(store, id, "unfinished")
        const message_id = await ask(store, claim.turn)
        await store.deleteSession({ session_id: id, cascade: false })
        await expect(finish(store, claim.turn, { message_id, text: "late" })).rejects.toMatchObject(
          { code: "stale" },
        )
        expect(await store.liveTurns()).toEqual([])
        expect(await store.beat({ owner: OWNER, turn_ids: [claim.turn.id] })).toEqual({
          live: [],
          abort: [],
        })
      }
    })
  })

  describe("purge", () => {
    it("[decision 17] removes one message's content and starts the stream anew", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const part = blobPart(blobOf("a"))
      const input = textMessage(id, "secret", {
        owner: OWNER,
        metadata: { note: "secret" },
        parts: [textPart("secret"), part],
        captures: [captureOf(part.id, blobOf("b"), "secret")],
      })
      const { claim } = await store.append(input)
      if (!claim) throw new Error("nothing was claimed")
      const answer = await ask(store, claim.turn)
      await finish(store, claim.turn, { message_id: answer, text: "fine" })
      const before = await store.head(id)
      const { content_ids } = await store.purgeMessage({
        session_id: id,
        message_id: input.message_id,
      })
      expect(new Set(content_ids)).toEqual(
        new Set([blobOf("a").content_id, blobOf("b").content_id]),
      )
      expect(await saidIn(store, id)).toEqual(["fine"])
      const after = await store.head(id)
      // Also who had heard everything must hear that the stream began anew.
      expect(after.first_seq).toBeGreaterThan(before.next_seq)
      expect(after.next_seq).toBeGreaterThan(after.first_seq)
      const rows = JSON.stringify([await exported(store), await allEvents(store, id)])
      expect(rows.replaceAll('"payload_digest":"secret"', "")).not.toContain("secret")
      expect(await store.message(id, input.message_id)).toMatchObject({
        state: "cancelled",
        parts: [],
        metadata: { purged_at: expect.any(Number) },
      })
    })

    it("[decision 17] removes an answer from the stream of its turn too", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "tell me")
      const message_id = await ask(store, claim.turn)
      await speak(store, claim.turn, message_id, "secret")
      await finish(store, claim.turn, { message_id, text: "secret" })
      await store.purgeMessage({ session_id: id, message_id })
      expect(await allEvents(store, claim.turn.id)).toEqual([])
      expect(await saidIn(store, id)).toEqual(["tell me"])
    })

    it("[decision 17] reaches the branches that read the message", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { question } = await exchange(store, id, "secret", "fine")
      const branch = await branchFrom(store, id)
      const before = await store.session(branch)
      const head = await store.head(branch)
      await store.purgeMessage({ session_id: id, message_id: question })
      expect(await saidIn(store, branch)).toEqual(["fine"])
      expect((await store.session(branch))?.path_revision).toBeGreaterThan(
        before?.path_revision ?? 0,
      )
      expect((await store.head(branch)).first_seq).toBeGreaterThan(head.next_seq)
    })

    it("refuses a message of the running turn, and one that is not there", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim, message } = await fire(store, id, "running")
      const answer = await ask(store, claim.turn)
      for (const message_id of [message.id, answer])
        await expect(store.purgeMessage({ session_id: id, message_id })).rejects.toMatchObject({
          code: "conflict",
        })
      await expect(
        store.purgeMessage({ session_id: id, message_id: newId("msg") }),
      ).rejects.toMatchObject({ code: "not_found" })
    })
  })

  describe("sweep and vacuum", () => {
    it("forgets the deltas of turns that ended long ago, and of no others", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "one")
      const message_id = await ask(store, claim.turn)
      const part_id = await speak(store, claim.turn, message_id, "told")
      await store.sweep({ uploads_before: 0, streams_before: Number.MAX_SAFE_INTEGER })
      expect(await allEvents(store, claim.turn.id)).toHaveLength(1)
      await finish(store, claim.turn, { message_id, part_id, text: "told" })
      await store.sweep({ uploads_before: 0, streams_before: 0 })
      expect(await allEvents(store, claim.turn.id)).toHaveLength(1)
      await store.sweep({ uploads_before: 0, streams_before: Number.MAX_SAFE_INTEGER })
      expect(await allEvents(store, claim.turn.id)).toEqual([])
      expect(await saidIn(store, id)).toEqual(["one", "told"])
    })

    it("gives back space while others write", async () => {
      const store = await openStore(maker, await temporaryFolder())
      const { id } = await begin(store)
      await Promise.all([
        enqueue(store, id, "one"),
        store.vacuum({}),
        enqueue(store, id, "two"),
        store.vacuum({}),
      ])
      expect(await store.queuedCount(id)).toBe(2)
    })
  })
}

async function branchFrom(store: Store, parent_id: string, from_message_id: string | null = null) {
  const id = newId("ses")
  await store.branch({ id, parent_id, from_message_id, title: "branch", metadata: { note: "" } })
  return id
}

async function speak(
  store: Store,
  turn: Parameters<typeof keyOf>[0],
  message_id: string,
  text: string,
) {
  const part_id = newId("prt")
  await store.recordStream({
    ...keyOf(turn),
    message_id,
    deltas: [deltaOf(turn, message_id, part_id, 0, text)],
    parts: [answerPart(text, part_id)],
  })
  return part_id
}
