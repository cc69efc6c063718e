import { describe, expect, it } from "vitest"
import { newId } from "../../../packages/core/message/id.ts"
import type { Wait } from "../../../packages/core/message/row.ts"
import type {
  CallResolution,
  Claim,
  PartUpsert,
  Store,
} from "../../../packages/engine/store/store.ts"
import { temporaryFolder } from "../../build.ts"
import {
  allEvents,
  ask,
  begin,
  blobOf,
  enqueue,
  exchange,
  finish,
  fire,
  interruptionOf,
  keyOf,
  type Maker,
  OWNER,
  openStore,
  USAGE,
} from "../build.ts"

export function stepContract(maker: Maker) {
  describe("step", () => {
    it("[SES-001] keeps a call on one row, and the bytes that its result shows", async () => {
      const store = await openStore(maker)
      const { id, claim, message_id, part } = await calling(store)
      const blob = blobOf("a")
      const done = { ...part, tool_state: "output-available", data_json: '{"state":"done"}' }
      await store.recordCalls({
        ...keyOf(claim.turn),
        message_id,
        parts: [{ ...done, blobs: [blob] }],
        side_effects: false,
      })
      expect((await store.message(id, message_id))?.parts).toMatchObject([
        { id: part.id, tool_call_id: "c1", tool_state: "output-available" },
      ])
      expect(await store.sessionHasBlob(id, blob.content_id)).toBe(true)
    })

    it("[SES-002] adds up what its steps used", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "work")
      for (let step = 0; step < 2; step++) {
        const message_id = await ask(store, claim.turn)
        const answer = { message_id, metadata: { finish: "tool-call" }, parts: [] }
        await store.endAnswer({ ...keyOf(claim.turn), answer, usage: USAGE })
      }
      await finish(store, claim.turn, null, { usage: USAGE })
      expect((await store.turn(claim.turn.id))?.usage?.output).toBe(60)
      expect((await store.session(id))?.completion_tokens).toBe(60)
    })

    it("hears with its next call that it is to stop", async () => {
      const store = await openStore(maker)
      const { id, claim, message_id } = await calling(store)
      const start = { ...keyOf(claim.turn), message_id, parts: [], side_effects: true }
      expect(await store.recordCalls(start)).toMatchObject({ abort: false })
      await store.requestAbort({ session_id: id, clear: false })
      expect(await store.recordCalls(start)).toMatchObject({ abort: true })
    })

    it("[SES-070] says which try of the provider it is at", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "work")
      const retry = { attempt: 2, message: "too much to do" }
      await store.recordRetry({ ...keyOf(claim.turn), retry })
      expect(await store.turn(claim.turn.id)).toMatchObject({ state: "retrying", retry })
      const told = (await allEvents(store, id)).findLast(({ type }) => type === "status")
      expect(told?.value).toMatchObject({ state: "retrying", ...retry })
      await store.recordRetry({ ...keyOf(claim.turn), retry: null })
      expect(await store.turn(claim.turn.id)).toMatchObject({ state: "running", retry: null })
    })

    it("[SES-011] keeps what the host kept for each message, and a rewind names it", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const asked: string[] = []
      for (const at of [1, 2, 3]) {
        const { claim, message } = await fire(store, id, `message ${at}`)
        const key = { ...keyOf(claim.turn), message_id: message.id }
        await store.recordSnapshot({ ...key, snapshot_id: null })
        if (at === 2) await store.recordSnapshot({ ...key, snapshot_id: null, notice: "none" })
        else await store.recordSnapshot({ ...key, snapshot_id: `snap-${at}` })
        expect((await store.turn(claim.turn.id))?.notices).toEqual(at === 2 ? ["none"] : [])
        await finish(store, claim.turn, null)
        const late = store.recordSnapshot({ ...key, snapshot_id: "late" })
        await expect(late).rejects.toMatchObject({ code: "stale" })
        asked.push(message.id)
      }
      const [first = "", second = ""] = asked
      expect((await store.message(id, first))?.metadata.snapshot_id).toBe("snap-1")
      const rewind = (before_message_id: string) =>
        store.rewind({ session_id: id, before_message_id })
      expect((await rewind(second)).snapshot_ids).toEqual(["snap-3"])
      await store.unrewind({ session_id: id })
      expect((await rewind(first)).snapshot_ids).toEqual(["snap-1", "snap-3"])
    })

    it("[COS-001] says at the end of an answer what its user should know", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "work")
      const message_id = await ask(store, claim.turn)
      const answer = { message_id, metadata: { finish: "tool-call" }, parts: [] }
      const notices = ["nothing was read from the cache"]
      await store.endAnswer({ ...keyOf(claim.turn), answer, usage: USAGE, notices })
      const told = (await allEvents(store, id)).findLast(({ type }) => type === "turn")
      expect(told?.value).toMatchObject({ notices })
      const end = {
        state: "finished",
        usage: null,
        error: null,
        answer: null,
        owner: null,
      } as const
      await store.endTurn({ ...keyOf(claim.turn), ...end, notices: ["and neither later"] })
      expect((await store.turn(claim.turn.id))?.notices).toEqual([...notices, "and neither later"])
    })

    it("[BEY-02] remembers what a model would not take, for that model alone", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "look")
      const { content_id } = blobOf("a")
      const refused = [{ content_id, reason: "no" }]
      await ask(store, claim.turn, { refused, notices: ["it was left out"] })
      expect(await store.refusals("scripted", "scripted")).toEqual([content_id])
      expect(await store.refusals("scripted", "another")).toEqual([])
      expect((await store.turn(claim.turn.id))?.notices).toEqual(["it was left out"])
    })

    it("asks for one answer twice and keeps one row", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "look")
      const answer = { message_id: newId("msg"), metadata: {} }
      await ask(store, claim.turn, { answer })
      await ask(store, claim.turn, { answer })
      const { messages } = await store.history(id, { limit: 9 })
      expect(messages.map(({ seq }) => seq)).toEqual([1, 2])
    })

    it("reads history unopened as it reads it opened, across branches", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      await exchange(store, id, "one", "1")
      await exchange(store, id, "two", "2")
      const about = { from_message_id: null, title: null, metadata: {} }
      const branch = await store.branch({ id: newId("ses"), parent_id: id, ...about })
      await exchange(store, branch.session.id, "three", "3")
      for (const session of [id, branch.session.id]) {
        const { messages } = await store.history(session, { limit: 99 })
        const raw = await store.rawHistory(session)
        expect(raw.map(opened)).toEqual(
          messages.map(({ id, parts }) => [id, ...parts.map(({ data }) => data)]),
        )
      }
      const later = await store.rawHistory(id, 3)
      expect(later.map(({ seq }) => seq)).toEqual([4])
    })
  })

  describe("steer", () => {
    it("[EA-022] is taken once, however many boundaries ask", async () => {
      const folder = await temporaryFolder()
      const stores = [await openStore(maker, folder), await openStore(maker, folder)] as const
      const [store, other] = stores
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "work")
      const first = await enqueue(store, id, "left", { mode: "steer" })
      await enqueue(store, id, "queued", { mode: "queued" })
      const second = await enqueue(store, id, "right", { mode: "steer" })
      const taken = await Promise.all([
        store.takeSteers(keyOf(claim.turn)),
        other.takeSteers(keyOf(claim.turn)),
      ])
      expect(taken.flatMap(({ steered }) => steered)).toEqual([first.id, second.id])
      expect(await store.message(id, second.id)).toMatchObject({ state: "fired", seq: 3 })
      expect((await store.queue(id)).map(({ parts }) => parts[0]?.data.text)).toEqual(["queued"])
    })

    it("[EA-022] keeps a loop's turn going, and fires next where there is none", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const { claim } = await fire(store, id, "work")
      const steered = await enqueue(store, id, "left", { mode: "steer" })
      const end = {
        ...keyOf(claim.turn),
        state: "finished",
        usage: null,
        error: null,
        answer: null,
        owner: OWNER,
      } as const
      const on = await store.endTurn({ ...end, takes_steers: true })
      expect(on).toMatchObject({ turn: { state: "running" }, next: null, steered: [steered.id] })
      const late = await enqueue(store, id, "right", { mode: "steer" })
      const over = await store.endTurn(end)
      expect(over).toMatchObject({ turn: { state: "finished" }, steered: [] })
      expect(over.next?.turn.message_id).toBe(late.id)
    })
  })

  describe("wait", () => {
    it("[SES-071] lets go of the turn, which only the right word sets going again", async () => {
      const store = await openStore(maker)
      const { id, claim, message_id } = await calling(store)
      await store.waitFor({ ...keyOf(claim.turn), waiting: [WAIT] })
      expect(await store.turn(claim.turn.id)).toMatchObject({
        state: "waiting_on_approval",
        waiting: [WAIT],
      })
      await expect(ask(store, claim.turn)).rejects.toMatchObject({ code: "stale" })
      expect(await store.interrupt(interruptionOf(claim.turn))).toEqual({ turn: null, next: null })
      const says = (more: Partial<CallResolution>) => store.resolveCall(resolution(claim, more))
      await expect(says({ call_id: "c2" })).rejects.toMatchObject({ code: "conflict" })
      await expect(says({ resolution: { type: "skip" } })).rejects.toMatchObject({
        code: "conflict",
      })
      await expect(says({ turn_id: newId("trn") })).rejects.toMatchObject({ code: "not_found" })
      const { turn, claim: again } = await says({})
      expect(turn).toMatchObject({ id: claim.turn.id, state: "running", waiting: [] })
      expect(again).toMatchObject({ answer_id: message_id, turn: { fence: 2 } })
      await expect(says({})).rejects.toMatchObject({ code: "conflict" })
      await expect(ask(store, claim.turn)).rejects.toMatchObject({ code: "stale" })
      expect((await store.message(id, message_id))?.parts[0]?.data.approval).toBe("granted")
    })

    it("[SES-071] ends with the last of several", async () => {
      const store = await openStore(maker)
      const { claim } = await calling(store, ["c1", "c2"])
      const waiting = [WAIT, { ...WAIT, call_id: "c2", for: "answer" } as const]
      await store.waitFor({ ...keyOf(claim.turn), waiting })
      const first = await store.resolveCall(resolution(claim, {}))
      expect(first).toMatchObject({
        claim: null,
        turn: { state: "waiting_on_user_input", waiting: [{ call_id: "c2" }] },
      })
      const answers = [["yes"]]
      const last = await store.resolveCall(
        resolution(claim, { call_id: "c2", resolution: { type: "answer", answers } }),
      )
      expect(last.claim).not.toBeNull()
    })

    it("[PER-015] is taken up by one of those who run turns", async () => {
      const store = await openStore(maker)
      const { claim } = await calling(store)
      await store.waitFor({ ...keyOf(claim.turn), waiting: [WAIT] })
      const turn_id = claim.turn.id
      expect(await store.resumeTurn({ turn_id, owner: OWNER })).toBeNull()
      const { claim: none } = await store.resolveCall(resolution(claim, { owner: null }))
      expect(none).toBeNull()
      const taken = await Promise.all([
        store.resumeTurn({ turn_id, owner: "one" }),
        store.resumeTurn({ turn_id, owner: "other" }),
      ])
      expect(taken.filter((one) => one !== null)).toHaveLength(1)
    })

    it("[PER-010] keeps what is always said with the session, and not with its branches", async () => {
      const store = await openStore(maker)
      const { id, claim } = await calling(store)
      await store.waitFor({ ...keyOf(claim.turn), waiting: [WAIT] })
      const rule = { permission: "net.fetch", pattern: "x", action: "allow", source: "session" }
      const { claim: again } = await store.resolveCall(resolution(claim, { rules: [rule] }))
      expect(again?.permissions).toEqual([rule])
      expect((await store.session(id))?.permissions).toEqual([rule])
      if (again) await finish(store, again.turn, null)
      const about = { from_message_id: null, title: null, metadata: {} }
      const { session } = await store.branch({ id: newId("ses"), parent_id: id, ...about })
      expect(session.permissions).toEqual([])
    })

    it("[EVT-001] is told before the turn's end, and so is its start", async () => {
      const store = await openStore(maker)
      const { id, claim } = await calling(store)
      await store.waitFor({ ...keyOf(claim.turn), waiting: [WAIT] })
      await store.requestAbort({ session_id: id, clear: false })
      const { id: turn_id, message_id } = claim.turn
      const about = { session_id: id, message_id, turn_id, at: expect.any(Number) }
      const told = (await allEvents(store, id)).filter(({ type }) => /^(turn|approval)-/.test(type))
      expect(told.map(({ type, value }) => [type, value])).toEqual([
        ["turn-started", about],
        ["approval-requested", { ...about, call_ids: ["c1"] }],
        ["turn-finished", { ...about, reason: "abort", pending_approval: false }],
      ])
    })
  })
}

