import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import { temporaryFolder } from "../build.ts"
import { begin, enqueue, OWNER } from "./build.ts"

const MINUTE_MS = 60 * 1000

describe("a message that is being edited", () => {
  it("[EA-023] [QUE-004] is left to its editor for a while, and then goes on as it was", async () => {
    let now = Date.now() - 60 * MINUTE_MS
    const file = join(await temporaryFolder(), "compositor.db")
    const store = await openSqliteStore({ file, thread: false, clock: () => now })
    onTestFinished(() => store.close())
    const { id: session_id } = await begin(store)
    const { id: message_id } = await enqueue(store, session_id, "half done")
    const edit = () => store.changeQueued({ session_id, message_id, state: "editing" })
    const claimed = () => store.claim({ session_id, owner: OWNER })
    await edit()
    now += 9 * MINUTE_MS
    expect(await claimed()).toBeNull()
    await edit()
    now += 9 * MINUTE_MS
    expect(await claimed()).toBeNull()
    await store.changeQueued({ session_id, message_id, metadata: { note: 1 } })
    now += 2 * MINUTE_MS
    expect(await store.claimable()).toEqual([session_id])
    const claim = await claimed()
    expect(claim?.turn.message_id).toBe(message_id)
    const fired = await store.message(session_id, message_id)
    expect(fired).toMatchObject({ state: "fired", metadata: { note: 1 } })
    expect(fired?.metadata).not.toHaveProperty("editing_until")
  })
})
