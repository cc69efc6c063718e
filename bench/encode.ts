import { tmpdir } from "node:os"
import type { Media, PromptMessage } from "../src/model/prompt.ts"
import type { Fragment } from "../src/provider/provider.ts"
import { wireOf } from "../src/provider/registry.ts"
import { fragmentText, writeBody } from "../src/provider/wire.ts"
import { median, milliseconds, table, times } from "./figures.ts"
import { describeMachine, noise } from "./machine.ts"
import { kilobyteOfText } from "./text.ts"

const MESSAGES = 1000
const LONG_HISTORY = 10_000
const IMAGES = 100
const IMAGE_BYTES = 1024 * 1024
const WARM_UPS = 30
const ROUNDS = 21
const IMAGE_ROUNDS = 5
const MOST_FOR_IMAGES = 0.25

const WIRES = [
  ["anthropic-messages", "claude-x"],
  ["openai-responses", "gpt-x"],
  ["openai-chat", "gpt-x"],
  ["gemini-generatecontent", "gemini-3-x"],
  ["bedrock-converse", "anthropic.claude-x"],
  ["mistral-chat", "mistral-x"],
] as const

/** What it costs to write a prompt in each wire format, beside `JSON.stringify` of the same body in
 *  the same run; and what a request costs whose messages were written before. True if images cost
 *  at most a quarter of it. */
export async function benchEncode({ json }: { json: boolean }): Promise<boolean> {
  const before = noise()
  const rows: Row[] = []
  for (const [api, model] of WIRES) rows.push(await measure(api, model))
  const report = { machine: describeMachine(tmpdir()), before, after: noise(), rows }
  console.log(json ? JSON.stringify(report, null, 2) : show(rows))
  return rows.every(({ images }) => images <= MOST_FOR_IMAGES)
}

interface Row {
  readonly api: string
  /** Times `JSON.stringify` of the same body. */
  readonly text: number
  readonly tools: number
  readonly images: number
  /** From written messages to the first bytes of a request, in milliseconds. */
  readonly first_byte: number
  readonly first_byte_long: number
  readonly whole_long: number
}

async function measure(api: string, model: string): Promise<Row> {
  const wire = wireOf(api)
  if (!wire) throw new Error(`${api} is no wire API known here`)
  const envelope = { model, system: "Be kind.", max_tokens: 1000 }
  const encode = (history: readonly PromptMessage[]) =>
    history.map((message) => wire.encode(message, model))
  const request = (messages: readonly Fragment[]) => wire.body(envelope, messages)
  const ratio = async (history: readonly PromptMessage[]) => {
    const body = JSON.parse(await fragmentText(request(encode(history)), open))
    return pairwise(
      () => void request(encode(history)),
      () => void JSON.stringify(body),
    )
  }
  const [short, long] = [MESSAGES, LONG_HISTORY].map((count) => encode(talk(count)))
  if (!short || !long) throw new Error("there is no history to measure")
  return {
    api,
    text: await ratio(talk(MESSAGES)),
    tools: await ratio(work(MESSAGES)),
    images: await imageRatio(async () => {
      for await (const _ of writeBody(request(encode(pictures())), open));
    }),
    first_byte: await timed(() => firstBytes(request(short))),
    first_byte_long: await timed(() => firstBytes(request(long))),
    whole_long: await timed(async () => {
      for await (const _ of writeBody(request(long), open));
    }),
  }
}

function talk(count: number): PromptMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    blocks: [{ type: "text", text: kilobyteOfText() }],
  }))
}

function work(count: number): PromptMessage[] {
  return Array.from({ length: count / 2 }, (_, index): PromptMessage[] => {
    const call = { id: `call_${index}`, name: "read" }
    const text = { type: "text", text: kilobyteOfText() } as const
    const input = { path: `src/a${index}.ts`, range: { start: 1, end: 200 } }
    return [
      { role: "assistant", blocks: [{ type: "tool-call", ...call, input }] },
      { role: "user", blocks: [{ type: "tool-result", ...call, blocks: [text], is_error: false }] },
    ]
  }).flat()
}

function pictures(): PromptMessage[] {
  return Array.from({ length: IMAGES }, (_, index) => {
    const media = { mime: "image/png", name: "a.png", size: IMAGE_BYTES, content_id: `${index}` }
    return { role: "user", blocks: [{ type: "image", media, width: 1000, height: 1000 }] }
  })
}

const CHUNK = new Uint8Array(256 * 1024)

async function* open({ size }: Media): AsyncIterable<Uint8Array> {
  for (let at = 0; at < size; at += CHUNK.length)
    yield CHUNK.subarray(0, Math.min(CHUNK.length, size - at))
}

/** The median of ratios between neighbours in time, once both are compiled. */
function pairwise(one: () => void, other: () => void): number {
  for (let round = 0; round < WARM_UPS; round++) {
    one()
    other()
  }
  return median(Array.from({ length: ROUNDS }, () => took(one) / took(other)))
}

function took(work: () => void): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

/** The limit is the one an API client would pay: base64 in strings, and those in JSON. */
async function imageRatio(work: () => Promise<void>): Promise<number> {
  const ratios: number[] = []
  for (let round = 0; round < IMAGE_ROUNDS; round++) {
    const start = process.cpuUsage()
    await work()
    const ours = spent(start)
    const between = process.cpuUsage()
    const bytes = Buffer.alloc(IMAGE_BYTES)
    JSON.stringify(Array.from({ length: IMAGES }, () => ({ data: bytes.toString("base64") })))
    ratios.push(ours / spent(between))
  }
  return median(ratios)
}

/** Processor time: what else runs on the machine makes these figures longer, not larger. */
function spent(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return user + system
}

async function timed(work: () => Promise<void>): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < WARM_UPS + ROUNDS; round++) rounds.push(await timedOnce(work))
  return median(rounds.slice(WARM_UPS))
}

async function timedOnce(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function firstBytes(body: Parameters<typeof writeBody>[0]) {
  for await (const _ of writeBody(body, open)) return
}

function show(rows: readonly Row[]): string {
  const headings = ["API", "text", "tools", "images", "first byte", "at 10,000", "whole at 10,000"]
  return table(
    headings,
    rows.map((row) => [
      row.api,
      times(row.text),
      times(row.tools),
      times(row.images),
      milliseconds(row.first_byte),
      milliseconds(row.first_byte_long),
      milliseconds(row.whole_long),
    ]),
  )
}
