import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import { openPostgresStore } from "../../packages/engine/store/postgres/postgres-store.ts"
import type { Store } from "../../packages/engine/store/store.ts"
import { asking } from "../../kit/torture/postgres.ts"
import { missing } from "../machine.ts"
import { blocked, many, newRoom, onPostgres, openNode, twoNodes } from "../postgres.ts"
import { begin, enqueue, OWNER, saidIn, textMessage, waitingIn, wordsOf } from "./build.ts"

describe.skipIf(missing("postgresql"))("several nodes on one PostgreSQL", () => {
  onPostgres()

  it("[QUE-001] [QUE-004] fires each message once, however many nodes ask at the same moment", async () => {
    const url = await newRoom()
    const first = await openNode(url)
    const stores = [first, await openNode(url), await openNode(url)]
    const { id } = await begin(first)
    const words = await many(30, async (at) => {
      await enqueue(stores[at % 3] as Store, id, `m${at}`)
      return `m${at}`
    })
    const fired: string[] = []
    while (fired.length < words.length) {
      const claims = await Promise.all(
        stores.flatMap((store, at) => [
          store.claim({ session_id: id, owner: `n${at}` }),
          store.claim({ session_id: id, owner: `n${at}` }),
        ]),
      )
      const won = claims.filter((claim) => claim !== null)
      expect(won).toHaveLength(1)
      const [claim] = won
      if (!claim) throw new Error("one has won")
      fired.push(wordsOf(await first.message(id, claim.turn.message_id)))
      const { id: turn_id, fence } = claim.turn
      const end = { turn_id, fence, state: "finished", usage: null, error: null } as const
      await first.endTurn({ ...end, answer: null, owner: null })
    }
    expect(fired.toSorted()).toEqual(words.toSorted())
    expect(await waitingIn(first, id)).toEqual([])
  })

  it("[QUE-005] gives every message a place of its own, in the order of commits", async () => {
    const { one, other } = await twoNodes()
    const { id } = await begin(one)
    await many(60, (at) => enqueue(at % 2 === 0 ? one : other, id, `m${at}`))
    const queue = await one.queue(id)
    expect(new Set(queue.map(({ position }) => position)).size).toBe(60)
    const events = await other.events(id, 0, 1000)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at))
    const told = events.filter(({ type }) => type === "message").map(({ key }) => key)
    expect(told).toEqual(queue.map((message) => message.id))
  })

  // Why the session is locked first: a statement that picks while it locks sees what was there when it
  // began, and after waiting for the session's row still picks what another has fired meanwhile.
  it("would fire a message twice by one statement that picks and locks the session in one", async () => {
    const url = await newRoom()
    await asking(
      url,
      `CREATE TABLE lane (id INT PRIMARY KEY, busy BOOLEAN NOT NULL);
       CREATE TABLE job (id INT PRIMARY KEY, lane INT NOT NULL, fired INT NOT NULL DEFAULT 0);
       INSERT INTO lane VALUES (1, false); INSERT INTO job VALUES (1, 1)`,
    )
    const [one, other] = [new pg.Client(url), new pg.Client(url)]
    await Promise.all([one.connect(), other.connect()])
    onTestFinished(async () => {
      await Promise.all([one.end(), other.end()])
    })
    const both = `WITH picked AS (
        SELECT lane.id AS lane, job.id AS job FROM lane JOIN job ON job.lane = lane.id
        WHERE NOT lane.busy AND job.fired = 0 LIMIT 1 FOR UPDATE OF lane)
      UPDATE job SET fired = fired + 1 FROM picked WHERE job.id = picked.job RETURNING job.id`
    await one.query("BEGIN")
    await one.query(both)
    await one.query("UPDATE lane SET busy = true")
    const late = other.query(both)
    await blocked(url)
    await one.query("UPDATE lane SET busy = false")
    await one.query("COMMIT")
    await late
    expect(await asking(url, "SELECT fired FROM job")).toEqual([{ fired: 2 }])
  })

  it("gives way and runs again where two wait for each other", async () => {
    const url = await newRoom()
    const one = await openNode(url)
    const [left, right] = [await begin(one), await begin(one)]
    const foreign = new pg.Client(url)
    await foreign.connect()
    onTestFinished(() => foreign.end())
    // The other one never gives way: whoever finds out is us.
    await foreign.query("SET deadlock_timeout = '1min'; BEGIN")
    const lock = "SELECT 1 FROM chat_sessions WHERE id = $1 FOR UPDATE"
    await foreign.query(lock, [right.id])
    const about = { role: "user", state: "cancelled", created_at: 1, updated_at: 1 }
    const imported = one.importRows({
      rows: [left, right].map(({ id: session_id }) => ({
        type: "message",
        data: { id: newId("msg"), session_id, ...about },
      })),
    })
    await blocked(url)
    await foreign.query(lock, [left.id])
    await foreign.query("COMMIT")
    expect(await imported).toMatchObject({ rows: 2 })
  })

  it("answers each of many operations that came together by itself", async () => {
    const store = await openNode(await newRoom())
    const sessions = await many(12, () => begin(store))
    const answers = await Promise.allSettled(
      sessions.map(({ id }, at) =>
        at % 3 === 0
          ? store.cancelQueued({ session_id: id, message_id: newId("msg") })
          : enqueue(store, id, `m${at}`),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(
      sessions.map((_, at) => (at % 3 === 0 ? "rejected" : "fulfilled")),
    )
    for (const [at, { id }] of sessions.entries())
      expect(await waitingIn(store, id)).toEqual(at % 3 === 0 ? [] : [`m${at}`])
  })

  it("hears of another node's commits within moments", async () => {
    const { one, other } = await twoNodes()
    const { id } = await begin(one)
    const heard = Promise.withResolvers<number>()
    other.watch((streams) => streams?.has(id) && heard.resolve(performance.now()))
    const sent = performance.now()
    await enqueue(one, id, "hello")
    expect((await heard.promise) - sent).toBeLessThan(2000)
    expect(await waitingIn(other, id)).toEqual(["hello"])
  })

  it("keeps what JSON may hold and jsonb may not", async () => {
    const store = await openNode(await newRoom())
    const odd = "nul \0, half a pair \ud800, a backslash \\u0000"
    const { id } = await begin(store, { metadata: { odd, ephemeral: true }, title: "a\0b" })
    await store.append({ ...textMessage(id, odd), owner: OWNER })
    expect(await saidIn(store, id)).toEqual([odd])
    expect((await store.session(id))?.metadata.odd).toBe(odd)
    const listed = await store.sessions({ limit: 10, ephemeral: "only" })
    expect(listed.map((session) => session.id)).toEqual([id])
    expect((await store.session(id))?.title).toBe("a\uFFFDb")
  })

  it("refuses a database that a newer version has written", async () => {
    const url = await newRoom()
    await openNode(url)
    await asking(url, "UPDATE compositor_schema SET version = 99")
    await expect(openPostgresStore({ url })).rejects.toThrow(/newer version \(schema 99, known/)
  })

  it("goes on while another node brings the database to a later version", async () => {
    const url = await newRoom()
    const store = await openNode(url)
    const { id } = await begin(store)
    await enqueue(store, id, "before")
    expect(await waitingIn(store, id)).toEqual(["before"])
    await asking(url, "ALTER TABLE chat_sessions ADD COLUMN later TEXT")
    await asking(url, "ALTER TABLE chat_messages ADD COLUMN later TEXT")
    await enqueue(store, id, "after")
    expect(await waitingIn(store, id)).toEqual(["before", "after"])
  })

  it("is brought to its version once by nodes that start together", async () => {
    const url = await newRoom()
    await many(4, () => openNode(url))
    const rows = await asking(url, "SELECT count(*)::int AS count FROM compositor_schema")
    expect(rows).toEqual([{ count: 1 }])
  })
})
