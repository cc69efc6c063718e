import { join } from "node:path"
import Database from "better-sqlite3"
import { describe, expect, it, onTestFinished } from "vitest"
import { isOlder, openForWriting } from "../../packages/engine/store/sqlite/connection.ts"
import { MIGRATIONS } from "../../packages/engine/store/sql/schema.ts"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import type { Store } from "../../packages/engine/store/store.ts"
import { temporaryFolder } from "../build.ts"
import { begin, enqueue, exchange, fire, type Maker, openStore, saidIn } from "./build.ts"
import { storeContract } from "./contract.ts"

function fileIn(folder: string): string {
  return join(folder, "compositor.db")
}

function sqlite(thread: boolean): Maker {
  return {
    open: (folder) => openSqliteStore({ file: fileIn(folder), thread }),
    async sql(folder, statement) {
      const database = new Database(fileIn(folder))
      database.exec(statement)
      database.close()
    },
  }
}

const INLINE = sqlite(false)

storeContract("sqlite in a thread", sqlite(true))
storeContract("sqlite inline", INLINE)

async function database() {
  const connection = openForWriting(fileIn(await temporaryFolder()))
  onTestFinished(() => void connection.close())
  return connection
}

describe("the database", () => {
  it("[PER-009] survives a power cut, keeps its references and waits for its turn", async () => {
    const connection = await database()
    const pragma = (name: string) => connection.pragma(name, { simple: true })
    expect(pragma("journal_mode")).toBe("wal")
    expect(pragma("synchronous")).toBe(2)
    expect(pragma("foreign_keys")).toBe(1)
    expect(pragma("busy_timeout")).toBeGreaterThanOrEqual(1000)
  })

  const COLUMNS = {
    "PER-002 chat_sessions": `id agent workspace_root model_json parent_id parent_message_id
      permissions_json metadata_json prompt_tokens completion_tokens reasoning_tokens cache_read
      cache_write total_tokens cost_usd created_at updated_at archived_at`,
    "PER-005 chat_messages": "id session_id role metadata_json created_at updated_at",
    "PER-007 chat_parts": `id message_id session_id index type data_json tool_call_id tool_state
      created_at updated_at`,
  }
  it.each(Object.entries(COLUMNS))("[%s] has the documented columns", async (name, columns) => {
    const connection = await database()
    const table = name.split(" ")[1]
    const rows = connection.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table)
    expect(rows).toEqual(expect.arrayContaining(columns.split(/\s+/)))
  })

  const INDEXES = {
    "PER-003 chat_sessions": [
      "agent,updated_at",
      "workspace_root,updated_at",
      "parent_id",
      "archived_at",
    ],
    "PER-005 chat_messages": ["session_id,created_at"],
    "PER-007 chat_parts": ["message_id,index", "session_id", "tool_call_id"],
  }
  it.each(Object.entries(INDEXES))("[%s] has the documented indexes", async (name, indexes) => {
    const connection = await database()
    const rows = connection
      .prepare(
        `SELECT (SELECT group_concat(name) FROM
           (SELECT name FROM pragma_index_info(list.name) ORDER BY seqno))
         FROM pragma_index_list(?) AS list`,
      )
      .pluck()
      .all(name.split(" ")[1])
    expect(rows).toEqual(expect.arrayContaining(indexes))
  })

  it("[PER-001] [PER-005] [PER-007] takes messages and parts along with their session", async () => {
    const connection = await database()
    const cascades = connection
      .prepare(
        `SELECT 'chat_messages' FROM pragma_foreign_key_list('chat_messages')
           WHERE "table" = 'chat_sessions' AND on_delete = 'CASCADE'
         UNION ALL SELECT 'chat_parts' FROM pragma_foreign_key_list('chat_parts')
           WHERE "table" = 'chat_messages' AND on_delete = 'CASCADE'`,
      )
      .pluck()
      .all()
    expect(cascades).toEqual(["chat_messages", "chat_parts"])
  })

  it("[UX-005] refuses a second live turn by itself, whoever writes it", async () => {
    const folder = await temporaryFolder()
    const store = await openStore(INLINE, folder)
    const { id } = await begin(store)
    const { claim } = await fire(store, id, "one")
    const again = `INSERT INTO turns (id, session_id, message_id, attempt, state, model_json, fence,
      owner, started_at) SELECT 'trn_x', session_id, 'msg_x', 1, state, model_json, 99, owner, 1
      FROM turns WHERE id = '${claim.turn.id}'`
    await expect(INLINE.sql(folder, again)).rejects.toThrow("UNIQUE constraint failed")
  })

  it("is sound after all of it", async () => {
    const folder = await temporaryFolder()
    const store = await openStore(INLINE, folder)
    const { id } = await begin(store)
    await exchange(store, id, "hello", "hi")
    await store.deleteSession({ session_id: id, cascade: true })
    await store.vacuum({})
    const connection = new Database(fileIn(folder), { readonly: true })
    expect(connection.pragma("integrity_check", { simple: true })).toBe("ok")
    expect(connection.pragma("foreign_key_check")).toEqual([])
    connection.close()
  })
})

