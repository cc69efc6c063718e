import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { Media } from "../../packages/core/model/prompt.ts"
import type { WireBody } from "../../packages/core/wires/body.ts"
import {
  fragmentText,
  type OpenMedia,
  writeBody,
} from "../../packages/engine/providers/write-body.ts"
import { median, milliseconds, table, times } from "./figures.ts"
import { atMost, type Gate, processorTime } from "./lower-figures.ts"
import { pictureBytes, pictures, rowsOf, type Said, talk, work } from "./lower-histories.ts"
import { Ours } from "./lower-ours.ts"
import type { Peer } from "./lower-peers.ts"
import { MemoryBlobs } from "./memory-blobs.ts"

const MESSAGES = 1000
const IMAGES = 100
const MEGABYTE = 1024 * 1024

export interface Cold {
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
  /** Hundreds of megabytes are left behind each time: they are cleared away before the next one begins,
   *  who would pay for it. (Not where little is left: it also throws away compiled code.) */
  readonly large: boolean
}

/** A whole history to a request, nothing of it written before. Everyone begins with what they hold in
 *  memory in their own form: we with the rows as text, the others with their messages as objects. How
 *  it is the other way round, we from objects and they from text, is measured beside it. */
export async function measureCold(peers: readonly Peer[]): Promise<Cold[]> {
  const often = { warm_ups: 20, rounds: 15, batch: 6, large: false }
  const seldom = { warm_ups: 1, rounds: 5, batch: 1, large: true }
  const cases: readonly Case[] = [
    { name: "1,000 messages of text", history: talk(MESSAGES), most: 1.5, ...often },
    { name: "1,000 messages with tools", history: work(MESSAGES), most: 1.5, ...often },
    { name: "100 images of 1 MB", history: pictures(IMAGES), most: 0.25, ...seldom },
  ]
  const rows: Cold[] = []
  for (const one of cases) rows.push(await measureCase(peers, one))
  return rows
}

export const OURS = "ours"
const OURS_OPENED = "ours, opened"
const STRINGIFY = "JSON.stringify"

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
  const text = await fragmentText(body, open)
  const same = JSON.parse(text)
  const opened = await ours.opened(rows)
  if ((await fragmentText(ours.fromOpened(opened), open)) !== text)
    throw new Error(`${asked.name}: opened messages become another request than their rows`)
  const contestants: Contestant[] = [
    { name: OURS, run: async () => written(await ours.cold(rows), open) },
    { name: OURS_OPENED, run: () => written(ours.fromOpened(opened), open) },
    { name: STRINGIFY, run: async () => JSON.stringify(same).length },
    ...peers.flatMap((peer) => ofPeer(peer, asked.history, images)),
  ]
  const { spent, ratios } = await compare(contestants, asked)
  return { name: asked.name, most: asked.most, body_bytes: body.size, spent, ratios }
}

function ofPeer(
  { name, prepare }: Peer,
  history: readonly Said[],
  images: readonly Buffer[],
): Contestant[] {
  const base64 = images.map((bytes) => bytes.toString("base64"))
  const { opened, stored } = prepare(history, base64)
  const runs = [{ name, run: opened }]
  return stored ? [...runs, { name: fromText(name), run: stored }] : runs
}

function fromText(name: string): string {
  return `${name}, from text`
}

export async function written(body: WireBody, open: OpenMedia): Promise<number> {
  let bytes = 0
  for await (const chunk of writeBody(body, open)) bytes += chunk.length
  return bytes
}

interface Contestant {
  readonly name: string
  /** How much was made. */
  readonly run: () => Promise<number>
}

/** Everyone in turn, so that a busy minute of the machine hits all of them; and not always behind the
 *  same one, whose garbage is cleared away on the next one's time. */
async function compare(
  contestants: readonly Contestant[],
  { warm_ups, rounds, batch, large }: Pick<Case, "warm_ups" | "rounds" | "batch" | "large">,
) {
  const all = new Map<string, number[]>(contestants.map(({ name }) => [name, []]))
  for (let round = -warm_ups; round < rounds; round++) {
    for (const { name, run } of beginningAt(round + warm_ups, contestants)) {
      if (large) collectGarbage()
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

function beginningAt<One>(turn: number, all: readonly One[]): One[] {
  const first = turn % all.length
  return [...all.slice(first), ...all.slice(0, first)]
}

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** Against `JSON.stringify`, and against each peer from its own objects. */
export function coldGates(rows: readonly Cold[], peers: readonly Peer[]): Gate[] {
  const others = [STRINGIFY, ...peers.map(({ name }) => name)]
  return rows.flatMap(({ name, most, ratios }) =>
    others.map((other) => {
      const limit = other === STRINGIFY ? most : 1
      return atMost(`${name}: at most ${times(limit)} ${other}`, ratios[other] ?? Infinity, limit)
    }),
  )
}

export function showCold(rows: readonly Cold[]): string {
  const names = Object.keys(rows[0]?.spent ?? {})
  const cells = rows.map(({ name, body_bytes, spent }) => [
    name,
    `${(body_bytes / MEGABYTE).toFixed(1)} MB`,
    ...names.map((other) => (spent[other] === undefined ? "" : milliseconds(spent[other]))),
  ])
  return [
    table(["", "body", ...names], cells),
    "All but JSON.stringify end with the bytes of a request. ours: from the rows of the store, which",
    "are text; ours, opened: from prompt messages as objects. The others: from their own messages as",
    "objects, which is what we are held against; from text: from those read with JSON.parse first.",
  ].join("\n")
}
