import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { request } from "node:http"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import { Child } from "./child.ts"
import { sized, table } from "./figures.ts"
import { describeMachine, type Machine, type Noise, noise } from "./machine.ts"
import type { MemoryAnswer, MemoryServerInput } from "./memory-server.ts"
import { longSession } from "./memory-history.ts"

const MEGABYTE = 1024 * 1024
const UPLOAD_BYTES = sized(300, 100) * MEGABYTE
const CHUNK_BYTES = 256 * 1024
const HISTORY_BYTES = sized(200, 50) * MEGABYTE
const READERS = sized(10_000, 2000)
const AT_ONCE = 200
const SETTLE_MS = 2000

const UPLOAD_GATE_MB = 150
const HISTORY_GATE_MB = 150
const READERS_GATE_MB = 300

/** How much memory a server takes on for an upload, a long history and readers who only wait, each on a
 *  server of its own. True if all gates hold. */
export async function benchMemory({ json }: { json: boolean }): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-bench-"))
  try {
    const report = await measure(folder)
    console.log(json ? JSON.stringify(report, null, 2) : show(report))
    return report.rows.every(({ gate }) => gate?.passed !== false)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Report {
  readonly machine: Machine
  readonly before: Noise
  readonly after: Noise
  readonly rows: readonly Row[]
}

interface Row {
  readonly what: string
  readonly start_mb: number
  readonly growth_mb: number
  readonly gate: { readonly wanted: string; readonly passed: boolean } | null
}

async function measure(folder: string): Promise<Report> {
  const machine = describeMachine(folder)
  const before = noise()
  const rows = [
    await uploadToDisk(folder),
    await uploadToBucket(folder),
    ...(await readHistory(folder)),
    await idleReaders(folder),
  ]
  return { machine, before, after: noise(), rows }
}

async function uploadToDisk(folder: string): Promise<Row> {
  const what = `an upload of ${UPLOAD_BYTES / MEGABYTE} MB, to disk`
  return grown(what, UPLOAD_GATE_MB, { data: join(folder, "disk") }, upload)
}

async function uploadToBucket(folder: string): Promise<Row> {
  const bucket = await Child.start("memory-bucket.ts", { directory: join(folder, "bucket") })
  const { endpoint } = await bucket.ask<{ endpoint: string }>({})
  const input = {
    data: join(folder, "far"),
    blobs: `s3://memory/blobs?endpoint=${endpoint}`,
    keys: { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" },
  }
  const what = `an upload of ${UPLOAD_BYTES / MEGABYTE} MB, to S3`
  try {
    return await grown(what, UPLOAD_GATE_MB, input, upload)
  } finally {
    await bucket.stop()
  }
}

/** Bytes that come without their length, none of them twice. */
async function upload({ url, token }: MemoryAnswer) {
  const headers = { authorization: `Bearer ${token}` }
  const sent = request(`${url}/v1/blobs?name=large.bin`, { method: "POST", headers })
  const answered = once(sent, "response")
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let at = 0; at < UPLOAD_BYTES; at += CHUNK_BYTES) {
    chunk.writeUInt32BE(at / CHUNK_BYTES)
    if (!sent.write(Buffer.from(chunk))) await once(sent, "drain")
  }
  sent.end()
  const [response] = await answered
  response.resume()
  if (response.statusCode !== 201) throw new Error(`the upload was answered ${response.statusCode}`)
}

async function readHistory(folder: string): Promise<Row[]> {
  const data = join(folder, "history")
  const store = await openSqliteStore({ file: await databaseIn(data), thread: false })
  const session = await longSession(store, HISTORY_BYTES)
  await store.close()
  const size = `${HISTORY_BYTES / MEGABYTE} MB`
  return [
    await grown(`a history of ${size}, read page by page`, HISTORY_GATE_MB, { data }, (server) =>
      pages(server, session),
    ),
    await grown(`a history of ${size}, exported`, HISTORY_GATE_MB, { data }, (server) =>
      read(server, `/v1/export?session=${session}`),
    ),
    await grown(
      `a history of ${size}, opened at its last page`,
      HISTORY_GATE_MB,
      { data },
      (server) => read(server, `/v1/sessions/${session}/messages?limit=50`),
    ),
  ]
}

async function databaseIn(data: string): Promise<string> {
  const { mkdir } = await import("node:fs/promises")
  await mkdir(data, { recursive: true, mode: 0o700 })
  return join(data, "compositor.db")
}

async function pages(server: MemoryAnswer, session: string) {
  let before = ""
  do {
    const text = await read(server, `/v1/sessions/${session}/messages?limit=100${before}`)
    const { next } = JSON.parse(text) as { next: string | null }
    before = next === null ? "" : `&before=${encodeURIComponent(next)}`
  } while (before !== "")
}

// All of it is read, and only a page of it is kept.
async function read({ url, token }: MemoryAnswer, path: string): Promise<string> {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
  if (!path.startsWith("/v1/export")) return answer.text()
  for await (const _ of answer.body ?? []);
  return ""
}

async function idleReaders(folder: string): Promise<Row> {
  const sockets: Socket[] = []
  const input = { data: join(folder, "readers") }
  const what = `${READERS.toLocaleString("en")} readers of a stream who wait`
  const row = await grown(what, READERS_GATE_MB, input, async (server) => {
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" }
    await fetch(`${server.url}/v1/stream/idle`, { method: "PUT", headers })
    while (sockets.length < READERS) {
      const some = Array.from({ length: AT_ONCE }, () => waiting(server))
      sockets.push(...(await Promise.all(some)))
    }
    await pause(SETTLE_MS)
  })
  for (const socket of sockets) socket.destroy()
  return row
}

/** A reader, once its first event has come. */
async function waiting({ url, token }: MemoryAnswer): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(
    [
      "GET /v1/stream/idle?offset=-1&live=sse HTTP/1.1",
      `host: ${hostname}:${port}`,
      `authorization: Bearer ${token}`,
      "\r\n",
    ].join("\r\n"),
  )
  socket.on("error", () => undefined)
  const [answer] = await once(socket, "data")
  if (!String(answer).startsWith("HTTP/1.1 200")) throw new Error(`a reader got ${String(answer)}`)
  return socket
}

async function grown(
  what: string,
  gate_mb: number,
  input: MemoryServerInput,
  work: (server: MemoryAnswer) => Promise<unknown>,
): Promise<Row> {
  const child = await Child.start("memory-server.ts", input)
  try {
    const server = await child.ask<MemoryAnswer>({ type: "begin" })
    await work(server)
    const { most } = await child.ask<MemoryAnswer>({ type: "look" })
    const growth_mb = (most - server.rss) / MEGABYTE
    const gate = { wanted: `≤ ${gate_mb} MB`, passed: growth_mb <= gate_mb }
    return { what, start_mb: server.rss / MEGABYTE, growth_mb, gate }
  } finally {
    await child.stop()
  }
}

function show({ machine, before, after, rows }: Report): string {
  const { processor, cores, memory_gib, node, disk } = machine
  const told = rows.map(({ what, start_mb, growth_mb, gate }) => [
    what,
    `${start_mb.toFixed(0)} MB`,
    `+${growth_mb.toFixed(0)} MB`,
    gate ? `${gate.wanted}: ${gate.passed ? "yes" : "NO"}` : "",
  ])
  return [
    `${processor}, ${cores} cores, ${memory_gib} GiB, node ${node}, ${disk}`,
    `load ${before.load.toFixed(1)} before, ${after.load.toFixed(1)} after`,
    "",
    table(["a server's memory", "at first", "at most", "gate"], told),
  ].join("\n")
}
