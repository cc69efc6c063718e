// What an operator of a PostgreSQL server meets: commands that end, backups that hold everything, and
// sentences that name the setting and not the password.

import { existsSync, readdirSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { rowCounts, withDatabases } from "./outside/postgres.ts"
import { type Folders, makeFolders, run, type Server, startServer } from "./outside/product.ts"

const WORDS = "words-that-must-not-be-lost"

/** Two sessions with a file, a branch, a queue, a draft, a principal, a trigger and a note. */
async function fill(server: Server): Promise<string> {
  const session = await server.session()
  const note = Buffer.from("a note ".repeat(20_000)).toString("base64")
  await server.send(session, [
    { type: "text", text: WORDS },
    { type: "file-attachment", name: "note.txt", mime: "text/plain", data: note },
  ])
  await server.settled(session)
  await server.post(`/v1/sessions/${session}/branch`, { title: "a branch" })
  await server.send(session, "later", { mode: "paused" })
  await server.call("PUT", `/v1/sessions/${session}/draft`, {
    base_revision: 0,
    draft: { source: "half a thou" },
  })
  await server.post("/v1/triggers", {
    session_id: session,
    source: { source: "api" },
    prompt: "wake up",
  })
  await server.post("/v1/principals", { id: "user:ana", workspaces: [] })
  return session
}

/** How many rows a data folder's tables have; the audit log goes on while others look. */
function folderCounts(folder: string): Record<string, number> {
  const database = new Database(join(folder, "compositor.db"), { readonly: true })
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[]
  const counts = names.map((name) => [
    name,
    database.prepare(`SELECT count(*) FROM ${name}`).pluck().get(),
  ])
  database.close()
  return Object.fromEntries(counts)
}

function filled(counts: Record<string, number>): Record<string, number> {
  const { compositor_schema: _, audit: __, ...rest } = counts
  return Object.fromEntries(Object.entries(rest).filter(([, rows]) => rows > 0))
}

type Expected = readonly [code: number, ...words: string[]]

/** So many of them, others every day. */
function sample<T>(all: readonly T[], count: number): T[] {
  const first = Math.floor(Date.now() / 86_400_000) % all.length
  return Array.from({ length: count }, (_, at) => all[(first + at * 7) % all.length] as T)
}

describe.skipIf(missing("postgresql"))("an operator on PostgreSQL", () => {
  const database = withDatabases()

  it("[OPS-08] every command ends by itself with its status (adopters 2)", async () => {
    const folders = await makeFolders({
      "workspace/a.txt": "alpha",
      "message.json": JSON.stringify({ parts: [{ type: "text", text: "hi" }] }),
    })
    const environment = { COMPOSITOR_STORE: await database() }
    const first = await run(folders, ["send", "hello there"], { environment })
    expect(first.code).toBe(0)
    const [, session = ""] = /session (ses_\w+)/.exec(first.error) ?? []
    const usual: readonly Expected[] = [
      [0, "sessions"],
      [0, "send", "-s", session, "again"],
      [0, "export", "-o", join(folders.root, "all.jsonl")],
      [0, "doctor"],
      [0, "backup", join(folders.root, "copy")],
      [2, "approve", session],
    ]
    const others: readonly Expected[] = [
      [0, "sessions", "rename", session, "a name"],
      [0, "send", "--no-wait", "-s", session, "and again"],
      [0, "inspect", session],
      [0, "models"],
      [0, "memory"],
      [0, "triggers"],
      [0, "triggers", "add", "-s", session, "--api", "wake"],
      [0, "mcp"],
      [0, "agents"],
      [0, "commands"],
      [0, "commands", "doctor"],
      [0, "parse", "/clear and @a.txt"],
      [0, "expand", "look at @a.txt"],
      [0, "complete", "@a"],
      [0, "lower", join(folders.root, "message.json")],
      [0, "attach", "a.txt"],
      [0, "principals"],
      [0, "audit"],
      [0, "diff-lowering", "--since", "1"],
      [0, "vacuum"],
      [1, "inspect", "ses_000000000000000000000000aa"],
      [1, "sessions", "rm", "ses_000000000000000000000000aa"],
      [0, "acp"],
    ]
    // Each is a process of its own: all of them where everything is run, else a few of the others.
    const commands = [...usual, ...(process.env["CI"] ? others : sample(others, 3))]
    const ended = await inPairs(commands, async ([code, ...words]) => {
      const ran = await run(folders, words, { environment, timeout_ms: 45_000 })
      return [words.slice(0, 2).join(" "), ran.code === code ? code : `${ran.code}: ${ran.error}`]
    })
    expect(ended).toEqual(commands.map(([code, ...words]) => [words.slice(0, 2).join(" "), code]))
    const imported = ["import", join(folders.root, "all.jsonl")]
    const fresh = { COMPOSITOR_STORE: await database() }
    expect(await run(folders, imported, { environment: fresh })).toMatchObject({ code: 0 })
  }, 240_000)

  it("[OPS-09] a backup holds every row and file, and is restored into a folder or another database (adopters 1)", async () => {
    const store = await database()
    const server = await startServer({ words: ["--store", store] })
    const session = await fill(server)
    const { folders } = server
    await writeFile(join(folders.data, "config.json"), "{}")
    const copy = join(folders.root, "copy")
    // The server is named by its folder alone, and keeps its rows elsewhere: a copy would be empty.
    const blind = await run(folders, ["backup", copy])
    expect(blind.code).not.toBe(0)
    expect(blind.error).toContain("keeps its rows in postgres://")
    const far = await run(folders, ["backup", copy, "--url", server.url, "--token", server.token])
    expect(far.code).not.toBe(0)
    expect(far.error.trim().split("\n")).toHaveLength(1)
    expect(existsSync(copy)).toBe(false)
    // While it is in use.
    expect(await run(folders, ["backup", copy, "--store", store])).toMatchObject({ code: 0 })
    await server.stop()
    const before = filled(await rowCounts(store))
    expect(before).toMatchObject({ chat_sessions: 2, drafts: 1, triggers: 1, principals: 1 })
    expect(filled(folderCounts(copy))).toEqual(before)
    expect(readdirSync(copy)).toContain("config.json")
    await holdsEverything({ ...folders, data: copy }, session)
    // Into another database, with the files of the copy.
    const other = await database()
    expect(await run(folders, ["migrate", copy, other])).toMatchObject({ code: 0 })
    expect(filled(await rowCounts(other))).toMatchObject(before)
    await holdsEverything({ ...folders, data: copy }, session, { COMPOSITOR_STORE: other })
  }, 120_000)

  it("[OPS-12] an address that cannot be read is told by its setting, without the password (adopters 12)", async () => {
    const folders = await makeFolders()
    const addressWith = (password: string) =>
      `postgres://compositor:${password}@127.0.0.1:1/compositor`
    const said = await Promise.all([
      run(folders, ["sessions"], {
        environment: { COMPOSITOR_STORE: addressWith("ab/cd+secret==") },
      }),
      run(folders, ["serve", "--port", "0", "--store", addressWith("12/secret")]),
      run(folders, ["sessions"], { environment: { COMPOSITOR_STORE: addressWith("12#secret") } }),
    ])
    for (const [at, { code, error }] of said.entries()) {
      expect(code).toBe(1)
      expect(error).toContain(at === 1 ? "--store" : "COMPOSITOR_STORE")
      expect(error).not.toContain("secret")
    }
  }, 60_000)
})

describe("a backup", () => {
  it("[OPS-09] of a folder with nothing in it, and of another server, is refused in one sentence", async () => {
    const folders = await makeFolders()
    const copy = join(folders.root, "copy")
    const nothing = await run(folders, ["backup", copy])
    expect(nothing.code).not.toBe(0)
    expect(nothing.error).toContain("there is no compositor.db")
    const far = await run(folders, ["backup", copy, "--url", "http://127.0.0.1:9", "--token", "t"])
    expect(far.code).not.toBe(0)
    expect(existsSync(copy)).toBe(false)
  })

  it("[OPS-09] of a data folder is a data folder with every row, file and setting", async () => {
    const server = await startServer()
    const session = await fill(server)
    const { folders } = server
    await writeFile(join(folders.data, "config.json"), "{}")
    const copy = join(folders.root, "copy")
    expect(await run(folders, ["backup", copy])).toMatchObject({ code: 0 })
    await server.stop()
    expect(filled(folderCounts(copy))).toEqual(filled(folderCounts(folders.data)))
    expect(readdirSync(copy)).toContain("config.json")
    await holdsEverything({ ...folders, data: copy }, session)
  })
})

describe("the deployment", () => {
  it("[OPS-05] [OPS-12] keeps the database's password out of the address, and makes one that fits anywhere (adopters 12)", async () => {
    const deploy = join(import.meta.dirname, "..", "..", "deploy")
    const checkout = process.env["COMPOSITOR_UNDER_TEST"]
    const folder = checkout === undefined ? deploy : join(checkout, "deploy")
    const compose = await readFile(join(folder, "compose.yaml"), "utf8")
    const secret = await readFile(join(folder, "kubernetes", "secret.example.yaml"), "utf8")
    for (const text of [compose, secret]) {
      expect(text).not.toMatch(/postgres:\/\/[^\s@]*:[^\s@]*@/)
      expect(text).toContain("PGPASSWORD")
    }
    expect(await readFile(join(folder, "example.env"), "utf8")).toContain("openssl rand -hex 24")
  })
})

async function holdsEverything(folders: Folders, session: string, environment = {}) {
  const { out } = await run(folders, ["export"], { environment })
  expect(out).toContain(WORDS)
  expect(out).toContain('"type":"blob-data"')
  const listed = await run(folders, ["sessions", "--json"], { environment })
  expect(listed.out).toContain(session)
}

/** Two at a time: each is a process of its own. */
async function inPairs<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async () => {
    for (let at = next++; at < all.length; at = next++) results[at] = await work(all[at] as T)
  }
  await Promise.all([worker(), worker(), worker()])
  return results
}
