import { statfsSync } from "node:fs"
import { cpus, loadavg, totalmem } from "node:os"

export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memory_gib: number
  readonly node: string
  readonly disk: string
}

/** What the figures were measured on: without it they mean nothing. */
export function describeMachine(folder: string): Machine {
  const processors = cpus()
  return {
    processor: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    disk: `${folder} on ${fileSystemOf(folder)}`,
  }
}

const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  0xef53: "ext4",
  0x01021994: "tmpfs (nothing here is durable: set TMPDIR to a disk)",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0x794c7630: "overlayfs",
}

function fileSystemOf(folder: string): string {
  const { type } = statfsSync(folder)
  return FILE_SYSTEMS[type] ?? `file system 0x${type.toString(16)}`
}

export interface Noise {
  readonly load: number
  readonly spin_ms: number
}

/** How busy the machine is now. The spin loop takes the same work every time, so what differs
 *  between two runs is the machine. */
export function noise(): Noise {
  const [load = 0] = loadavg()
  return { load, spin_ms: spin() }
}

const SPINS = 1_000_000
const TIMES = 200

// The first half is there to be compiled.
function spin(): number {
  for (let time = 0; time < TIMES; time++) count(SPINS)
  const began = performance.now()
  for (let time = 0; time < TIMES; time++) count(SPINS)
  return performance.now() - began
}

function count(spins: number): number {
  let sum = 0
  for (let at = 0; at < spins; at++) sum = (sum + at) | 0
  return sum
}
