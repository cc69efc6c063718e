import { createHash } from "node:crypto"
import { cp, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { POSTGRES_MIGRATIONS } from "../../packages/engine/store/postgres/schema.ts"
import { MIGRATIONS } from "../../packages/engine/store/sql/schema.ts"
import { asking } from "../../kit/torture/postgres.ts"
import { noPostgres, withDatabases } from "../attacks/outside/postgres.ts"
import { makeFolders, run, startServer } from "../attacks/outside/product.ts"
import { makeRelease, readAll, RELEASES } from "./released.ts"

const made = process.env["COMPOSITOR_MAKE_RELEASE"]
const NAMES = (await readdir(RELEASES)).filter((name) => /^[0-9a-f]{7}$/.test(name))

/** The words of each released migration, which nobody changes any more. */
const FROZEN = {
  sqlite: ["6ee4f19d7899f9ba", "8bbfad45141a405e", "93d9c4013910f083"],
  postgres: ["86cbd66cabf351f9", "ed034a98677b51ca", "93d9c4013910f083"],
}

function digests(migrations: readonly string[]): string[] {
  return migrations.map((text) => createHash("sha256").update(text).digest("hex").slice(0, 16))
}

async function answersIn(name: string, file: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(RELEASES, name, file), "utf8"))
}

function sessionsIn(answers: Record<string, unknown>): string[] {
  return Object.keys(answers).flatMap((path) => /^\/v1\/sessions\/(ses_\w+)$/.exec(path)?.[1] ?? [])
}

describe("released migrations", () => {
  it("[OPS-11] are never edited", () => {
    expect(digests(MIGRATIONS.slice(0, 3))).toEqual(FROZEN.sqlite)
    expect(digests(POSTGRES_MIGRATIONS.slice(0, 3))).toEqual(FROZEN.postgres)
  })
})

describe("what a release left", () => {
  const database = noPostgres ? undefined : withDatabases()

  it.runIf(made !== undefined && database)("is kept", async () => {
    await makeRelease(made ?? "", (await database?.()) ?? "")
  })

  it.each(NAMES)(
    "[OPS-11] is read by this version as %s read it, from its folder",
    async (name) => {
      const folders = await makeFolders()
      await cp(join(RELEASES, name, "data"), folders.data, { recursive: true })
      const before = await answersIn(name, "sqlite.json")
      const server = await startServer({ folders })
      expect(await readAll(server, sessionsIn(before))).toMatchObject(before)
    },
  )

  it.skipIf(noPostgres).each(NAMES)(
    "[OPS-11] is read by this version as %s read it, from PostgreSQL",
    async (name) => {
      const store = (await database?.()) ?? ""
      await asking(store, await readFile(join(RELEASES, name, "postgres.sql"), "utf8"))
      const folders = await makeFolders()
      await cp(join(RELEASES, name, "data", "blobs"), join(folders.data, "blobs"), {
        recursive: true,
      })
      const before = await answersIn(name, "postgres.json")
      const server = await startServer({ folders, words: ["--store", store] })
      expect(await readAll(server, sessionsIn(before))).toMatchObject(before)
    },
  )

  it("[OPS-11] before the first release is refused in one sentence, by commands and by the doctor (adopters 6)", async () => {
    const folders = await makeFolders({ "data/token": "t".repeat(32) })
    const old = new Database(join(folders.data, "compositor.db"))
    old.exec("CREATE TABLE chat_sessions (id TEXT PRIMARY KEY, title TEXT)")
    old.pragma("user_version = 1")
    old.close()
    const { code, error } = await run(folders, ["sessions"])
    expect(code).toBe(1)
    expect(error).toContain("was made by a version from before the first release")
    expect(error.trim().split("\n")).toHaveLength(1)
    const doctor = await run(folders, ["doctor"])
    expect(doctor.code).toBe(1)
    expect(doctor.out).toContain("was made by a version from before the first release")
  })
})
