import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { statfsSync } from "node:fs"
import { cpus, loadavg, release, totalmem } from "node:os"

export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memory_gib: number
  readonly node: string
  readonly kernel: string
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
    kernel: release(),
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

/** One line of it. */
export function showMachine(machine: Machine): string {
  const { processor, cores, memory_gib, node, kernel, disk } = machine
  return `${processor}, ${cores} cores, ${memory_gib} GiB; Node ${node}; Linux ${kernel}; ${disk}`
}

// Pages are no part of what is measured, and change while it is.
const MEASURED = [":/", ":(top,exclude)docs", ":(top,exclude)*.md"]

/** The commit that is checked out, with a plus where what is measured differs from it. */
export function describeCommit(folder: string = import.meta.dirname): string {
  const isClean =
    git(folder, "status", "--porcelain", "--untracked-files=no", "--", ...MEASURED) === ""
  const commit = nameOfCommit("HEAD", folder)
  return isClean ? commit : `${commit}+`
}

export function nameOfCommit(reference: string, folder: string): string {
  return git(folder, "rev-parse", "--short=12", reference) || "unknown"
}

function git(folder: string, ...args: string[]): string {
  return spawnSync("git", args, { cwd: folder, encoding: "utf8" }).stdout?.trim() ?? ""
}

export interface Noise {
  readonly load: number
  readonly spin_ms: number
}

/** How busy the machine is now. The spin is the same work every time, so what differs between two
 *  runs is the machine. */
export function noise(): Noise {
  const [load = 0] = loadavg()
  return { load, spin_ms: spin() }
}

const SPIN_BYTES = 64 * 1024 * 1024

// Not a loop of our own: how soon the compiler finds it worth its while differs by a factor of ten.
function spin(): number {
  const bytes = Buffer.alloc(SPIN_BYTES)
  const began = performance.now()
  createHash("sha256").update(bytes).digest()
  return performance.now() - began
}
