import { mkdtemp } from "node:fs/promises"
import { join } from "node:path"
import { FileBlobs } from "../src/files/blobs.ts"
import { readWorkspaceFile } from "../src/files/workspace.ts"
import { newId } from "../src/message/id.ts"
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts"
import type { Store } from "../src/store/store.ts"
import { type SubmitRooms, submit } from "../src/submit/submit.ts"
import { kilobyteOfText } from "./text.ts"

export interface SubmitLoad {
  readonly callers: number
  readonly sessions: number
  readonly duration_ms: number
}

const WARM_UP_MS = 500

/** Messages per second when callers in this process submit one after the other and no turns run. */
export async function submitRate(folder: string, load: SubmitLoad): Promise<number> {
  const data = await mkdtemp(join(folder, "submit-"))
  const store = await openSqliteStore({ file: join(data, "compositor.db"), thread: true })
  const blobs = new FileBlobs(join(data, "blobs"))
  const rooms: SubmitRooms = { store, blobs, read: readWorkspaceFile, owner: null }
  const sessions = await newSessions(store, load.sessions)
  await messagesWithin(rooms, sessions, { ...load, duration_ms: WARM_UP_MS })
  const began = performance.now()
  const messages = await messagesWithin(rooms, sessions, load)
  const seconds = (performance.now() - began) / 1000
  await store.close()
  return messages / seconds
}

async function newSessions(store: Store, count: number): Promise<string[]> {
  const sessions = Array.from({ length: count }, async () => {
    const { session } = await store.createSession({
      id: newId("ses"),
      agent: "assistant",
      title: null,
      workspace_root: null,
      model: { provider_id: "scripted", model_id: "scripted" },
      metadata: {},
    })
    return session.id
  })
  return Promise.all(sessions)
}

async function messagesWithin(
  rooms: SubmitRooms,
  sessions: readonly string[],
  { callers, duration_ms }: SubmitLoad,
): Promise<number> {
  const end = performance.now() + duration_ms
  const counts = Array.from({ length: callers }, async (_, caller) => {
    const session_id = sessions[caller % sessions.length] ?? ""
    let sent = 0
    for (; performance.now() < end; sent++)
      await submit(rooms, { session_id, parts: [{ type: "text", text: kilobyteOfText() }] })
    return sent
  })
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}
