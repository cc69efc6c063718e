import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import type { Store } from "../../packages/engine/store/store.ts"
import type { Line } from "./traced.ts"

/** Hold a folder against what was promised about it. Each fault is a sentence. */
export async function faultsOf(data: string, lines: readonly Line[]): Promise<string[]> {
  const file = join(data, "compositor.db")
  const promises = promised(lines)
  if (!existsSync(file))
    return [...promises.values()].some(({ held }) => held) ? ["all is gone"] : []
  const store = await openSqliteStore({ file, thread: false }).catch((error: unknown) =>
    String(error),
  )
  if (typeof store === "string") return [`the folder does not open: ${store}`]
  try {
    return [...integrity(file), ...(await broken(store, data, promises))]
  } finally {
    await store.close()
  }
}

export interface EndedTurns {
  /** Each as a sentence: those that nobody ended, and with them those that ended otherwise than well. */
  readonly unended: readonly string[]
  readonly unfinished: readonly string[]
  /** How many say that the disk failed them. */
  readonly failed: number
}

export function endedTurns(data: string): EndedTurns {
  const database = new Database(join(data, "compositor.db"), { readonly: true })
  try {
    const turns = database
      .prepare<
        [],
        { id: string; state: string; ended_at: number | null; error_json: string | null }
      >("SELECT id, state, ended_at, error_json FROM turns")
      .all()
    const unended = turns.filter(({ ended_at }) => ended_at === null)
    const failed = turns.filter(
      ({ state, error_json }) =>
        state === "interrupted" || JSON.parse(error_json ?? "{}").code === "storage_failed",
    )
    const others = turns.filter(({ state }) => state !== "finished")
    return {
      unfinished: others.map(
        ({ id, state, error_json }) => `${id} is ${state} ${error_json ?? ""}`,
      ),
      unended: unended.map(({ id, state }) => `turn ${id} is ${state} and nobody runs it`),
      failed: failed.length,
    }
  } finally {
    database.close()
  }
}

interface Promised {
  /** What was acknowledged last. */
  readonly held: string | undefined
  /** What was asked for since: it may have happened or not. */
  readonly asked: readonly string[]
}

function promised(lines: readonly Line[]): ReadonlyMap<string, Promised> {
  const promises = new Map<string, Promised>()
  for (const line of lines) {
    if (line.type === "refused") continue
    for (const [key, value] of Object.entries(line.facts)) {
      const { held, asked = [] } = promises.get(key) ?? {}
      const isHeld = line.type === "acknowledged"
      promises.set(key, isHeld ? { held: value, asked: [] } : { held, asked: [...asked, value] })
    }
  }
  return promises
}

function integrity(file: string): string[] {
  const database = new Database(file, { readonly: true })
  try {
    const said = database.pragma("integrity_check", { simple: true })
    const lost = database.pragma("foreign_key_check") as unknown[]
    const twice = database
      .prepare(
        "SELECT message_id FROM turns WHERE state = 'finished' GROUP BY message_id HAVING count(*) > 1",
      )
      .all()
    return [
      ...(said === "ok" ? [] : [`the database is corrupt: ${String(said)}`]),
      ...(lost.length === 0 ? [] : [`${lost.length} rows refer to nothing`]),
      ...(twice.length === 0 ? [] : [`${twice.length} messages fired twice`]),
    ]
  } finally {
    database.close()
  }
}

async function broken(store: Store, data: string, promises: ReadonlyMap<string, Promised>) {
  const faults: string[] = []
  for (const [key, { held, asked }] of promises) {
    if (isForgotten(key, promises)) continue
    const found = await actual(store, data, key)
    if (found === held || asked.includes(found ?? "")) continue
    // What was never acknowledged may not be there.
    if (held === undefined && (found === undefined || found === "gone")) continue
    faults.push(`${key} is ${String(found)} and should be ${String(held)}`)
  }
  return faults
}

// What was said in a session goes with it.
function isForgotten(key: string, promises: ReadonlyMap<string, Promised>): boolean {
  const [, session = ""] = /^message:(.*)\//.exec(key) ?? []
  const { held, asked = [] } = promises.get(`session:${session}`) ?? {}
  return held === "gone" || asked.includes("gone")
}

/** What the folder says about one thing, in the words of the script; undefined when it knows nothing. */
async function actual(store: Store, data: string, key: string): Promise<string | undefined> {
  const at = key.indexOf(":")
  const [kind, id] = [key.slice(0, at), key.slice(at + 1)]
  switch (kind) {
    case "session":
      return (await store.session(id)) ? "here" : "gone"
    case "message":
      return message(store, id)
    case "blob":
      return blob(data, id)
    case "draft":
      return (await store.session(id)) ? draft(store, id) : undefined
    case "path": {
      if (!(await store.session(id))) return undefined
      const { messages } = await store.history(id, { limit: 500 })
      return messages.map((one) => one.id).join()
    }
    default:
      throw new Error(`${key} is no fact`)
  }
}

async function draft(store: Store, id: string): Promise<string | undefined> {
  return JSON.parse((await store.draft(id))?.body_json ?? "{}").source
}

async function message(store: Store, id: string): Promise<string | undefined> {
  const [session_id = "", message_id = ""] = id.split("/")
  const found = await store.message(session_id, message_id)
  if (found?.state === "cancelled") return "cancelled"
  const [part] = found?.parts ?? []
  const text = typeof part?.data.text === "string" ? part.data.text : ""
  return found ? `said ${text}` : undefined
}

function blob(data: string, content_id: string): string | undefined {
  const digits = content_id.slice("sha256:".length)
  const file = join(data, "blobs", digits.slice(0, 2), digits.slice(2))
  if (!existsSync(file)) return undefined
  const found = createHash("sha256").update(readFileSync(file)).digest("hex")
  return found === digits ? "here" : "torn"
}
