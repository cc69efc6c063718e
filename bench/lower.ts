import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Media } from "../src/model/prompt.ts"
import type { Body } from "../src/provider/provider.ts"
import { fragmentText, writeBody } from "../src/provider/wire.ts"
import { Child } from "./child.ts"
import { median, milliseconds, table, times } from "./figures.ts"
import { pictureBytes, pictures, rowsOf, type Said, talk, work } from "./lower-histories.ts"
import { Ours } from "./lower-ours.ts"
import { openPeers, type Peer, sentBy } from "./lower-peers.ts"
import { describeMachine, noise } from "./machine.ts"
import { MemoryBlobs } from "./memory-blobs.ts"

const MESSAGES = 1000
const LONG_HISTORY = 10_000
const IMAGES = 100
const MEGABYTE = 1024 * 1024
const GIGABYTE_OF_IMAGES = 1024

/** What a prompt costs from stored rows to a request: beside `JSON.stringify` of the same body and
 *  two libraries that do the same, in one run; what one more message costs; and how much memory a
 *  request needs. True if every limit holds. */
export async function benchLower({ json }: { json: boolean }): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-bench-"))
  try {
    const before = noise()
    const cold = await measureCold(await openPeers())
    const append = await measureAppend()
    const memory = await measureMemory(folder)
    const gates = [...coldGates(cold), ...appendGates(append, cold), ...memoryGates(memory)]
    const machine = describeMachine(folder)
    const report = { machine, before, after: noise(), cold, append, memory, gates }
    console.log(json ? JSON.stringify(report, null, 2) : show(cold, gates))
    return gates.every(({ passed }) => passed)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

// From what is stored to a request: text from its rows, as after a restart; images from memory

interface Cold {
  readonly name: string
  readonly most: number
  readonly body_bytes: number
  /** Processor time in milliseconds, by who spent it. */
  readonly spent: Readonly<Record<string, number>>
  /** Ours by that of each other, the middle of the rounds. */
  readonly ratios: Readonly<Record<string, number>>
}

interface Case {
  readonly name: string
  readonly history: readonly Said[]
  /** Times `JSON.stringify`, at most. */
  readonly most: number
  readonly warm_ups: number
  readonly rounds: number
  /** Times in a row that make one figure. */
  readonly batch: number
}

async function measureCold(peers: readonly Peer[]): Promise<Cold[]> {
  const often = { warm_ups: 20, rounds: 15, batch: 6 }
  const seldom = { warm_ups: 1, rounds: 5, batch: 1 }
  const cases: readonly Case[] = [
    { name: "1,000 messages of text", history: talk(MESSAGES), most: 1.5, ...often },
    { name: "1,000 messages with tools", history: work(MESSAGES), most: 1.5, ...often },
    { name: "100 images of 1 MB", history: pictures(IMAGES), most: 0.25, ...seldom },
  ]
  const rows: Cold[] = []
  for (const one of cases) rows.push(await measureCase(peers, one))
  return rows
}

async function measureCase(peers: readonly Peer[], asked: Case): Promise<Cold> {
  const images = asked.history.some(({ type }) => type === "image")
    ? Array.from({ length: IMAGES }, () => pictureBytes())
    : []
  const blobs = new MemoryBlobs()
  const rows = rowsOf(
    asked.history,
    images.map((bytes) => blobs.add(bytes)),
  )
  const ours = new Ours(blobs)
  const open = ({ content_id }: Media) => blobs.open(content_id)
  const body = await ours.cold(rows)
  const same = JSON.parse(await fragmentText(body, open))
  const base64 = images.map((bytes) => bytes.toString("base64"))
  const contestants: Contestant[] = [
    { name: OURS, run: async () => written(await ours.cold(rows), open) },
    { name: STRINGIFY, run: async () => JSON.stringify(same).length },
    ...peers.map((peer) => {
      const go = peer.prepare(asked.history, base64)
      return { name: peer.name, run: async () => (await sentBy(go)).length }
    }),
  ]
  const { spent, ratios } = await compare(contestants, asked)
  return { name: asked.name, most: asked.most, body_bytes: body.size, spent, ratios }
}

const OURS = "ours"
const STRINGIFY = "JSON.stringify"

async function written(body: Body, open: (media: Media) => AsyncIterable<Uint8Array>) {
  let bytes = 0
  for await (const chunk of writeBody(body, open)) bytes += chunk.length
  return bytes
}

interface Contestant {
  readonly name: string
  readonly run: () => Promise<number>
}

/** Everyone in turn, so that a busy minute of the machine hits all of them. */
async function compare(
  contestants: readonly Contestant[],
  { warm_ups, rounds, batch }: Pick<Case, "warm_ups" | "rounds" | "batch">,
) {
  const all = new Map<string, number[]>(contestants.map(({ name }) => [name, []]))
  for (let round = -warm_ups; round < rounds; round++) {
    for (const { name, run } of contestants) {
      const spent = await processorTime(async () => {
        for (let at = 0; at < batch; at++) await run()
      })
      if (round >= 0) all.get(name)?.push(spent / batch)
    }
  }
  const ours = all.get(OURS) ?? []
  const entries = [...all]
  return {
    spent: Object.fromEntries(entries.map(([name, values]) => [name, median(values)])),
    ratios: Object.fromEntries(
      entries
        .filter(([name]) => name !== OURS)
        .map(([name, values]) => [
          name,
          median(values.map((value, at) => (ours[at] ?? Number.NaN) / value)),
        ]),
    ),
  }
}

/** In milliseconds: what else runs on the machine makes a figure longer, not larger. */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const since = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

// One more message

interface Append {
  readonly first_byte: number
  readonly first_byte_long: number
  readonly whole: number
  readonly whole_long: number
  readonly cold_long: number
}

const APPENDS = 400

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

interface Gate {
  readonly says: string
  readonly figure: string
  readonly passed: boolean
}

function coldGates(rows: readonly Cold[]): Gate[] {
  return rows.flatMap(({ name, most, ratios }) =>
    Object.entries(ratios).map(([other, ratio]) => {
      const limit = other === STRINGIFY ? most : 1
      return atMost(`${name}: at most ${times(limit)} ${other}`, ratio, limit)
    }),
  )
}

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

function atMost(says: string, ratio: number, limit: number): Gate {
  return { says, figure: times(ratio), passed: ratio <= limit }
}

function show(cold: readonly Cold[], gates: readonly Gate[]): string {
  const names = Object.keys(cold[0]?.spent ?? {})
  const rows = cold.map(({ name, body_bytes, spent }) => [
    name,
    `${(body_bytes / MEGABYTE).toFixed(1)} MB`,
    ...names.map((other) => milliseconds(spent[other] ?? Number.NaN)),
  ])
  return [
    table(["", "body", ...names], rows),
    table(
      ["must hold", "figure", ""],
      gates.map(({ says, figure, passed }) => [says, figure, passed ? "pass" : "FAIL"]),
    ),
  ].join("\n\n")
}
