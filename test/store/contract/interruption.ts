import { describe, expect, it } from "vitest"
import { newId } from "../../../packages/core/message/id.ts"
import type { Claim, Store } from "../../../packages/engine/store/store.ts"
import { temporaryFolder } from "../../build.ts"
import {
  answerPart,
  ask,
  begin,
  enqueue,
  fire,
  interruptionOf,
  keyOf,
  type Maker,
  OWNER,
  openStore,
  wordsOf,
} from "../build.ts"
import { deltaOf } from "./turns.ts"

export function interruptionContract(maker: Maker) {
  describe("interruption", () => {
    it("[PER-015] takes a turn over only at the heartbeat that was last seen", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "work")
      await store.beat({ owner: OWNER, turn_ids: [claim.turn.id] })
      const late = await store.interrupt(interruptionOf(claim.turn, 0))
      expect(late).toEqual({ turn: null, next: null })
      const taken = await store.interrupt(interruptionOf(claim.turn, 1))
      expect(taken.turn).toMatchObject({ id: claim.turn.id, state: "interrupted" })
      expect(taken.next?.turn).toMatchObject({
        message_id: claim.turn.message_id,
        attempt: 2,
        fence: 2,
      })
      const again = await store.interrupt(interruptionOf(claim.turn, 1))
      expect(again).toEqual({ turn: null, next: null })
    })

    it("[PER-015] has one winner when many take over", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "work")
      const taken = await Promise.all(
        Array.from({ length: 8 }, () => store.interrupt(interruptionOf(claim.turn))),
      )
      expect(taken.filter(({ next }) => next !== null)).toHaveLength(1)
      expect(await store.liveTurns()).toHaveLength(1)
    })

    it("[PER-012] folds what was told after the part's last row into it", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "speak")
      const answer = await speak(store, claim, ["once ", "upon ", "a time"])
      expect(wordsOf(await store.message(id, answer))).toBe("once ")
      await store.interrupt({ ...interruptionOf(claim.turn), refire: false })
      const frozen = await store.message(id, answer)
      expect(wordsOf(frozen)).toBe("once upon a time")
      expect(frozen?.parts).toHaveLength(1)
      expect(frozen?.metadata).toMatchObject({ finish: "interrupted" })
      expect(frozen?.metadata).not.toHaveProperty("superseded")
    })

    it("marks an answer that will be asked for again as superseded", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "speak")
      const answer = await speak(store, claim, ["half"])
      await store.interrupt(interruptionOf(claim.turn))
      expect(await store.message(id, answer)).toMatchObject({
        metadata: { superseded: true, finish: "interrupted" },
      })
    })

    it("takes a message up again twice, and then lets the queue go on", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      let { claim } = await fire(store, id, "poison")
      const waiting = await enqueue(store, id, "next")
      for (const attempt of [2, 3]) {
        const { next } = await store.interrupt(interruptionOf(claim.turn))
        expect(next?.turn).toMatchObject({ message_id: claim.turn.message_id, attempt })
        claim = next as Claim
      }
      const { turn, next } = await store.interrupt(interruptionOf(claim.turn))
      expect(turn?.state).toBe("interrupted")
      expect(next?.turn).toMatchObject({ message_id: waiting.id, attempt: 1 })
    })

    it("never takes up again a turn whose tools did something", async () => {
      const folder = await temporaryFolder()
      const store = await openStore(maker, folder)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "pay")
      const waiting = await enqueue(store, id, "next")
      await maker.sql(folder, `UPDATE turns SET side_effects = 1 WHERE id = '${claim.turn.id}'`)
      const { next } = await store.interrupt(interruptionOf(claim.turn))
      expect(next?.turn.message_id).toBe(waiting.id)
    })

    it("leaves a turn aborted that was asked to stop before its owner died", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "speak")
      const answer = await speak(store, claim, ["enough", " already"])
      await store.requestAbort({ session_id: id, clear: false })
      const { turn, next } = await store.interrupt(interruptionOf(claim.turn))
      expect(turn?.state).toBe("aborted")
      expect(next).toBeNull()
      expect(await store.message(id, answer)).toMatchObject({ metadata: { finish: "abort" } })
    })

    it("only ends the turn when nobody runs turns here", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "one")
      await enqueue(store, id, "two")
      const { next } = await store.interrupt(interruptionOf(claim.turn, 0, null))
      expect(next).toBeNull()
      expect(await store.claimable()).toEqual([id])
    })
  })
}

/** Say something in pieces, of which only the first has its row; gives the answer's id. */
async function speak(store: Store, { turn }: Claim, pieces: readonly string[]): Promise<string> {
  const message_id = await ask(store, turn)
  const part_id = newId("prt")
  let offset = 0
  for (const [at, text] of pieces.entries()) {
    const parts = at === 0 ? [answerPart(text, part_id)] : []
    const deltas = [deltaOf(turn, message_id, part_id, offset, text)]
    await store.recordStream({ ...keyOf(turn), message_id, deltas, parts })
    offset += text.length
  }
  return message_id
}
