import { execFileSync } from "node:child_process"
import { randomFillSync } from "node:crypto"
import { mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Child } from "./child.ts"
import { median, sized } from "./figures.ts"
import type { Ingested } from "./ingest-process.ts"

/** One line of the report. */
export interface IngestRow {
  readonly what: string
  readonly figure: string
  readonly ratio: number | null
  readonly to: string
  readonly gate: { readonly wanted: string; readonly passed: boolean } | null
}

const FILE_BYTES = sized(1024, 64) * 1024 * 1024
const BLOCK_BYTES = 8 * 1024 * 1024
const ROUNDS = sized(5, 2)
const MAX_RATIO = 1.3
const MAX_RSS_GROWTH = 64 * 1024 * 1024

/** What it costs to take a gigabyte in, hashed and on the disk, beside a copy and a hash of the same
 *  file by the system's own programs, taken in turns. */
export async function ingestRows(): Promise<IngestRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-ingest-"))
  try {
    const file = join(folder, "file")
    await makeFile(file)
    return rowsOf(await measure(folder, file))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function makeFile(path: string) {
  const handle = await open(path, "wx")
  const block = Buffer.alloc(BLOCK_BYTES)
  for (let size = 0; size < FILE_BYTES; size += BLOCK_BYTES)
    await handle.writeFile(randomFillSync(block))
  await handle.close()
}

interface Round {
  readonly peer_ms: number
  readonly ms: number
  readonly rss_growth: number
}

async function measure(folder: string, file: string): Promise<Round[]> {
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const peer = copyAndHash(file, join(folder, "copy"))
    // A process of its own each time: the memory of one round is not the next one's start.
    const child = await Child.start("ingest-process.ts", { folder: join(folder, "blobs") })
    const ours = await child.ask<Ingested>({ file })
    await child.stop()
    if (ours.content_id !== `sha256:${peer.digest}`)
      throw new Error(`the hash is ${ours.content_id}, and should be ${peer.digest}`)
    await rm(join(folder, "copy"))
    rounds.push({ peer_ms: peer.ms, ms: ours.ms, rss_growth: ours.rss_growth })
  }
  return rounds
}

function copyAndHash(file: string, copy: string) {
  const began = performance.now()
  execFileSync("cp", [file, copy])
  const said = execFileSync("sha256sum", [copy]).toString()
  return { ms: performance.now() - began, digest: said.split(" ", 1)[0] ?? "" }
}

function rowsOf(rounds: readonly Round[]): IngestRow[] {
  const ratio = median(rounds.map(({ ms, peer_ms }) => ms / peer_ms))
  const growth = Math.max(...rounds.map(({ rss_growth }) => rss_growth))
  const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`
  const seconds = (values: readonly number[]) => `${(median(values) / 1000).toFixed(2)} s`
  return [
    {
      what: "1 GB copied and hashed: cp + sha256sum",
      figure: seconds(rounds.map(({ peer_ms }) => peer_ms)),
      ratio: null,
      to: "",
      gate: null,
    },
    {
      what: "1 GB into the blob store, hashed and synced",
      figure: seconds(rounds.map(({ ms }) => ms)),
      ratio,
      to: "cp + sha256sum",
      gate: { wanted: `≤ ${MAX_RATIO}x`, passed: ratio <= MAX_RATIO },
    },
    {
      what: "  memory that came with it, at most",
      figure: megabytes(growth),
      ratio: null,
      to: "",
      gate: { wanted: `≤ ${megabytes(MAX_RSS_GROWTH)}`, passed: growth <= MAX_RSS_GROWTH },
    },
  ]
}
