import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { newId } from "../../packages/core/message/id.ts"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import type { ExportRow, Store } from "../../packages/engine/store/store.ts"
import { median, milliseconds, sized, table, times } from "./figures.ts"

const SHORT = 10
const LONG = sized(100_000, 5000)
const ROUNDS = sized(300, 50)
const IMPORTED_AT_ONCE = 20_000
/** How much dearer a branch of a long session may be: the noise of a disk. */
const MAX_RATIO = 1.25

/** What branching costs, from a session of ten messages and from one of a hundred thousand, one after
 *  the other in the same folder; and what opening the branch's last page costs. */
export async function benchBranch({ json }: { json: boolean }): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-bench-"))
  const store = await openSqliteStore({ file: join(folder, "compositor.db"), thread: true })
  try {
    const sessions = [await sessionOf(store, SHORT), await sessionOf(store, LONG)] as const
    const [branched, opened] = await measure(store, sessions)
    const rows = [rowOf("branch", branched), rowOf("a branch's last page", opened)]
    console.log(json ? JSON.stringify(rows, null, 2) : show(rows))
    return rows.every(({ passed }) => passed)
  } finally {
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Pair {
  readonly short: readonly number[]
  readonly long: readonly number[]
}

async function measure(store: Store, [short, long]: readonly [string, string]) {
  const branched = { short: [] as number[], long: [] as number[] }
  const opened = { short: [] as number[], long: [] as number[] }
  const once = async (parent: string, kind: keyof Pair) => {
    const id = newId("ses")
    branched[kind].push(await timed(() => store.branch(branchOf(parent, id))))
    opened[kind].push(await timed(() => store.history(id, { limit: 50 })))
  }
  // By turns, so that whatever else the machine does falls on both.
  for (let round = 0; round < ROUNDS; round++) {
    await once(short, "short")
    await once(long, "long")
  }
  return [branched, opened] as const
}

function branchOf(parent_id: string, id: string) {
  return { id, parent_id, from_message_id: null, title: null, metadata: {} }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

interface Row {
  readonly what: string
  readonly short_ms: number
  readonly long_ms: number
  readonly ratio: number
  readonly passed: boolean
}

function rowOf(what: string, { short, long }: Pair): Row {
  const [short_ms, long_ms] = [median(short), median(long)]
  // A page holds fifty messages, or all that a short session has.
  const isBranch = what === "branch"
  const ratio = long_ms / short_ms
  return { what, short_ms, long_ms, ratio, passed: !isBranch || ratio <= MAX_RATIO }
}

function show(rows: readonly Row[]): string {
  return table(
    ["branch", `of ${SHORT}`, `of ${LONG}`, "ratio", "gate"],
    rows.map(({ what, short_ms, long_ms, ratio, passed }) => [
      what,
      milliseconds(short_ms),
      milliseconds(long_ms),
      times(ratio),
      what === "branch" ? `<= ${times(MAX_RATIO)} ${passed ? "ok" : "FAILED"}` : "",
    ]),
  )
}

/** A session of so many messages that were said, written as an import writes them. */
async function sessionOf(store: Store, count: number): Promise<string> {
  const id = newId("ses")
  const model = { provider_id: "scripted", model_id: "scripted" }
  const about = { agent: "assistant", title: null, workspace_root: null, metadata: {} }
  await store.createSession({ id, model, ...about })
  const rows = messagesOf(id, count)
  const session = await sessionRow(store, id)
  await store.deleteSession({ session_id: id, cascade: false })
  const data = { ...session.data, next_seq: count + 1 }
  await store.importRows({ rows: [{ type: "session", data }] })
  for (let at = 0; at < rows.length; at += IMPORTED_AT_ONCE)
    await store.importRows({ rows: rows.slice(at, at + IMPORTED_AT_ONCE) })
  return id
}

async function sessionRow(store: Store, id: string): Promise<ExportRow> {
  for await (const row of store.exportRows(id)) if (row.type === "session") return row
  throw new Error(`session ${id} is not there`)
}

function messagesOf(session_id: string, count: number): ExportRow[] {
  return Array.from({ length: count }, (_, at): ExportRow[] => {
    const [id, part] = [newId("msg"), newId("prt")]
    const when = { created_at: at, updated_at: at }
    const role = at % 2 === 0 ? "user" : "assistant"
    const message = { id, session_id, role, metadata_json: "{}", state: "fired", seq: at + 1 }
    const data_json = JSON.stringify({ type: "text", text: `message ${at}` })
    const about = { id: part, message_id: id, session_id, index: 0, type: "text", data_json }
    return [
      { type: "message", data: { ...message, ...when } },
      { type: "part", data: { ...about, ...when } },
    ]
  }).flat()
}
