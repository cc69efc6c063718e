// Writes the small database that a released schema leaves behind, for every later version to open:
//   node test/store/make-fixture.ts
// Run it once, when the schema is released; from then on neither it nor the migration changes.

import type { Part } from "../../packages/core/parts/table.ts"
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"
import { type Host, openHost } from "../../packages/engine/host/host.ts"
import { newId } from "../../packages/core/message/id.ts"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { MIGRATIONS } from "../../packages/engine/store/sql/schema.ts"

const FIXTURES = join(import.meta.dirname, "fixtures")

const data = await mkdtemp(join(tmpdir(), "compositor-fixture-"))
const file = join(data, "compositor.db")
const model = scriptedProvider([{ text: "Hello, reader " }, { text: "of the future." }])
const host = await openHost({
  data,
  workspace: null,
  environment: {},
  providers: new Map([["scripted", model]]),
})
await write(host)
await host.close()
tidy(file)
await mkdir(FIXTURES, { recursive: true })
await copyFile(file, join(FIXTURES, `schema-${MIGRATIONS.length}.db`))
await rm(data, { recursive: true })

async function write({ store }: Host) {
  const id = newId("ses")
  await store.createSession({
    id,
    agent: "assistant",
    title: "A letter",
    workspace_root: null,
    model: { provider_id: "scripted", model_id: "scripted" },
    metadata: {},
  })
  await say(id, [
    { type: "text", text: "Say hello." },
    {
      type: "file-attachment",
      name: "note.txt",
      mime: "text/plain",
      data: Buffer.from("a note").toString("base64"),
    },
  ])
  await host.idle()
  const about = { from_message_id: null, title: "A branch", metadata: {} }
  await store.branch({ id: newId("ses"), parent_id: id, ...about })
  await say(id, [{ type: "text", text: "Waiting." }], "paused")
}

async function say(
  session_id: string,
  parts: readonly Part[],
  mode: "immediate" | "paused" = "immediate",
) {
  const { message } = await host.submit({ session_id, parts, mode })
  if (!message) throw new Error("the message left no row")
  return message
}

/** Nothing of the machine that made it, and nothing beside the one file. */
function tidy(path: string) {
  const database = new Database(path)
  database.exec("UPDATE turns SET owner = 'elsewhere|boot|1|1'")
  database.pragma("journal_mode = DELETE")
  database.pragma("page_size = 1024")
  database.exec("VACUUM")
  database.close()
}
