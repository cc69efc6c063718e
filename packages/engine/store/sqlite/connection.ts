import { chmodSync, closeSync, existsSync, fsyncSync, openSync, statSync } from "node:fs"
import { dirname } from "node:path"
import Database from "better-sqlite3"
import { tablesAfter, unreleasedSentence } from "../sql/released.ts"
import { MIGRATIONS } from "../sql/schema.ts"

export type SqliteConnection = Database.Database

/** Releases before this can corrupt a database when the WAL is reset while another one reads. */
const OLDEST_SQLITE = [3, 51, 3] as const
export const BUSY_TIMEOUT_MS = 10_000
/** 64 MiB: pages that many commits touch are copied into the database once. */
const WAL_PAGES = 16_000
const CACHE_KIB = 65_536

export function openForWriting(file: string): SqliteConnection {
  makeFilePrivate(file)
  const connection = new Database(file, { timeout: BUSY_TIMEOUT_MS })
  refuseOldSqlite(connection)
  connection.pragma("journal_mode = WAL")
  connection.pragma("synchronous = FULL")
  connection.pragma("foreign_keys = ON")
  connection.pragma(`wal_autocheckpoint = ${WAL_PAGES}`)
  connection.pragma(`cache_size = -${CACHE_KIB}`)
  connection.pragma("temp_store = MEMORY")
  migrate(connection)
  syncFolder(dirname(file))
  return connection
}

/** Its owner's alone, before anything is in it; SQLite gives the files beside it the same rights. */
function makeFilePrivate(file: string) {
  closeSync(openSync(file, "a", 0o600))
  for (const path of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(path) && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
}

// SQLite does not tell when the names of its files could not be synced: who opens a folder makes sure.
function syncFolder(path: string) {
  const folder = openSync(path, "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

export function openForReading(file: string): SqliteConnection {
  const connection = new Database(file, { readonly: true, timeout: BUSY_TIMEOUT_MS })
  connection.pragma(`cache_size = -${CACHE_KIB}`)
  return connection
}

function refuseOldSqlite(connection: SqliteConnection) {
  const version = connection.prepare<[], string>("SELECT sqlite_version()").pluck().get() ?? ""
  if (isOlder(version.split(".").map(Number), OLDEST_SQLITE))
    throw new Error(
      `SQLite ${version} can lose data; ${OLDEST_SQLITE.join(".")} or newer is needed`,
    )
}

export function isOlder(version: readonly number[], than: readonly number[]): boolean {
  for (const [at, wanted] of than.entries()) {
    const found = version[at] ?? 0
    if (found !== wanted) return found < wanted
  }
  return false
}

function migrate(connection: SqliteConnection) {
  refuseNewer(userVersion(connection))
  refuseUnreleased(connection)
  if (userVersion(connection) === MIGRATIONS.length) return
  // Another process may be migrating: whoever gets the lock second finds nothing left to do.
  const upgrade = connection.transaction(() => {
    const seen = userVersion(connection)
    refuseNewer(seen)
    for (const migration of MIGRATIONS.slice(seen)) connection.exec(migration)
    connection.pragma(`user_version = ${MIGRATIONS.length}`)
  })
  upgrade.immediate()
}

function refuseNewer(seen: number) {
  if (seen > MIGRATIONS.length)
    throw new Error(
      `this data folder was written by a newer version (schema ${seen}, known ${MIGRATIONS.length})`,
    )
}

/** Before the first release migrations were still rewritten, and a database counted them all the same: one
 *  that counts a migration without having its tables is of that time. */
function refuseUnreleased(connection: SqliteConnection) {
  const wanted = tablesAfter(userVersion(connection))
  const there = new Set(
    connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all(),
  )
  const missing = wanted.find((name) => !there.has(name))
  if (missing !== undefined) throw new Error(unreleasedSentence(connection.name, missing))
}

function userVersion(connection: SqliteConnection): number {
  return Number(connection.pragma("user_version", { simple: true }))
}
