import { describe, expect, it } from "vitest"
import { newId } from "../../../packages/core/message/id.ts"
import type { Metadata } from "../../../packages/core/message/row.ts"
import type { ExportRow, Store } from "../../../packages/engine/store/store.ts"
import {
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
  openStore,
  OWNER,
  saidIn,
  textPart,
  waitingIn,
  wordsOf,
} from "../build.ts"

/** Folders with everything in them that a path and a queue can hold, and one session out of them. */
export function aloneContract(maker: Maker) {
  describe("a full folder", () => {
    it("[DBG-002] is the same to the byte after export, import and export", async () => {
      const [from, to] = [await openStore(maker), await openStore(maker)]
      await fullFolder(from)
      const rows = await exported(from)
      await to.importRows({ rows })
      expect(JSON.stringify(await exported(to))).toBe(JSON.stringify(rows))
      for (const { id } of await from.sessions({ limit: 99, ephemeral: true, archived: true })) {
        expect(await saidIn(to, id)).toEqual(await saidIn(from, id))
        expect(await waitingIn(to, id)).toEqual(await waitingIn(from, id))
      }
    })

    it("fires nothing of what it brought until somebody touches the queue", async () => {
      const [from, to] = [await openStore(maker), await openStore(maker)]
      const { main } = await fullFolder(from)
      const { held } = await to.importRows({ rows: await exported(from) })
      expect(held).toContain(main)
      expect(await to.claim({ session_id: main, owner: OWNER })).toBeNull()
      expect((await to.session(main))?.drain).toBe("stopped")
      const { claim } = await fire(to, main, "now")
      expect(wordsOf(await to.message(main, claim.turn.message_id))).toBe("now")
      const { next } = await finish(to, claim.turn, null, { owner: OWNER })
      expect(next).not.toBeNull()
    })

    it("lets go of what it brought when one of it is released", async () => {
      const [from, to] = [await openStore(maker), await openStore(maker)]
      const { main } = await fullFolder(from)
      await to.importRows({ rows: await exported(from) })
      const [first] = await to.queue(main)
      await to.changeQueued({ session_id: main, message_id: first?.id ?? "", state: "queued" })
      expect(await to.claim({ session_id: main, owner: OWNER })).not.toBeNull()
    })

    it("has no turn that goes on by itself", async () => {
      const [from, to] = [await openStore(maker), await openStore(maker)]
      const { id } = await begin(from)
      await fire(from, id, "running")
      await to.importRows({ rows: await exported(from) })
      expect(await to.liveTurns()).toEqual([])
      expect((await to.latestTurn(id))?.state).toBe("interrupted")
    })
  })

  describe("a branch alone", () => {
    it("[DBG-002] [SES-020] carries what it inherited as rows of its own, and stands beside its parent", async () => {
      const [from, to] = [await openStore(maker), await openStore(maker)]
      const { main, branch } = await fullFolder(from)
      const alone = await exported(from, branch)
      const sessions = alone.filter(({ type }) => type === "session")
      expect(sessions.map(({ data }) => data.id)).toEqual([branch])
      expect(alone.every(({ type, data }) => type === "session" || belongs(data, branch))).toBe(
        true,
      )
      const copies = alone.filter(({ type, data }) => type === "message" && copiedFrom(data))
      expect(copies.length).toBeGreaterThan(2)
      for (const { data } of copies)
        expect((await from.message(main, copiedFrom(data) ?? ""))?.seq).not.toBeNull()
      await to.importRows({ rows: await exported(from, main) })
      await to.importRows({ rows: alone })
      expect(await saidIn(to, branch)).toEqual(await saidIn(from, branch))
      expect(await saidIn(to, main)).toEqual(await saidIn(from, main))
      expect(await to.sessionHasBlob(branch, blobOf("a").content_id)).toBe(true)
      expect(JSON.stringify(await exported(to, branch))).toBe(JSON.stringify(alone))
      await exchange(to, branch, "on", "we go")
      expect((await saidIn(to, branch)).slice(-2)).toEqual(["on", "we go"])
    })

    it("[SES-010] [SES-012] can be rewound into what it inherited, and back", async () => {
      const [from, to] = [await openStore(maker), await openStore(maker)]
      const { branch } = await fullFolder(from)
      await to.importRows({ rows: await exported(from, branch) })
      for (const store of [from, to]) {
        await store.unrewind({ session_id: branch })
        const { messages } = await store.history(branch, { limit: 99 })
        const before_message_id = messages[2]?.id ?? ""
        await store.rewind({ session_id: branch, before_message_id })
      }
      expect(await saidIn(to, branch)).toEqual(await saidIn(from, branch))
      for (const store of [from, to]) await store.unrewind({ session_id: branch })
      expect(await saidIn(to, branch)).toEqual(await saidIn(from, branch))
    })
  })
}

