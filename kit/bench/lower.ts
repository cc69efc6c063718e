import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { writeBody } from "../../packages/engine/providers/write-body.ts"
import { Child } from "./child.ts"
import { median, sized, table, times } from "./figures.ts"
import { type Cold, coldGates, measureCold, OURS, showCold, written } from "./lower-cold.ts"
import { atMost, type Gate, processorTime } from "./lower-figures.ts"
import { rowsOf, talk } from "./lower-histories.ts"
import { Ours } from "./lower-ours.ts"
import { openPeers } from "./lower-peers.ts"
import { describeMachine, noise } from "./machine.ts"
import { MemoryBlobs } from "./memory-blobs.ts"

const MESSAGES = 1000
const LONG_HISTORY = sized(10_000, 2000)
const IMAGES = 100
const MEGABYTE = 1024 * 1024
const GIGABYTE_OF_IMAGES = sized(1024, 128)

/** What a prompt costs from stored rows to a request: beside `JSON.stringify` of the same body and
 *  two libraries that do the same, in one run; what one more message costs; and how much memory a
 *  request needs. True if every limit holds. */
export async function benchLower({ json }: { json: boolean }): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-bench-"))
  try {
    const before = noise()
    const peers = await openPeers()
    const cold = await measureCold(peers)
    const append = await measureAppend()
    const memory = await measureMemory(folder)
    const gates = [...coldGates(cold, peers), ...appendGates(append, cold), ...memoryGates(memory)]
    const machine = describeMachine(folder)
    const report = { machine, before, after: noise(), cold, append, memory, gates }
    console.log(json ? JSON.stringify(report, null, 2) : show(cold, gates))
    return gates.every(({ passed }) => passed)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

// One more message

interface Append {
  readonly first_byte: number
  readonly first_byte_long: number
  readonly whole: number
  readonly whole_long: number
  readonly cold_long: number
}

const APPENDS = sized(400, 50)

async function measureAppend(): Promise<Append> {
  const ours = new Ours(new MemoryBlobs())
  const [short, long] = [rowsOf(talk(MESSAGES)), rowsOf(talk(LONG_HISTORY))]
  const [brief, full] = [await ours.history(short), await ours.history(long)]
  const [row] = rowsOf(talk(1))
  if (!row) throw new Error("there is no message to append")
  const first = (history: typeof brief) => async () => {
    for await (const _ of writeBody(await ours.append(history, row), neverOpened)) return
  }
  const whole = (history: typeof brief) => async () =>
    written(await ours.append(history, row), neverOpened)
  const works = [first(brief), first(full), whole(brief), whole(full)]
  const figures = works.map((): number[] => [])
  for (let round = 0; round < 12; round++)
    for (const [at, work] of works.entries()) {
      const spent = await processorTime(async () => {
        for (let time = 0; time < APPENDS; time++) await work()
      })
      if (round >= 3) figures[at]?.push(spent / APPENDS)
    }
  const cold: number[] = []
  for (let round = 0; round < 5; round++) cold.push(await processorTime(() => ours.cold(long)))
  const [first_byte = 0, first_byte_long = 0, whole_short = 0, whole_long = 0] = figures.map(median)
  return { first_byte, first_byte_long, whole: whole_short, whole_long, cold_long: median(cold) }
}

function neverOpened(): never {
  throw new Error("there is no medium in it")
}

// Memory, in processes of their own

interface Memory {
  readonly hundred: Grown
  readonly gigabyte: Grown
}

interface Grown {
  readonly body_bytes: number
  /** Resident bytes at the most, above those before the request. */
  readonly grown_bytes: number
}

async function measureMemory(folder: string): Promise<Memory> {
  return {
    hundred: await grown(folder, IMAGES),
    gigabyte: await grown(folder, GIGABYTE_OF_IMAGES),
  }
}

async function grown(folder: string, images: number): Promise<Grown> {
  const child = await Child.start("lower-memory.ts", { folder, images })
  try {
    return await child.ask<Grown>({})
  } finally {
    await child.stop()
  }
}

// What must hold

const MOST_TO_FIRST_BYTE = 1.5
const MOST_OF_COLD = 0.05

function appendGates(append: Append, [text]: readonly Cold[]): Gate[] {
  const { first_byte, first_byte_long, whole, whole_long, cold_long } = append
  const cold = text?.spent[OURS] ?? Number.NaN
  return [
    atMost(
      `first byte at 10,000 messages at most ${times(MOST_TO_FIRST_BYTE)} that at 1,000`,
      first_byte_long / first_byte,
      MOST_TO_FIRST_BYTE,
    ),
    atMost("one more at 1,000: at most 0.05x cold", whole / cold, MOST_OF_COLD),
    atMost("one more at 10,000: at most 0.05x cold", whole_long / cold_long, MOST_OF_COLD),
  ]
}

const MOST_OF_A_BODY = 1.3
const MOST_BYTES_OF_A_GIGABYTE = 128 * MEGABYTE

function memoryGates({ hundred, gigabyte }: Memory): Gate[] {
  const share = hundred.grown_bytes / hundred.body_bytes
  return [
    atMost(`100 MB of images: at most ${times(MOST_OF_A_BODY)} the body`, share, MOST_OF_A_BODY),
    {
      says: "1 GB of images: at most 128 MB",
      figure: `${Math.round(gigabyte.grown_bytes / MEGABYTE)} MB`,
      passed: gigabyte.grown_bytes <= MOST_BYTES_OF_A_GIGABYTE,
    },
  ]
}

function show(cold: readonly Cold[], gates: readonly Gate[]): string {
  const lines = gates.map(({ says, figure, passed }) => [says, figure, passed ? "pass" : "FAIL"])
  return [showCold(cold), table(["must hold", "figure", "gate"], lines)].join("\n\n")
}
