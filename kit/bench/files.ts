import { spawnSync } from "node:child_process"
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { extractArchive } from "../../packages/files/archives/archive.ts"
import { largeZip, smallFilesZip } from "./archive-inputs.ts"
import { median, table, times } from "./figures.ts"
import { type IngestRow, ingestRows } from "./files-ingest.ts"
import { describeMachine, noise } from "./machine.ts"

const GIGABYTE = 1024 ** 3
const LIMITS = { bytes: 2 * GIGABYTE, files: 20_000, milliseconds: 600_000 }

interface Input {
  readonly what: string
  readonly make: (path: string) => Promise<void>
  readonly rounds: number
  /** Times the faster peer. */
  readonly most: number
  /** What was extracted stays until the last round. ext4 without a journal does not give a deleted
   *  inode away for a minute or five, and looks at each of them whenever it wants a new one: ten
   *  thousand that the round before removed cost whoever comes next seconds. */
  readonly kept: boolean
}

const INPUTS: readonly Input[] = [
  { what: "10,000 small files", make: smallFilesZip(10_000), rounds: 9, most: 1.6, kept: true },
  { what: "one file of 1 GB", make: largeZip(GIGABYTE), rounds: 3, most: 1.0, kept: false },
]

interface Peer {
  readonly name: string
  readonly package: string
  readonly arguments: (archive: string, to: string) => readonly string[]
}

const PEERS: readonly Peer[] = [
  { name: "unzip", package: "unzip", arguments: (archive, to) => ["-q", archive, "-d", to] },
  {
    name: "bsdtar",
    package: "libarchive-tools",
    arguments: (archive, to) => ["-xf", archive, "-C", to],
  },
]

/** What taking files in and extracting archives costs beside the tools of the trade, in one run. True
 *  if all gates hold. */
export async function benchFiles({ json }: { json: boolean }): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-bench-files-"))
  try {
    const machine = describeMachine(folder)
    const before = noise()
    const rows = [...(await extractionRows(folder)), ...(await ingestRows())]
    const report = { machine, before, after: noise(), rows }
    console.log(json ? JSON.stringify(report, null, 2) : show(report))
    return rows.every(({ gate }) => gate === null || gate.passed)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function extractionRows(folder: string): Promise<IngestRow[]> {
  const peers = PEERS.filter(isInstalled)
  const missing = PEERS.filter((peer) => !peers.includes(peer))
  const rows: IngestRow[] = missing.map((peer) => ({
    what: peer.name,
    figure: "is missing",
    ratio: null,
    to: `apt-get install ${peer.package}`,
    gate: { wanted: "to be held against it", passed: false },
  }))
  for (const input of INPUTS) rows.push(await extractionRow(input, peers, folder))
  return rows
}

function isInstalled({ name }: Peer): boolean {
  return spawnSync(name, ["--help"], { stdio: "ignore" }).error === undefined
}

async function extractionRow(
  input: Input,
  peers: readonly Peer[],
  folder: string,
): Promise<IngestRow> {
  const archive = join(folder, "archive.zip")
  await input.make(archive)
  const rounds = await mkdtemp(join(folder, "rounds-"))
  const contenders = [ours(archive), ...peers.map((peer) => theirs(peer, archive))]
  const figures = contenders.map((): number[] => [])
  for (let round = 0; round < input.rounds; round++)
    // Whoever goes first writes into a disk that is still busy: they take turns at that, too.
    for (let turn = 0; turn < contenders.length; turn++) {
      const at = (round + turn) % contenders.length
      const contender = contenders[at]
      const to = join(rounds, `${round}-${at}`)
      if (contender) figures[at]?.push(await timed(contender, to))
      if (!input.kept) await rm(to, { recursive: true })
    }
  const [mine = Number.NaN, ...others] = figures.map(median)
  const ratio = mine / Math.min(...others)
  return {
    what: `extract ${input.what}`,
    figure: shown(figures[0] ?? []),
    ratio,
    to: peers.map(({ name }, at) => `${name} ${shown(figures[at + 1] ?? [])}`).join(", "),
    gate: { wanted: `≤ ${times(input.most)} the faster`, passed: ratio <= input.most },
  }
}

function shown(figures: readonly number[]): string {
  return `${seconds(median(figures))} (best ${seconds(Math.min(...figures))})`
}

type Contender = (to: string) => Promise<void>

function ours(archive: string): Contender {
  return async (to) => {
    const result = await extractArchive({ path: archive }, { to, limits: LIMITS })
    if (result.type !== "extracted") throw new Error(JSON.stringify(result))
  }
}

function theirs(peer: Peer, archive: string): Contender {
  return async (to) => {
    const { status } = spawnSync(peer.name, peer.arguments(archive, to), { stdio: "ignore" })
    if (status !== 0) throw new Error(`${peer.name} ended with ${status}`)
  }
}

/** What is written to the disk by the one before is not left for the next to wait for. */
async function timed(contender: Contender, to: string): Promise<number> {
  await mkdir(to)
  spawnSync("sync")
  const began = performance.now()
  await contender(to)
  const took = performance.now() - began
  if ((await readdir(to)).length === 0) throw new Error("nothing was extracted")
  return took
}

type Noise = ReturnType<typeof noise>

interface Report {
  readonly machine: ReturnType<typeof describeMachine>
  readonly before: Noise
  readonly after: Noise
  readonly rows: readonly IngestRow[]
}

function show({ machine, before, after, rows }: Report): string {
  const { processor, cores, memory_gib, node, disk } = machine
  const lines = rows.map(({ what, figure, ratio, to, gate }) => [
    what,
    figure,
    ratio === null ? "" : times(ratio),
    to,
    gate === null ? "" : `${gate.passed ? "pass" : "FAIL"} ${gate.wanted}`,
  ])
  return [
    `${processor}, ${cores} cores, ${memory_gib} GiB, Node ${node}, ${disk}`,
    `before: ${showNoise(before)}; after: ${showNoise(after)}`,
    "Wall time of the middle round, taken in turns with the peers on the same disk. Gates: small files at most 1.6x the faster peer, one large file at most 1.0x.",
    "",
    table(["files", "ours", "ratio", "beside", "gate"], lines),
  ].join("\n")
}

function showNoise({ load, spin_ms }: Noise): string {
  return `load ${load.toFixed(2)}, spin loop ${spin_ms.toFixed(0)} ms`
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(3)} s`
}
