import { describe, expect, it } from "vitest"
import { newId } from "../../../packages/core/message/id.ts"
import type { Branch, SessionFilter, Store } from "../../../packages/engine/store/store.ts"
import {
  allEvents,
  ask,
  begin,
  enqueue,
  exchange,
  finish,
  fire,
  type Maker,
  openStore,
  saidIn,
  wordsOf,
} from "../build.ts"

export function historyContract(maker: Maker) {
  describe("history", () => {
    it("comes in pages by key, newest page first, each in reading order", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const said = await talk(store, id, 4)
      for (const limit of [1, 2, 3, 7, 8, 9])
        expect(await inPages(store, id, limit)).toEqual({ said, pages: Math.ceil(8 / limit) })
    })

    it("[decision 11] is in the order in which messages fired, whatever waits", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      await enqueue(store, id, "first")
      const last = await enqueue(store, id, "last")
      await store.changeQueued({ session_id: id, message_id: last.id, after: null })
      const claim = await store.claim({ session_id: id, owner: "me" })
      expect(claim?.turn.message_id).toBe(last.id)
      expect(await saidIn(store, id)).toEqual(["last"])
    })

    it("gives a page even while it grows, and the rest by the stream", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      await talk(store, id, 2)
      const page = await store.history(id, { limit: 2 })
      await talk(store, id, 1)
      const older = await store.history(id, { limit: 2, before: page.next ?? "" })
      expect(older.messages.map(wordsOf)).toEqual(["question 0", "answer 0"])
      const later = await store.events(id, page.stream_next_offset, 100)
      expect(later.filter(({ type }) => type === "message").length).toBeGreaterThan(0)
    })

    it("refuses a cursor that is none, and a session that is not there", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      for (const before of ["", "x", ":", `${id}:x`, `${id}:1.5`])
        await expect(store.history(id, { limit: 1, before })).rejects.toMatchObject({
          code: "invalid",
        })
      await expect(store.history(newId("ses"), { limit: 1 })).rejects.toMatchObject({
        code: "not_found",
      })
    })
  })

  describe("branch", () => {
    it("[SES-020] [decision 2] shares history up to its point, by pointer, as it stood", async () => {
      const store = await openStore(maker)
      const parent = await begin(store, { title: "Plans", metadata: { a: 1, b: 1 } })
      const first = await exchange(store, parent.id, "one", "1")
      await exchange(store, parent.id, "two", "2")
      const branch = await branchFrom(store, parent.id, {
        from_message_id: first.answer,
        metadata: { b: 2 },
      })
      expect(branch).toMatchObject({
        parent_id: parent.id,
        parent_message_id: first.answer,
        title: "Plans (branch)",
        metadata: { a: 1, b: 2 },
        path: [
          { owner: parent.id, from: 1, to: 2 },
          { owner: branch.id, from: 1, to: null },
        ],
      })
      await exchange(store, parent.id, "three", "3")
      await exchange(store, branch.id, "other", "O")
      expect(await saidIn(store, branch.id)).toEqual(["one", "1", "other", "O"])
      expect(await saidIn(store, parent.id)).toEqual(["one", "1", "two", "2", "three", "3"])
      expect(await inPages(store, branch.id, 3)).toMatchObject({ pages: 2 })
      // What it inherits comes by page: its stream begins with its own row.
      const [begins] = await allEvents(store, branch.id)
      expect(begins).toMatchObject({ seq: 0, type: "session", headers: { operation: "insert" } })
    })

    it("[SES-020] begins at the last settled message while the parent runs", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const settled = await exchange(store, id, "one", "1")
      const { message, claim } = await fire(store, id, "two")
      const answer = await ask(store, claim.turn)
      const branch = await branchFrom(store, id)
      expect(branch.parent_message_id).toBe(settled.answer)
      for (const from_message_id of [message.id, answer])
        await expect(branchFrom(store, id, { from_message_id })).rejects.toMatchObject({
          code: "conflict",
        })
      await branchFrom(store, id, { from_message_id: settled.question })
      await finish(store, claim.turn, { message_id: answer, text: "2" })
      await branchFrom(store, id, { from_message_id: answer })
      expect(await saidIn(store, branch.id)).toEqual(["one", "1"])
    })

    it("[SES-020] of a branch that runs its first turn keeps what both inherit", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      await talk(store, id, 2)
      const first = await branchFrom(store, id)
      await fire(store, first.id, "unfinished")
      const second = await branchFrom(store, first.id)
      expect(await saidIn(store, second.id)).toEqual(await saidIn(store, id))
    })

    it("[SES-020] of an empty session is empty, and of an unknown point is refused", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const waiting = await enqueue(store, id, "waiting")
      const branch = await branchFrom(store, id)
      expect(branch).toMatchObject({ parent_id: id, parent_message_id: null })
      expect(await saidIn(store, branch.id)).toEqual([])
      const other = await exchange(store, (await begin(store)).id, "elsewhere", "there")
      for (const from_message_id of [newId("msg"), waiting.id, other.answer])
        await expect(branchFrom(store, id, { from_message_id })).rejects.toMatchObject({
          code: "not_found",
        })
    })

    it("[SES-021] reads messages of its path only, and copies neither queue nor usage", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const first = await exchange(store, id, "one", "1")
      const second = await exchange(store, id, "two", "2")
      await enqueue(store, id, "waiting")
      const branch = await branchFrom(store, id, { from_message_id: first.answer })
      expect(wordsOf(await store.message(branch.id, first.question))).toBe("one")
      expect(await store.message(branch.id, second.question)).toBeNull()
      expect(await store.message(newId("ses"), first.question)).toBeNull()
      expect(await store.queue(branch.id)).toEqual([])
      expect(await store.latestTurn(branch.id)).toBeNull()
      expect(branch).toMatchObject({ total_tokens: 0, permissions: [] })
    })
  })

  describe("sessions", () => {
    async function listed(store: Store, filter: Partial<SessionFilter> = {}) {
      return (await store.sessions({ limit: 100, ...filter })).map(({ title }) => title)
    }

    it("[PER-004] lists the last used first, without archived and ephemeral ones", async () => {
      const store = await openStore(maker)
      const one = await begin(store, { title: "one" })
      await begin(store, { title: "aside", metadata: { ephemeral: true } })
      await begin(store, { title: "two" })
      await store.changeSession({ id: one.id, archived: true })
      expect(await listed(store)).toEqual(["two"])
      expect(new Set(await listed(store, { archived: true }))).toEqual(new Set(["one", "two"]))
      expect(new Set(await listed(store, { ephemeral: true }))).toEqual(new Set(["aside", "two"]))
      await store.changeSession({ id: one.id, archived: false })
      expect(new Set(await listed(store))).toEqual(new Set(["one", "two"]))
    })

    it("comes in pages that neither repeat nor leave out", async () => {
      const store = await openStore(maker)
      const titles = Array.from({ length: 7 }, (_, at) => `s${at}`)
      for (const title of titles) await begin(store, { title })
      const seen: (string | null)[] = []
      let before: string | undefined
      for (;;) {
        const page = await store.sessions({ limit: 3, before })
        if (page.length === 0) break
        seen.push(...page.map(({ title }) => title))
        before = page.at(-1)?.id
      }
      expect(seen).toHaveLength(7)
      expect(new Set(seen)).toEqual(new Set(titles))
    })

    it("changes only what it is told to, and refuses an id twice", async () => {
      const store = await openStore(maker)
      const session = await begin(store, { title: "one", metadata: { a: 1 } })
      const { id } = session
      const model = { provider_id: "mirror", model_id: "mirror" }
      await store.changeSession({ id, model })
      await store.changeSession({ id, metadata: { b: 2 } })
      await store.changeSession({ id, title: null })
      expect(await store.session(id)).toMatchObject({
        title: null,
        model,
        metadata: { a: 1, b: 2 },
        agent: session.agent,
      })
      await expect(begin(store, { id })).rejects.toMatchObject({ code: "conflict" })
      await expect(store.changeSession({ id: newId("ses") })).rejects.toMatchObject({
        code: "not_found",
      })
    })
  })
}

async function talk(store: Store, session_id: string, exchanges: number): Promise<string[]> {
  const said: string[] = []
  for (let at = 0; at < exchanges; at++) {
    await exchange(store, session_id, `question ${at}`, `answer ${at}`)
    said.push(`question ${at}`, `answer ${at}`)
  }
  return said
}

async function inPages(store: Store, session_id: string, limit: number) {
  const said: string[] = []
  let before: string | undefined
  for (let pages = 1; ; pages++) {
    const page = await store.history(session_id, { limit, before })
    said.unshift(...page.messages.map(wordsOf))
    if (page.next === null) return { said, pages }
    before = page.next
  }
}

async function branchFrom(store: Store, parent_id: string, more: Partial<Branch> = {}) {
  const { session } = await store.branch({
    id: newId("ses"),
    parent_id,
    from_message_id: null,
    title: null,
    metadata: {},
    ...more,
  })
  return session
}