describe("versions", () => {
  it.each([
    ["3.51.2", "3.51.3", true],
    ["3.51.3", "3.51.3", false],
    ["3.52", "3.51.3", false],
    ["3.40.1", "3.51.3", true],
    ["4.0.0", "3.51.3", false],
    ["3.51", "3.51.3", true],
    ["3.6.99", "3.51.3", true],
  ])("[D2] knows whether SQLite %s is older than %s", (version, than, expected) => {
    const numbers = (text: string) => text.split(".").map(Number)
    expect(isOlder(numbers(version), numbers(than))).toBe(expected)
  })

  it("[D2] runs on one that does not lose data", async () => {
    const connection = await database()
    const version = connection.prepare("SELECT sqlite_version()").pluck().get() as string
    expect(isOlder(version.split(".").map(Number), [3, 51, 3])).toBe(false)
  })

  it.each([true, false])("refuse a folder of a newer version (thread: %s)", async (thread) => {
    const file = fileIn(await temporaryFolder())
    const newer = new Database(file)
    newer.pragma("user_version = 99")
    newer.close()
    await expect(openSqliteStore({ file, thread })).rejects.toThrow(
      `this data folder was written by a newer version (schema 99, known ${MIGRATIONS.length})`,
    )
  })
})

/** How long it takes a reader to hear of what another process wrote, and to read it. */
async function timeToHear(writer: Store, reader: Store): Promise<number> {
  const heard = Promise.withResolvers<void>()
  const stop = reader.watch((streams) => streams === undefined && heard.resolve())
  const { id } = await begin(writer)
  await enqueue(writer, id, "hello")
  const from = performance.now()
  await heard.promise
  const time = performance.now() - from
  stop()
  expect(await reader.queuedCount(id)).toBe(1)
  return time
}

describe("two processes on one folder", () => {
  it("[PER-015] hear of each other's commits within a moment", async () => {
    const folder = await temporaryFolder()
    const [one, two] = [await openStore(INLINE, folder), await openStore(sqlite(true), folder)]
    for (const [writer, reader] of [
      [one, two],
      [two, one],
    ] as const) {
      const times: number[] = []
      for (let round = 0; round < 3; round++) times.push(await timeToHear(writer, reader))
      // The machine may be busy once, not three times.
      expect(Math.min(...times)).toBeLessThan(200)
    }
  })

  it("[PER-015] may make a folder at the same time", async () => {
    const folder = await temporaryFolder()
    const stores = await Promise.all(
      [true, false, true].map((thread) => sqlite(thread).open(folder)),
    )
    for (const store of stores) {
      onTestFinished(() => store.close())
      const { id } = await begin(store)
      await exchange(store, id, "hello", "hi")
      for (const other of stores) expect(await saidIn(other, id)).toEqual(["hello", "hi"])
    }
  })
})

describe("a clock that steps back", () => {
  it("[QUE-005] leaves the order of what was sent, and of what was said", async () => {
    const hours = [10, 9, 9, 12, 3]
    let now = 0
    const store = await openSqliteStore({
      file: fileIn(await temporaryFolder()),
      thread: false,
      clock: () => now,
    })
    onTestFinished(() => store.close())
    const { id } = await begin(store)
    const sent = []
    for (const hour of hours) {
      now = hour * 3_600_000
      sent.push(await enqueue(store, id, `at ${hour}`))
    }
    const queued = sent.map(({ metadata }) => Number(metadata.queued_at))
    expect(queued).toEqual([36_000_000, 36_000_001, 36_000_002, 43_200_000, 43_200_001])
    expect((await store.queue(id)).map((message) => message.id)).toEqual(sent.map(({ id }) => id))
    const created = sent.map(({ created_at }) => created_at)
    expect(created).toEqual(created.toSorted((left, right) => left - right))
  })
})
