import { readdir, readFile } from "node:fs/promises"

export interface MemoryWatch {
  /** The most that was seen, in bytes. */
  readonly peak: () => number
  readonly end: () => void
}

interface MemoryBound {
  /** For the process and all that it started, together. */
  readonly bytes: number
  readonly every_ms: number
  /** Called once, when they have more. */
  readonly exceeded: () => void
}

/** Watch what a process and everything below it hold in memory, as a sum: a limit of the kernel's is
 *  for each process alone. What none of them has mapped is not seen. */
export function watchMemory(pid: number | undefined, bound: MemoryBound): MemoryWatch {
  let peak = 0
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    const held = pid === undefined ? 0 : await heldBy(pid, bound.bytes)
    peak = Math.max(peak, held)
    if (isOver) return
    if (held > bound.bytes) bound.exceeded()
    else timer = setTimeout(() => void look(), bound.every_ms)
  }
  timer = setTimeout(() => void look(), bound.every_ms)
  return {
    peak: () => peak,
    end: () => {
      isOver = true
      clearTimeout(timer)
    },
  }
}

/** Resident pages are quick to ask for and count what is shared once for each. Only where that is too
 *  much are the shares counted. */
async function heldBy(pid: number, bytes: number): Promise<number> {
  const pids = await familyOf(pid)
  const resident = sum(await Promise.all(pids.map((one) => residentOf(one))))
  return resident <= bytes ? resident : sum(await Promise.all(pids.map((one) => shareOf(one))))
}

async function familyOf(pid: number): Promise<number[]> {
  const family = [pid]
  // The list grows as it is walked.
  for (const one of family) family.push(...(await childrenOf(one)))
  return family
}

/** Every thread has children of its own. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = threads.map((thread) => textOf(`/proc/${pid}/task/${thread}/children`))
  return (await Promise.all(lists)).flatMap((list) => list.split(" ").filter(Boolean).map(Number))
}

const PAGE_BYTES = 4096

async function residentOf(pid: number): Promise<number> {
  return Number((await textOf(`/proc/${pid}/statm`)).split(" ")[1] ?? 0) * PAGE_BYTES
}

async function shareOf(pid: number): Promise<number> {
  const told = /^Pss:\s*(\d+) kB/m.exec(await textOf(`/proc/${pid}/smaps_rollup`))?.[1]
  return told === undefined ? residentOf(pid) : Number(told) * 1024
}

function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "")
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
