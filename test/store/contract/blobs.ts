import { describe, expect, it } from "vitest"
import { newId } from "../../../packages/core/message/id.ts"
import type { NewBlob, Store } from "../../../packages/engine/store/store.ts"
import {
  ask,
  begin,
  blobOf,
  blobPart,
  captureOf,
  enqueue,
  finish,
  fire,
  type Maker,
  openStore,
  textMessage,
  textPart,
} from "../build.ts"

const NEVER = { uploads_before: 0, streams_before: 0 }
const ALL = { uploads_before: Number.MAX_SAFE_INTEGER, streams_before: 0 }

export function blobContract(maker: Maker) {
  describe("blobs", () => {
    function attach(store: Store, session_id: string, blob: NewBlob) {
      return fire(store, session_id, "look", { parts: [blobPart(blob)] })
    }

    it("[CMP-098] [CMP-099] refers to bytes by their content id, through a session that has them", async () => {
      const store = await openStore(maker)
      const [mine, other] = [await begin(store), await begin(store)]
      const blob = blobOf("a")
      await attach(store, mine.id, blob)
      const { content_id, size, mime } = blob
      expect(await store.blob(content_id)).toEqual({ content_id, size, mime })
      expect(await store.knownBlobs()).toEqual([content_id])
      expect(await store.sessionHasBlob(mine.id, content_id)).toBe(true)
      expect(await store.sessionHasBlob(other.id, content_id)).toBe(false)
      expect(await store.sessionHasBlob(newId("ses"), content_id)).toBe(false)
      expect(await store.blob(blobOf("b").content_id)).toBeNull()
    })

    it("refuses a content id that nobody uploaded, and keeps what was", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const blob = blobOf("a", { stored: false })
      const send = () => store.append(textMessage(id, "look", { parts: [blobPart(blob)] }))
      await expect(send()).rejects.toMatchObject({ code: "invalid" })
      expect(await store.queue(id)).toEqual([])
      await store.recordUpload(blob)
      await send()
      expect(await store.sessionHasBlob(id, blob.content_id)).toBe(true)
    })

    it("sweeps uploads that nobody took up in time, and nothing that is needed", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const [taken, waiting] = [blobOf("a", { stored: false }), blobOf("b", { stored: false })]
      await store.recordUpload(taken)
      await store.recordUpload(waiting)
      await attach(store, id, taken)
      expect(await store.sweep(NEVER)).toEqual({ content_ids: [] })
      expect(await store.sweep(ALL)).toEqual({ content_ids: [waiting.content_id] })
      expect(await store.knownBlobs()).toEqual([taken.content_id])
    })

    it("keeps an upload that was made twice until both are gone", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const blob = blobOf("a", { stored: false })
      await store.recordUpload(blob)
      await store.recordUpload(blob)
      const { message } = await attach(store, id, blob)
      const part_id = message.parts[0]?.id ?? ""
      expect(part_id).not.toBe("")
      const { content_ids } = await store.deleteSession({ session_id: id, cascade: false })
      expect(content_ids).toEqual([])
      expect(await store.sweep(ALL)).toEqual({ content_ids: [blob.content_id] })
    })

    it("lets go of what an edit took out of a waiting message", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const [before, after] = [blobOf("a"), blobOf("b")]
      const part = blobPart(before)
      const captures = [captureOf(part.id, blobOf("c"))]
      const { id: message_id } = await enqueue(store, id, "x", { parts: [part], captures })
      await store.changeQueued({ session_id: id, message_id, parts: [blobPart(after)] })
      expect(await store.capture(part.id)).toBeNull()
      expect(new Set((await store.sweep(NEVER)).content_ids)).toEqual(
        new Set([before.content_id, blobOf("c").content_id]),
      )
      expect(await store.knownBlobs()).toEqual([after.content_id])
    })

    it("[SES-021] walks the path: a branch reads what lies before its point", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const [early, late] = [blobOf("a"), blobOf("b")]
      const first = await attach(store, id, early)
      const answer = await ask(store, first.claim.turn)
      await finish(store, first.claim.turn, { message_id: answer, text: "seen" })
      const second = await attach(store, id, late)
      await finish(store, second.claim.turn, null)
      const branch = await store.branch({
        id: newId("ses"),
        parent_id: id,
        from_message_id: answer,
        title: null,
        metadata: {},
      })
      expect(await store.sessionHasBlob(branch.session.id, early.content_id)).toBe(true)
      expect(await store.sessionHasBlob(branch.session.id, late.content_id)).toBe(false)
    })

    it("[decision 4] keeps what a reference sent once and for ever", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const part = textPart("a.ts")
      const blob = blobOf("a")
      const { claim } = await fire(store, id, "x", {
        parts: [part],
        captures: [captureOf(part.id, blob, "at submit")],
      })
      await ask(store, claim.turn, { captures: [captureOf(part.id, blobOf("b"), "at fire")] })
      expect(await store.capture(part.id)).toEqual({
        part_id: part.id,
        session_id: id,
        content_id: blob.content_id,
        data_json: JSON.stringify({ part_id: part.id, note: "at submit" }),
      })
      expect(await store.sessionHasBlob(id, blob.content_id)).toBe(true)
    })
  })
}
