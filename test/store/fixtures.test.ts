import { copyFile, readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import Database from "better-sqlite3"
import { describe, expect, it, onTestFinished } from "vitest"
import { MIGRATIONS } from "../../packages/engine/store/sql/schema.ts"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import { temporaryFolder } from "../build.ts"
import { exchange, saidIn, waitingIn } from "./build.ts"

const FIXTURES = join(import.meta.dirname, "fixtures")
const NAMES = (await readdir(FIXTURES)).filter((name) => name.endsWith(".db"))

/** Opening a database may leave files beside it: the fixtures stay as they are. */
async function copyOf(name: string): Promise<string> {
  const file = join(await temporaryFolder(), "compositor.db")
  await copyFile(join(FIXTURES, name), file)
  return file
}

function schemaOf(database: Database.Database) {
  return database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    .all()
}

function versionOf(name: string): number {
  return Number(/^schema-(\d+)\.db$/.exec(name)?.[1])
}

describe("released schemas", () => {
  it("each left a small database", async () => {
    expect(NAMES.map(versionOf).toSorted((a, b) => a - b)).toEqual(
      MIGRATIONS.map((_, at) => at + 1),
    )
    for (const name of NAMES)
      expect((await stat(join(FIXTURES, name))).size).toBeLessThan(300 * 1024)
  })

  it.each(NAMES)("%s is what its migrations still make", async (name) => {
    const fresh = new Database(":memory:")
    for (const migration of MIGRATIONS.slice(0, versionOf(name))) fresh.exec(migration)
    const released = new Database(await copyOf(name))
    onTestFinished(() => void released.close())
    expect(schemaOf(released)).toEqual(schemaOf(fresh))
  })

  it.each(NAMES)("%s opens, says what was said in it, and goes on", async (name) => {
    const store = await openSqliteStore({ file: await copyOf(name), thread: false })
    onTestFinished(() => store.close())
    const sessions = await store.sessions({ limit: 10 })
    const [branch, letter] = sessions.toSorted((a, b) =>
      (a.title ?? "").localeCompare(b.title ?? ""),
    )
    if (!branch || !letter) throw new Error(`${name} has ${sessions.length} sessions`)
    expect([branch.title, letter.title]).toEqual(["A branch", "A letter"])
    const said = ["Say hello.", "Hello, reader of the future."]
    for (const { id } of [branch, letter]) expect(await saidIn(store, id)).toEqual(said)
    expect(await waitingIn(store, letter.id)).toEqual(["Waiting."])
    const { messages } = await store.history(letter.id, { limit: 10 })
    expect(messages[0]?.parts[1]?.data).toMatchObject({ name: "note.txt", mime: "text/plain" })
    await exchange(store, branch.id, "Still there?", "Yes.")
    expect(await saidIn(store, branch.id)).toEqual([...said, "Still there?", "Yes."])
  })
})
