import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inflateRawSync } from "node:zlib"
import sharp from "sharp"
import { CONVERT_LIMITS } from "../../packages/files/formats/converted.ts"
import { runReader } from "../../packages/files/formats/run-reader.ts"
import * as samples from "../../test/files/convert/samples.ts"
import { zipOf } from "../../test/files/convert/zip.ts"
import { Random } from "./random.ts"

export interface DocumentsOptions {
  readonly count: number
  readonly seed: number
}

const LIMITS = { ...CONVERT_LIMITS, milliseconds: 20_000 }
const MEGABYTE = 1024 * 1024
/** Between two looks at a child it may grow a little further. */
const MARGIN_BYTES = 64 * MEGABYTE
const MARGIN_MS = 5_000
const TOLD_EVERY = 100

/** Damages documents, pictures and recordings at random, outside and inside their packing, and reads
 *  them. Whatever becomes of one: there is an answer, in time, within its memory. */
export async function tortureDocuments({ count, seed }: DocumentsOptions): Promise<boolean> {
  console.log(`${count} mutated documents, seed ${seed}`)
  const random = new Random(seed)
  const folder = mkdtempSync(join(tmpdir(), "compositor-documents-"))
  const seeds = await seedsOf()
  const tally = new Map<string, number>()
  const faults: string[] = []
  let most = 0
  let slowest = 0
  try {
    for (let number = 1; number <= count; number++) {
      const from = random.pick(seeds)
      const bytes =
        from.packed && random.chance(0.7) ? within(from.bytes, random) : damaged(from.bytes, random)
      const { outcome, fault, milliseconds, peak_rss } = await suffer(from, bytes, folder)
      tally.set(outcome, (tally.get(outcome) ?? 0) + 1)
      most = Math.max(most, peak_rss)
      slowest = Math.max(slowest, milliseconds)
      if (fault) faults.push(`number ${number}, ${from.reader} to ${from.to}: ${fault}`)
      if (number % TOLD_EVERY === 0) console.log(`  ${number}: ${show(tally)}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  for (const fault of faults) console.log(`FAULT ${fault}`)
  console.log(
    `${count} documents: ${show(tally)}; slowest ${Math.round(slowest)} ms, ` +
      `at most ${Math.round(most / MEGABYTE)} MB resident, ${faults.length} faults`,
  )
  return faults.length === 0
}

interface Seed {
  readonly reader: string
  readonly to: "text" | "png"
  readonly bytes: Buffer
  /** It is a zip, and can be damaged inside. */
  readonly packed: boolean
  /** Pictures may take twice the memory. */
  readonly memory: number
}

async function seedsOf(): Promise<Seed[]> {
  const red = { create: { width: 60, height: 40, channels: 3, background: "red" } } as const
  const packed = (reader: string, bytes: Buffer): Seed => {
    return { reader, to: "text", bytes, packed: true, memory: 1 }
  }
  const plain = (reader: string, to: Seed["to"], bytes: Buffer | string): Seed => {
    return {
      reader,
      to,
      bytes: Buffer.from(bytes as string),
      packed: false,
      memory: to === "png" ? 2 : 1,
    }
  }
  return [
    packed("docx", samples.wholeDocx()),
    packed("xlsx", samples.xlsx()),
    packed("pptx", samples.pptx(2)),
    packed("opendocument", samples.odt()),
    packed("opendocument", samples.ods()),
    packed("epub", samples.epub(["<h1>One</h1><p>a &amp; b</p>", "<table><tr><td>x</table>"])),
    { ...plain("pdf", "text", samples.pdf(["One", "Two"])), memory: 2 },
    plain("pdf", "png", samples.pdf(["One", ""])),
    plain("psd", "png", samples.psd(16, 12)),
    { ...plain("psd", "text", samples.psd(16, 12)), memory: 2 },
    plain("heic", "png", samples.heic()),
    plain("image", "png", await sharp(red).png().toBuffer()),
    plain("image", "png", await sharp(red).jpeg().toBuffer()),
    plain("image", "png", await sharp(red).webp().toBuffer()),
    plain("image", "png", await sharp(red).gif().toBuffer()),
    plain("image", "png", await sharp(red).tiff().toBuffer()),
    plain(
      "svg",
      "png",
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><g><rect width="5" height="5"/></g></svg>',
    ),
    plain("media", "text", samples.wav(0.5)),
    plain("html", "text", "<h1>A</h1><ul><li>b<li>c</ul><table><tr><td>d</table><a href='e'>f</a>"),
    plain(
      "eml",
      "text",
      'From: a\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\ntext\r\n--b--',
    ),
    plain("csv", "text", 'a,"b ""c""\nd"\n1,2\n'),
    plain(
      "notebook",
      "text",
      JSON.stringify({ cells: [{ cell_type: "code", source: ["1"], outputs: [] }] }),
    ),
  ]
}

interface Outcome {
  readonly outcome: string
  readonly fault?: string | undefined
  readonly milliseconds: number
  readonly peak_rss: number
}

async function suffer(seed: Seed, bytes: Buffer, folder: string): Promise<Outcome> {
  const name = `damaged.${seed.reader}`
  const path = join(folder, name)
  writeFileSync(path, bytes)
  const file = {
    name,
    mime: "application/octet-stream",
    kind: "binary",
    size: bytes.length,
    path,
  } as const
  const limits = { ...LIMITS, memory_bytes: LIMITS.memory_bytes * seed.memory }
  const began = performance.now()
  try {
    const { answer, peak_rss } = await runReader({
      reader: seed.reader,
      file,
      to: seed.to,
      scratch: folder,
      limits,
    })
    const milliseconds = performance.now() - began
    const about = { outcome: answer.type, milliseconds, peak_rss }
    if (milliseconds > limits.milliseconds + MARGIN_MS)
      return { ...about, fault: "it took too long" }
    if (peak_rss > limits.memory_bytes + MARGIN_BYTES)
      return { ...about, fault: `${peak_rss} bytes were resident` }
    if (answer.type === "refused" && !/^[^\n]{10,500}$/.test(answer.reason))
      return { ...about, fault: `no sentence: ${JSON.stringify(answer.reason)}` }
    return about
  } catch (error) {
    const fault = `it threw ${String(error)}`
    return { outcome: "thrown", fault, milliseconds: performance.now() - began, peak_rss: 0 }
  }
}

function damaged(bytes: Buffer, random: Random): Buffer {
  let copy = Buffer.from(bytes)
  for (let times = random.between(1, 4); times > 0 && copy.length > 1; times--)
    copy = Buffer.from(random.pick(MUTATIONS)(copy, random))
  return copy
}

const MEANINGS = [
  "<",
  ">",
  "&#0;",
  "]]>",
  "<!DOCTYPE x [",
  'r="ZZZ9999999"',
  "\0\0\0\0",
  "\xff\xff\xff\xff",
  "9999999999",
]

const MUTATIONS: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
  function flip(bytes, random) {
    const at = random.between(0, bytes.length - 1)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.between(0, 7))
    return bytes
  },
  function cut(bytes, random) {
    return bytes.subarray(0, random.between(1, bytes.length - 1))
  },
  function insert(bytes, random) {
    const at = random.between(0, bytes.length)
    const meaning = Buffer.from(random.pick(MEANINGS), "latin1")
    return Buffer.concat([bytes.subarray(0, at), meaning, bytes.subarray(at)])
  },
  function repeat(bytes, random) {
    const from = random.between(0, bytes.length - 1)
    const piece = bytes.subarray(from, from + random.between(1, 80))
    const copies = Array<Buffer>(random.between(2, 2000)).fill(piece)
    return Buffer.concat([bytes.subarray(0, from), ...copies, bytes.subarray(from)])
  },
  function remove(bytes, random) {
    const at = random.between(0, bytes.length - 1)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.between(1, 40))])
  },
]

/** The same zip with one of its files damaged and packed again, so that the damage is reached. */
function within(bytes: Buffer, random: Random): Buffer {
  const entries = entriesOf(bytes)
  const chosen = random.pick(entries)
  return zipOf(
    entries.map((entry) =>
      entry === chosen ? { ...entry, data: damaged(entry.data, random) } : entry,
    ),
  )
}

/** One after another from the front: our own zips say their sizes there. */
function entriesOf(bytes: Buffer): { name: string; data: Buffer }[] {
  const entries: { name: string; data: Buffer }[] = []
  let at = 0
  while (bytes.readUInt32LE(at) === 0x04034b50) {
    const start = at + 30 + bytes.readUInt16LE(at + 26)
    const end = start + bytes.readUInt32LE(at + 18)
    entries.push({
      name: bytes.toString("utf8", at + 30, start),
      data: inflateRawSync(bytes.subarray(start, end)),
    })
    at = end
  }
  return entries
}

function show(tally: ReadonlyMap<string, number>): string {
  return [...tally].map(([outcome, count]) => `${count} ${outcome}`).join(", ")
}