function belongs(data: ExportRow["data"], id: string): boolean {
  return data.session_id === undefined || data.session_id === id
}

function copiedFrom({ metadata_json }: ExportRow["data"]): string | undefined {
  return JSON.parse(String(metadata_json)).copied_from
}

/** Branches, rewinds, a summary with a tail, files, what waits, is paused, is edited, was steered or
 *  cancelled, a turn that waits for a person, an archive. */
async function fullFolder(store: Store) {
  const { id: main } = await begin(store, { title: "main" })
  const file = textPart("a file")
  const captured = {
    parts: [file, blobPart(blobOf("a"))],
    captures: [captureOf(file.id, blobOf("b"))],
  }
  const first = await fire(store, main, "one", captured)
  await finish(store, first.claim.turn, {
    message_id: await ask(store, first.claim.turn),
    text: "1",
  })
  const two = await exchange(store, main, "two", "2")
  await summarise(store, main, two.question)
  await exchange(store, main, "three", "3")
  const branched = async (parent_id: string, metadata: Metadata) => {
    const input = { id: newId("ses"), parent_id, from_message_id: null, title: null, metadata }
    return (await store.branch(input)).session.id
  }
  const branch = await branched(main, {})
  const four = await exchange(store, branch, "four", "4")
  const { messages } = await store.history(branch, { limit: 99 })
  await store.rewind({ session_id: branch, before_message_id: messages.at(-3)?.id ?? "" })
  await exchange(store, branch, "instead", "5")
  await store.rewind({ session_id: main, before_message_id: two.question })
  await exchange(store, main, "anew", "6")
  const side = await branched(branch, { ephemeral: true })
  await exchange(store, side, "aside", "7")
  await steered(store, side)
  const waiting = await begin(store)
  await waits(store, waiting.id)
  await store.changeSession({ id: waiting.id, archived: true })
  await enqueue(store, main, "waits")
  await enqueue(store, main, "now", { mode: "immediate" })
  await enqueue(store, main, "into it", { mode: "steer" })
  await enqueue(store, main, "held", { mode: "paused" })
  const edited = await enqueue(store, main, "being edited")
  await store.changeQueued({ session_id: main, message_id: edited.id, state: "editing" })
  const cancelled = await enqueue(store, main, "cancelled")
  await store.cancelQueued({ session_id: main, message_id: cancelled.id })
  return { main, branch, side, four }
}

async function summarise(store: Store, id: string, tail_start_id: string) {
  const { claim } = await fire(store, id, "/compact", {
    metadata: { action: { type: "compact", focus: null } },
  })
  const part = {
    type: "data-compaction",
    summary: "in short",
    auto: true,
    summary_tokens: 2,
  } as const
  await store.performAction({
    ...keyOf(claim.turn),
    action: { type: "compact", focus: null },
    branch_id: newId("ses"),
    answer_id: newId("msg"),
    part_id: newId("prt"),
    owner: null,
    compaction: {
      message_id: newId("msg"),
      part_id: newId("prt"),
      part: { ...part, tail_start_id },
      context_tokens: 10,
      usage: null,
    },
  })
}

async function steered(store: Store, id: string) {
  const { claim } = await fire(store, id, "go")
  await enqueue(store, id, "left", { mode: "steer" })
  await ask(store, claim.turn)
  await store.takeSteers(keyOf(claim.turn))
  await finish(store, claim.turn, { message_id: await ask(store, claim.turn), text: "went left" })
}

async function waits(store: Store, id: string) {
  const { claim } = await fire(store, id, "pay")
  await ask(store, claim.turn)
  const wait = { call_id: "c1", tool: "pay", for: "approval" as const, asks: [] }
  await store.waitFor({ ...keyOf(claim.turn), waiting: [wait] })
}
