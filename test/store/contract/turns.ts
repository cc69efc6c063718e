import { describe, expect, it } from "vitest"
import { newId } from "../../../packages/core/message/id.ts"
import type { Turn } from "../../../packages/core/message/row.ts"
import type { Store } from "../../../packages/engine/store/store.ts"
import { temporaryFolder } from "../../build.ts"
import {
  allEvents,
  answerPart,
  ask,
  begin,
  captureOf,
  enqueue,
  exchange,
  finish,
  fire,
  interruptionOf,
  keyOf,
  type Maker,
  OWNER,
  openStore,
  textMessage,
  USAGE,
  waitingIn,
  wordsOf,
} from "../build.ts"

export function turnContract(maker: Maker) {
  describe("claim", () => {
    it("[QUE-001] [QUE-004] has one winner, however many ask from however many stores", async () => {
      const folder = await temporaryFolder()
      const stores = [await openStore(maker, folder), await openStore(maker, folder)]
      const [store] = stores as [Store]
      const { id } = await begin(store)
      await enqueue(store, id, "one")
      await enqueue(store, id, "two")
      const claims = await Promise.all(
        Array.from({ length: 16 }, (_, at) =>
          (stores[at % 2] as Store).claim({ session_id: id, owner: `runner ${at}` }),
        ),
      )
      const won = claims.filter((claim) => claim !== null)
      expect(won).toHaveLength(1)
      expect(won[0]?.turn).toMatchObject({ attempt: 1, fence: 1, state: "running" })
      expect(await store.liveTurns()).toHaveLength(1)
      expect(await waitingIn(store, id)).toEqual(["two"])
    })

    it("[UX-005] never gives a session two turns, while many send and many claim", async () => {
      const folder = await temporaryFolder()
      const stores = [await openStore(maker, folder), await openStore(maker, folder)]
      const [store] = stores as [Store]
      const { id } = await begin(store)
      const texts = Array.from({ length: 12 }, (_, at) => `m${at}`)
      const sends = await Promise.all(
        texts.map((text, at) =>
          (stores[at % 2] as Store).append(textMessage(id, text, { owner: OWNER })),
        ),
      )
      const first = sends.filter(({ claim }) => claim !== null)
      expect(first).toHaveLength(1)
      let claim = first[0]?.claim ?? null
      const fired: string[] = []
      while (claim) {
        fired.push(claim.turn.message_id)
        const others = await Promise.all(
          stores.map((other) => other.claim({ session_id: id, owner: OWNER })),
        )
        expect(others).toEqual([null, null])
        claim = (await finish(store, claim.turn, null, { owner: OWNER })).next
      }
      expect(new Set(fired).size).toBe(12)
      expect((await store.turns(id)).map(({ fence }) => fence)).toEqual(
        fired.map((_, at) => at + 1),
      )
    })

    it("[UX-004] takes the next message in the commit that ends the turn", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "one")
      const two = await enqueue(store, id, "two")
      const { next, turn, txid } = await finish(store, claim.turn, null, { owner: OWNER })
      expect(turn.state).toBe("finished")
      expect(next?.turn).toMatchObject({ message_id: two.id, fence: 2 })
      const told = (await allEvents(store, id)).filter(({ headers }) => headers.txid === txid)
      expect(told.filter(({ type }) => type === "turn").map(({ value }) => value?.state)).toEqual([
        "finished",
        "running",
      ])
      expect(await store.claimable()).toEqual([])
      if (next) await finish(store, next.turn, null)
      await enqueue(store, id, "three")
      expect(await store.claimable()).toEqual([id])
    })

    it("[SES-040] answers with the message's own model, which the session then keeps", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const model = { provider_id: "mirror", model_id: "text" }
      const { claim } = await fire(store, id, "who?", { metadata: { model } })
      expect(claim.turn.model).toEqual(model)
      expect((await store.session(id))?.model).toEqual(model)
      const told = (await allEvents(store, id)).findLast(({ type }) => type === "session")
      expect(told?.value?.model).toEqual(model)
      await finish(store, claim.turn, null)
      expect((await fire(store, id, "and now?")).claim.turn.model).toEqual(model)
    })
  })

  describe("turn", () => {
    it("[CMP-130] puts down what will be sent before it is sent", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim, message } = await fire(store, id, "look")
      const part_id = message.parts[0]?.id ?? ""
      const receipt = {
        part: part_id,
        type: "text",
        outcome: "inlined",
        rule: "CMP-103",
        reason: "Sent as it was typed.",
        bytes: 4,
        tokens: 2,
        content_id: null,
        version: 1,
      } as const
      const answer = await ask(store, claim.turn, {
        receipts: [{ message_id: message.id, receipt }],
        captures: [captureOf(part_id, null)],
      })
      expect(await store.turn(claim.turn.id)).toMatchObject({
        api: "scripted",
        system_prompt_digest: "sha256:system",
        capabilities_revision: "1",
      })
      expect(await store.systemPrompt("sha256:system")).toBe("Be kind.")
      expect(await store.receipts(id, claim.turn.id)).toEqual([
        { ...receipt, turn_id: claim.turn.id, message_id: message.id },
      ])
      expect(await store.capture(part_id)).toMatchObject({ session_id: id, content_id: null })
      expect(await store.message(id, answer)).toMatchObject({
        role: "assistant",
        state: "fired",
        seq: 2,
        parts: [],
      })
    })

    it("[SES-001] upserts its parts as they stream, and tells each delta on its own stream", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "speak")
      const message_id = await ask(store, claim.turn)
      const part_id = newId("prt")
      await store.recordStream({
        ...keyOf(claim.turn),
        message_id,
        deltas: [deltaOf(claim.turn, message_id, part_id, 0, "hel")],
        parts: [answerPart("hel", part_id)],
      })
      await store.recordStream({
        ...keyOf(claim.turn),
        message_id,
        deltas: [deltaOf(claim.turn, message_id, part_id, 3, "lo")],
        parts: [],
      })
      expect(wordsOf(await store.message(id, message_id))).toBe("hel")
      const deltas = await allEvents(store, claim.turn.id)
      expect(deltas.map(({ seq, type, value }) => [seq, type, value?.text])).toEqual([
        [0, "delta", "hel"],
        [1, "delta", "lo"],
      ])
      await store.endTurn({
        ...keyOf(claim.turn),
        state: "finished",
        usage: null,
        error: null,
        answer: { message_id, metadata: { finish: "stop" }, parts: [answerPart("hello", part_id)] },
        owner: null,
      })
      const answer = await store.message(id, message_id)
      expect(answer?.parts).toHaveLength(1)
      expect(wordsOf(answer)).toBe("hello")
      expect(answer?.metadata).toEqual({ turn_id: claim.turn.id, finish: "stop" })
    })

    it("[SES-002] [SES-003] adds up usage and cost over the session, hidden turns too", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      for (const text of ["one", "two"]) {
        const { claim } = await fire(store, id, text)
        const usage = { ...USAGE, cost_usd: 0.25 }
        await finish(store, claim.turn, null, { usage })
        expect((await store.turn(claim.turn.id))?.usage).toEqual(usage)
      }
      await store.rewind({ session_id: id, before_message_id: null })
      expect(await store.session(id)).toMatchObject({
        prompt_tokens: 2,
        completion_tokens: 40,
        reasoning_tokens: 600,
        cache_read: 8,
        cache_write: 10,
        total_tokens: 660,
        cost_usd: 0.5,
      })
    })

    const stale: [string, (store: Store, turn: Turn, answer: string) => Promise<unknown>][] = [
      ["a request", (store, turn) => ask(store, turn)],
      [
        "a stream",
        (store, turn, message_id) =>
          store.recordStream({
            ...keyOf(turn),
            message_id,
            deltas: [],
            parts: [answerPart("from the grave")],
          }),
      ],
      [
        "an end",
        (store, turn, message_id) => finish(store, turn, { message_id, text: "from the grave" }),
      ],
    ]
    it.each(stale)("takes %s only from whoever holds the turn", async (_, write) => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "mine")
      const answer = await ask(store, claim.turn)
      const refused = (turn: Turn) =>
        expect(write(store, turn, answer)).rejects.toMatchObject({ code: "stale" })
      await refused({ ...claim.turn, fence: claim.turn.fence + 1 })
      await refused({ ...claim.turn, id: newId("trn") })
      const { next } = await store.interrupt(interruptionOf(claim.turn))
      await refused(claim.turn)
      expect(await store.message(id, answer)).toMatchObject({ parts: [] })
      if (next) await finish(store, next.turn, null)
      if (next) await refused(next.turn)
      expect((await store.turns(id)).map(({ state }) => state)).toEqual(["interrupted", "finished"])
    })
  })

  describe("abort", () => {
    it("[SES-062] asks the turn to stop, and its owner hears it with its next beat", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      expect(await store.requestAbort({ session_id: id, clear: false })).toEqual({
        turn: null,
        cancelled: [],
      })
      const { claim } = await fire(store, id, "long story")
      const turn_ids = [claim.turn.id]
      expect(await store.beat({ owner: OWNER, turn_ids })).toEqual({ live: turn_ids, abort: [] })
      const asked = await store.requestAbort({ session_id: id, clear: false })
      expect(asked.turn).toMatchObject({ id: claim.turn.id, state: "running" })
      expect(await store.beat({ owner: OWNER, turn_ids })).toEqual({
        live: turn_ids,
        abort: turn_ids,
      })
      expect(await store.liveTurns()).toMatchObject([{ beat: 2, abort_requested: true }])
      expect(await store.beat({ owner: "another", turn_ids })).toEqual({ live: [], abort: [] })
    })

    it("[UXH-002] leaves the queue alone, unless it is told to clear it", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      await fire(store, id, "long story")
      const waiting = [await enqueue(store, id, "one"), await enqueue(store, id, "two")]
      await store.requestAbort({ session_id: id, clear: false })
      expect(await waitingIn(store, id)).toEqual(["one", "two"])
      const { cancelled } = await store.requestAbort({ session_id: id, clear: true })
      expect(cancelled).toEqual(waiting.map((message) => message.id))
      expect(await waitingIn(store, id)).toEqual([])
    })

    it("[SES-070] leaves a status that says how the turn ended", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      await exchange(store, id, "one", "1")
      expect((await store.latestTurn(id))?.state).toBe("finished")
      const { claim } = await fire(store, id, "two")
      await finish(store, claim.turn, null, { state: "error" })
      expect(await store.latestTurn(id)).toMatchObject({
        id: claim.turn.id,
        state: "error",
        error: { code: "overloaded" },
      })
      expect((await store.turns(id, claim.turn.message_id)).map((turn) => turn.id)).toEqual([
        claim.turn.id,
      ])
    })
  })
}

export function deltaOf(
  turn: Turn,
  message_id: string,
  part_id: string,
  offset: number,
  text: string,
) {
  return {
    turn_id: turn.id,
    message_id,
    part_id,
    part_index: 0,
    part_type: "text" as const,
    offset,
    text,
  }
}