const WAIT: Wait = {
  call_id: "c1",
  tool: "pay",
  for: "approval",
  asks: [{ permission: "net.fetch", subject: "x" }],
}

/** A turn whose model made these calls, and what it said is on disk. */
async function calling(store: Store, call_ids: readonly string[] = ["c1"]) {
  const { id } = await begin(store)
  const { claim } = await fire(store, id, "pay up")
  const message_id = await ask(store, claim.turn)
  const parts = call_ids.map(callPart)
  const answer = { message_id, metadata: { finish: "tool-call" }, parts }
  await store.endAnswer({ ...keyOf(claim.turn), answer, usage: null })
  return { id, claim, message_id, part: parts[0] as PartUpsert }
}

function callPart(tool_call_id: string, index: number): PartUpsert {
  const state = "input-available"
  const data = { type: "tool-pay", tool_call_id, state, input: { whom: "x" } }
  const data_json = JSON.stringify(data)
  return { id: newId("prt"), index, type: data.type, data_json, tool_call_id, tool_state: state }
}

function resolution({ turn }: Claim, more: Partial<CallResolution>): CallResolution {
  return {
    session_id: turn.session_id,
    turn_id: turn.id,
    call_id: "c1",
    resolution: { type: "approve" },
    rules: [],
    owner: OWNER,
    ...more,
  }
}

function opened({ id, parts }: Awaited<ReturnType<Store["rawHistory"]>>[number]) {
  return [id, ...parts.map(({ data_json }) => JSON.parse(data_json))]
}
