import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { newId } from "../../src/message/id.ts"
import { moveToPostgres } from "../../src/store/postgres/move.ts"
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts"
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts"
import type { Store } from "../../src/store/store.ts"
import { asking, type PostgresServer, startPostgres } from "../../torture/postgres.ts"
import { temporaryFolder } from "../build.ts"
import { missing } from "../machine.ts"
import {
  begin,
  enqueue,
  exchange,
  exported,
  OWNER,
  saidIn,
  textMessage,
  waitingIn,
  wordsOf,
} from "./build.ts"

let server: PostgresServer
let rooms = 0

async function room(): Promise<string> {
  return server.room(`r${++rooms}`)
}

async function node(url: string): Promise<Store> {
  const store = await openPostgresStore({ url })
  onTestFinished(() => store.close())
  return store
}

async function nodes(count: number): Promise<[string, ...Store[]]> {
  const url = await room()
  return [url, ...(await Promise.all(Array.from({ length: count }, () => node(url))))]
}

function many<T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => make(at)))
}

/** A wire on which a test cuts: `cut` sees what a client sends and says what happens to it. */
async function wire(url: string, cut: (bytes: Buffer) => "pass" | "swallow" | "pass and cut") {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => {
        near.destroy()
        far.destroy()
      })
    }
    let open = true
    far.on("data", (bytes) => open && near.write(bytes))
    near.on("data", (bytes) => {
      const fate = cut(bytes)
      if (fate !== "swallow") far.write(bytes)
      if (fate === "pass") return
      open = false
      setTimeout(() => near.destroy(), 100)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const address = proxy.address()
  const through = new URL(url)
  through.port = String(typeof address === "object" && address ? address.port : 0)
  return through.href
}

/** Until somebody waits for a row that another has. */
async function blocked(url: string) {
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
  await expect.poll(async () => (await asking(url, waiting)).length).toBeGreaterThan(0)
}

describe.skipIf(missing("postgresql"))("several nodes on one PostgreSQL", () => {
  beforeAll(async () => {
    server = await startPostgres({ durable: false })
  }, 60_000)
  afterAll(() => server.stop())

  it("[QUE-001] [QUE-004] fires each message once, however many nodes ask at the same moment", async () => {
    const [, ...stores] = await nodes(3)
    const [first] = stores
    if (!first) throw new Error("there is a node")
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
    const [, one, other] = await nodes(2)
    if (!one || !other) throw new Error("there are two nodes")
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
    const url = await room()
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

  it("hears of another node's commits within moments", async () => {
    const [, one, other] = await nodes(2)
    if (!one || !other) throw new Error("there are two nodes")
    const { id } = await begin(one)
    const heard = Promise.withResolvers<number>()
    other.watch((streams) => streams?.has(id) && heard.resolve(performance.now()))
    const sent = performance.now()
    await enqueue(one, id, "hello")
    expect((await heard.promise) - sent).toBeLessThan(2000)
    expect(await waitingIn(other, id)).toEqual(["hello"])
  })

  it("goes on hearing when its connections were cut, and answers every call", async () => {
    const [url, one, other] = await nodes(2)
    if (!one || !other) throw new Error("there are two nodes")
    const { id } = await begin(one)
    let heard = 0
    other.watch(() => heard++)
    await asking(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'compositor' AND pid <> pg_backend_pid()`,
    )
    await enqueue(one, id, "after the cut")
    await expect.poll(() => heard).toBeGreaterThan(0)
    expect(await waitingIn(other, id)).toEqual(["after the cut"])
    // And is told again by the others, not only by looking.
    await expect
      .poll(async () => {
        const told = Promise.withResolvers<boolean>()
        const unwatch = other.watch((streams) => streams?.has(id) && told.resolve(true))
        await enqueue(one, id, "again")
        const answer = await Promise.race([
          told.promise,
          new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 300)),
        ])
        unwatch()
        return answer
      })
      .toBe(true)
  })

  it("stores each message once while its connections are cut again and again", async () => {
    const [url, one, other] = await nodes(2)
    if (!one || !other) throw new Error("there are two nodes")
    const sessions = await many(4, () => begin(one))
    const done = new AbortController()
    const cutter = (async () => {
      while (!done.signal.aborted) {
        await asking(
          url,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE application_name = 'compositor' AND random() < 0.5`,
        )
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
    })()
    const sent: string[] = []
    await many(8, async (at) => {
      for (let count = 0; count < 25; count++) {
        const words = `${at}-${count}`
        await enqueue(at % 2 === 0 ? one : other, sessions[at % 4]?.id ?? "", words)
        sent.push(words)
      }
    })
    done.abort()
    await cutter
    const stored = await many(4, (at) => waitingIn(one, sessions[at]?.id ?? ""))
    expect(stored.flat().toSorted()).toEqual(sent.toSorted())
  })

  it("knows of a commit whose answer was lost that it was made", async () => {
    const url = await room()
    let armed = false
    let cuts = 0
    const through = await wire(url, (bytes) => {
      if (!armed || !bytes.includes("COMMIT")) return "pass"
      armed = false
      cuts++
      return "pass and cut"
    })
    const store = await node(through)
    const { id } = await begin(store)
    armed = true
    const { replayed } = await store.append(textMessage(id, "once"))
    expect(cuts).toBe(1)
    expect(replayed).toBe(false)
    expect(await waitingIn(store, id)).toEqual(["once"])
    const { rows: count } = { rows: await store.events(id, 0, 100) }
    expect(count.filter(({ type }) => type === "message")).toHaveLength(1)
  })

  it("does again what was lost before it was committed", async () => {
    const url = await room()
    let armed = false
    let cuts = 0
    const through = await wire(url, (bytes) => {
      if (!armed || !bytes.includes("COMMIT")) return "pass"
      armed = false
      cuts++
      return "swallow"
    })
    const store = await node(through)
    const { id } = await begin(store)
    armed = true
    await store.append(textMessage(id, "once"))
    expect(cuts).toBe(1)
    expect(await waitingIn(store, id)).toEqual(["once"])
  })

  it("says what is wrong while the database is down, and works again when it is back", async () => {
    const store = await node(await room())
    const { id } = await begin(store)
    await enqueue(store, id, "before")
    await server.crash()
    const down = store.append(textMessage(id, "lost"))
    await expect(down).rejects.toMatchObject({ code: "storage_failed" })
    await expect(down).rejects.toThrow(/append was not stored: the database cannot be reached/)
    await expect(store.queue(id)).rejects.toMatchObject({ code: "storage_failed" })
    await server.start()
    await enqueue(store, id, "after")
    expect(await waitingIn(store, id)).toEqual(["before", "after"])
  })

  it("refuses a database that a newer version has written", async () => {
    const [url] = await nodes(1)
    await asking(url, "UPDATE compositor_schema SET version = 99")
    await expect(openPostgresStore({ url })).rejects.toThrow(/newer version \(schema 99, known/)
  })

  it("goes on while another node brings the database to a later version", async () => {
    const [url, store] = await nodes(1)
    if (!store) throw new Error("there is a node")
    const { id } = await begin(store)
    await enqueue(store, id, "before")
    expect(await waitingIn(store, id)).toEqual(["before"])
    await asking(url, "ALTER TABLE chat_sessions ADD COLUMN later TEXT")
    await asking(url, "ALTER TABLE chat_messages ADD COLUMN later TEXT")
    await enqueue(store, id, "after")
    expect(await waitingIn(store, id)).toEqual(["before", "after"])
  })

  it("answers each of many operations that came together by itself", async () => {
    const [, store] = await nodes(1)
    if (!store) throw new Error("there is a node")
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

  it("is brought to its version once by nodes that start together", async () => {
    const [url, ...stores] = await nodes(4)
    expect(stores).toHaveLength(4)
    const rows = await asking(url, "SELECT count(*)::int AS count FROM compositor_schema")
    expect(rows).toEqual([{ count: 1 }])
  })

  it("keeps what JSON may hold and jsonb may not", async () => {
    const store = await node(await room())
    const odd = "nul \0, half a pair \ud800, a backslash \\u0000"
    const { id } = await begin(store, { metadata: { odd, ephemeral: true }, title: "a\0b" })
    await store.append({ ...textMessage(id, odd), owner: OWNER })
    expect(await saidIn(store, id)).toEqual([odd])
    expect((await store.session(id))?.metadata.odd).toBe(odd)
    const listed = await store.sessions({ limit: 10, ephemeral: "only" })
    expect(listed.map((session) => session.id)).toEqual([id])
    expect((await store.session(id))?.title).toBe("a\uFFFDb")
  })

  it("gives way and runs again where two wait for each other", async () => {
    const [url, one] = await nodes(1)
    if (!one) throw new Error("there is a node")
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
})

describe.skipIf(missing("postgresql"))("a folder that moves to PostgreSQL", () => {
  beforeAll(async () => {
    server = await startPostgres({ durable: false })
  }, 60_000)
  afterAll(() => server.stop())

  async function filled() {
    const file = join(await temporaryFolder(), "compositor.db")
    const store = await openSqliteStore({ file, thread: false })
    const { id } = await begin(store)
    await exchange(store, id, "hello", "hi")
    await enqueue(store, id, "next")
    const saved = { session_id: id, base_revision: 0, updated_by: "me" }
    await store.saveDraft({ ...saved, body_json: "{}" })
    await store.saveDraft({ ...saved, body_json: '{"other":1}' })
    const stream = { ttl_seconds: null, expires_at: null, closed: false, fork: null }
    const body = Buffer.from([0, 255, 10])
    const content_type = "application/octet-stream"
    await store.createStream({ id: newId("str"), path: "/s", content_type, body, ...stream })
    return { file, store, id }
  }

  it("is the same there, table by table, and goes on", async () => {
    const { file, store, id } = await filled()
    const before = await exported(store)
    await store.close()
    const url = await room()
    const seen: number[] = []
    const moved = await moveToPostgres({ file, url, progress: (done) => seen.push(done) })
    expect(seen.at(-1)).toBe(moved.rows)
    const there = await node(url)
    expect(await exported(there)).toEqual(before)
    expect(await there.stashedDrafts(id)).toHaveLength(1)
    expect(await waitingIn(there, id)).toEqual(["next"])
    await there.saveDraft({ session_id: id, base_revision: 9, updated_by: "you", body_json: "[]" })
    expect(await there.stashedDrafts(id)).toHaveLength(2)
    const found = await there.stream("/s", 0)
    const page = found.type === "found" && (await there.streamPage(found.head.id, EVERYTHING))
    expect(page && page.chunks.map(({ data }) => [...data])).toEqual([[0, 255, 10]])
  })

  it("is refused where rows are already", async () => {
    const { file, store } = await filled()
    await store.close()
    const [url, there] = await nodes(1)
    if (!there) throw new Error("there is a node")
    await begin(there)
    const move = moveToPostgres({ file, url, progress: () => undefined })
    await expect(move).rejects.toThrow(/not empty: there are rows in chat_sessions/)
  })
})

const EVERYTHING = { from: 0, max_bytes: 1000 }
