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

const SPINS = 100_000_000

function spin(): number {
  const began = performance.now()
  let sum = 0
  for (let at = 0; at < SPINS; at++) sum = (sum + at) | 0
  if (sum === 1) throw new Error("the loop was not run")
  return performance.now() - began
}
