// What a released version left: a data folder and a dump of PostgreSQL, with what that version answered over
// HTTP. `COMPOSITOR_UNDER_TEST=<checkout of the release> COMPOSITOR_MAKE_RELEASE=<name> npm test --
// test/store/released.test.ts` makes them, once, when a schema is released.

import { execFileSync } from "node:child_process"
import { cp, mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import Database from "better-sqlite3"
import { ANTHROPIC, isToolResult, newestWords, startModel } from "../attacks/outside/model.ts"
import { type Server, startServer, until } from "../attacks/outside/product.ts"

export const RELEASES = join(import.meta.dirname, "fixtures")

/** Keep what the checkout under test leaves, under this name. */
export async function makeRelease(name: string, database: string) {
  const folder = join(RELEASES, name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const onFolder = await live()
  tidy(join(onFolder.data, "compositor.db"))
  for (const kept of ["compositor.db", "blobs"])
    await cp(join(onFolder.data, kept), join(folder, "data", kept), { recursive: true })
  await rm(join(folder, "data", "blobs", "tmp"), { recursive: true, force: true })
  await writeFile(join(folder, "sqlite.json"), `${JSON.stringify(onFolder.answers, null, 1)}\n`)
  const onPostgres = await live(["--store", database])
  const dump = execFileSync("pg_dump", ["--inserts", "--no-owner", "--no-privileges", database])
  const words = dump.toString().split("\n")
  // What only psql understands, and what only a newer PostgreSQL does.
  const plain = words.filter((line) => !/^\\|^SET transaction_timeout/.test(line))
  await writeFile(join(folder, "postgres.sql"), plain.join("\n"))
  await writeFile(join(folder, "postgres.json"), `${JSON.stringify(onPostgres.answers, null, 1)}\n`)
}

/** Sessions with every type of part, a queue, tools, a call that waits, a branch, a sidecar, an entity,
 *  triggers, a principal, a draft and a stashed one. */
async function live(words: readonly string[] = []) {
  const model = await startModel((body) => {
    const said = newestWords(body)
    if (isToolResult(body)) return "done"
    if (said.includes("read it")) return { calls: [{ name: "read", input: { path: "a.txt" } }] }
    if (said.includes("run it")) return { calls: [{ name: "bash", input: { command: "ls" } }] }
    return "Hello, reader of the future."
  })
  const server = await startServer({
    words,
    environment: model.environment,
    files: { "workspace/a.txt": "alpha\nbeta\ngamma\n", "workspace/AGENTS.md": "Be brief.\n" },
  })
  const session = await server.session(ANTHROPIC, { title: "A letter" })
  await speak(server, session, [
    { type: "text", text: "Say hello." },
    { type: "file-ref", ref: { kind: "path", path: "a.txt", range: { start: 1, end: 2 } } },
    attached("note.txt", "a note"),
    attached("long.txt", "a long note ".repeat(6000)),
    { type: "mention", target: { kind: "file", path: "a.txt" } },
    {
      type: "editor-context",
      kind: "selection",
      source: "editor",
      payload: { text: "chosen" },
      emitted_at: 1,
    },
    { type: "quote", session_id: session, message_id: "msg_none", text: "said before" },
    { type: "canvas-layer", layer: 7, text: "a part of a type that nobody knows" },
  ])
  await speak(server, session, "read it")
  await speak(server, session, "/search something")
  const branch = await server.post(`/v1/sessions/${session}/branch`, { title: "A branch" })
  const side = await server.post(`/v1/sessions/${session}/branch`, {
    title: "Sidecar",
    metadata: { ephemeral: true, sidecar: true },
  })
  await speak(server, side.json.session.id, "beside")
  await server.send(session, "Waiting.", { mode: "paused" })
  const draft = (source: string, base_revision: number) =>
    server.call("PUT", `/v1/sessions/${session}/draft`, { base_revision, draft: { source } })
  await draft("half a thou", 0)
  await draft("lost against it", 0)
  const calls = await server.session(ANTHROPIC, { title: "A call that waits" })
  await server.send(calls, "run it")
  await until(async () => {
    const { json } = await server.get(`/v1/sessions/${calls}`)
    return json.status.state === "waiting_on_approval"
  }, "the call waited")
  const at = Date.parse("2100-01-01")
  for (const source of [
    { source: "api" },
    { source: "webhook" },
    { source: "schedule", schedule: { kind: "at", at } },
  ])
    await server.post("/v1/triggers", { session_id: session, source, prompt: "Wake up." })
  await server.post("/v1/principals", { id: "user:ana", workspaces: [] })
  await server.post("/v1/principals/user:ana/tokens", { name: "token" })
  await server.call("PUT", "/v1/entities/assistant/ada", {})
  await server.call("PUT", "/v1/stream/kept", undefined, { "content-type": "application/json" })
  await server.call("POST", "/v1/stream/kept", [{ kept: true }])
  const sessions = [session, branch.json.session.id, side.json.session.id, calls]
  const answers = await readAll(server, sessions)
  await server.stop()
  return { data: server.folders.data, answers }
}

function attached(name: string, text: string) {
  const data = Buffer.from(text).toString("base64")
  return { type: "file-attachment", name, mime: "text/plain", data }
}

async function speak(server: Server, session: string, message: string | readonly object[]) {
  const { status, text } = await server.send(session, message)
  if (status !== 201) throw new Error(`${status} ${text}`)
  await server.settled(session)
}

/** What a server says of these sessions and of what stands beside them, by the path that was asked. */
export async function readAll(
  server: Server,
  sessions: readonly string[],
): Promise<Record<string, unknown>> {
  const paths = [
    ...sessions.flatMap((id) =>
      ["", "/messages?limit=500", "/queue", "/turns", "/draft", "/draft/stash"].map(
        (rest) => `/v1/sessions/${id}${rest}`,
      ),
    ),
    "/v1/triggers",
    "/v1/principals",
    "/v1/principals/user:ana/tokens",
    "/v1/entities/assistant/ada",
    "/v1/stream/kept",
  ]
  const answers: Record<string, unknown> = {}
  for (const path of paths) answers[path] = await answerOf(server, path)
  const listed = (await server.get("/v1/export")).text
  answers["/v1/export"] = listed.trim().split("\n").length
  return answers
}

async function answerOf(server: Server, path: string): Promise<unknown> {
  const { status, json, text } = await server.get(path)
  return { status, body: json ?? text }
}

/** One small file, and nothing of the machine that made it. */
function tidy(path: string) {
  const database = new Database(path)
  database.exec("DELETE FROM audit")
  database.pragma("journal_mode = DELETE")
  database.pragma("page_size = 1024")
  database.exec("VACUUM")
  database.close()
}
