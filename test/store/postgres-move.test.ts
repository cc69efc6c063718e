import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import { moveToPostgres } from "../../packages/engine/store/postgres/move.ts"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import { temporaryFolder } from "../build.ts"
import { missing } from "../machine.ts"
import { newRoom, onPostgres, openNode } from "../postgres.ts"
import { begin, enqueue, exchange, exported, waitingIn } from "./build.ts"

describe.skipIf(missing("postgresql"))("a folder that moves to PostgreSQL", () => {
  onPostgres()

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
    const url = await newRoom()
    const seen: number[] = []
    const moved = await moveToPostgres({ file, url, progress: (done) => seen.push(done) })
    expect(seen.at(-1)).toBe(moved.rows)
    const there = await openNode(url)
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
    const url = await newRoom()
    const there = await openNode(url)
    await begin(there)
    const move = moveToPostgres({ file, url, progress: () => undefined })
    await expect(move).rejects.toThrow(/not empty: there are rows in chat_sessions/)
  })
})

const EVERYTHING = { from: 0, max_bytes: 1000 }
