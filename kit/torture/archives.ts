import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  lstatSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { constants, gzipSync, zstdCompressSync } from "node:zlib"
import { extractArchive } from "../../packages/files/archives/archive.ts"
import { ARCHIVE_LIMITS } from "../../packages/files/archives/limits.ts"
import { storedStream } from "../../packages/files/archives/xz.ts"
import { zip } from "../../test/files/archive/build.ts"
import { rar, sevenZip } from "../../test/files/archive/build-others.ts"
import { tar } from "../../test/files/archive/build-tar.ts"
import { TAR_BZ2, TAR_XZ } from "../../test/files/archive/packed.ts"
import { Random } from "./random.ts"

export interface ArchivesOptions {
  readonly count: number
  readonly seed: number
}

const MAX_RESIDENT_BYTES = 512 * 1024 * 1024
const TOLD_EVERY = 200

/** Damages archives of every format at random and extracts them. Whatever becomes of one, nothing
 *  lies outside its folder afterwards, nothing strange inside, and it kept to its limits. */
export async function tortureArchives({ count, seed }: ArchivesOptions): Promise<boolean> {
  console.log(`${count} mutated archives, seed ${seed}`)
  const random = new Random(seed)
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "compositor-archives-")))
  const tally = new Map<string, number>()
  const faults: string[] = []
  let slowest = 0
  try {
    for (let number = 1; number <= count; number++) {
      const { what, bytes } = mutated(random)
      const { outcome, fault, milliseconds } = await suffer(bytes, join(folder, String(number)))
      tally.set(outcome, (tally.get(outcome) ?? 0) + 1)
      slowest = Math.max(slowest, milliseconds)
      if (fault) faults.push(`number ${number}, ${what}: ${fault}`)
      if (number % TOLD_EVERY === 0) console.log(`  ${number}: ${show(tally)}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const resident = process.resourceUsage().maxRSS * 1024
  if (resident > MAX_RESIDENT_BYTES) faults.push(`${resident} bytes were resident`)
  for (const fault of faults) console.log(`FAULT ${fault}`)
  console.log(
    `${count} archives: ${show(tally)}; slowest ${Math.round(slowest)} ms, ` +
      `${Math.round(resident / 2 ** 20)} MB resident, ${faults.length} faults`,
  )
  return faults.length === 0
}

const PARTS = [
  { name: "a.txt", data: "some text, some text, some text" },
  { name: "src/deep/b.ts", data: "export const b = 1\n".repeat(300) },
  { name: "empty", data: "" },
  { name: "z", data: Buffer.alloc(300_000) },
]
const LINKED = [...PARTS, { name: "link", type: "2", link: "/tmp" }, { name: "link/x", data: "x" }]
const CHECKED = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
const SMALL = PARTS.slice(0, 3)

/** One of each kind; a mutation starts from one of them. */
const SEEDS: readonly { readonly format: string; readonly bytes: Buffer }[] = [
  { format: "zip", bytes: zip(PARTS) },
  { format: "zip", bytes: zip(PARTS.map((part) => ({ ...part, method: 0, descriptor: true }))) },
  {
    format: "zip",
    bytes: zip(
      PARTS.map((part) => ({ ...part, zip64: true })),
      { zip64: {} },
    ),
  },
  {
    format: "zip",
    bytes: zip([
      { name: "link", data: "/tmp", mode: 0o120777 },
      { name: "link/x", data: "x" },
    ]),
  },
  { format: "tar", bytes: tar(LINKED) },
  {
    format: "tar",
    bytes: tar(SMALL.map((part) => ({ ...part, pax: { path: `pax/${part.name}` } }))),
  },
  { format: "tar.gz", bytes: gzipSync(tar(LINKED)) },
  { format: "tar.zst", bytes: zstdCompressSync(tar(LINKED), CHECKED) },
  { format: "tar.xz", bytes: TAR_XZ },
  { format: "tar.xz", bytes: storedStream(tar(SMALL)) },
  { format: "tar.bz2", bytes: TAR_BZ2 },
  { format: "7z", bytes: sevenZip(PARTS) },
  { format: "rar", bytes: rar(PARTS) },
]

/** Where nothing may ever come to be. */
const FAR = "/tmp/evil"

/** Bytes that mean something somewhere. */
const MEANINGS: readonly Buffer[] = [
  Buffer.from("../"),
  Buffer.from("..\\"),
  Buffer.from(`${FAR}\0`),
  Buffer.from("C:\\"),
  Buffer.from([0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0, 0, 0, 0]),
  Buffer.from([0xff, 0xff, 0xff, 0x7f]),
  Buffer.from([0x50, 0x4b, 0x01, 0x02]),
  Buffer.from([0x50, 0x4b, 0x05, 0x06]),
  Buffer.from("2"),
]

const MUTATIONS: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
  function flipBits(bytes, random) {
    for (let flips = random.between(1, 8); flips > 0; flips--) {
      const at = random.between(0, bytes.length - 1)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.between(0, 7))
    }
    return bytes
  },
  function cut(bytes, random) {
    return bytes.subarray(0, random.between(1, bytes.length - 1))
  },
  function overwrite(bytes, random) {
    const meaning = random.pick(MEANINGS)
    meaning.copy(bytes, random.between(0, bytes.length - 1))
    return bytes
  },
  function moveBytes(bytes, random) {
    const from = random.between(0, bytes.length - 1)
    const piece = Buffer.from(bytes.subarray(from, from + random.between(1, 200)))
    piece.copy(bytes, random.between(0, bytes.length - 1))
    return bytes
  },
  function insert(bytes, random) {
    const at = random.between(0, bytes.length)
    return Buffer.concat([bytes.subarray(0, at), random.pick(MEANINGS), bytes.subarray(at)])
  },
  function remove(bytes, random) {
    const at = random.between(0, bytes.length - 1)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.between(1, 40))])
  },
]

function mutated(random: Random): { what: string; bytes: Buffer } {
  const { format, bytes } = random.pick(SEEDS)
  let mutation = Buffer.from(bytes)
  const names: string[] = []
  for (let times = random.between(1, 3); times > 0; times--) {
    const mutate = random.pick(MUTATIONS)
    names.push(mutate.name)
    if (mutation.length > 1) mutation = Buffer.from(mutate(mutation, random))
  }
  return { what: `${format}, ${names.join(", ")}`, bytes: mutation }
}

async function suffer(bytes: Buffer, box: string) {
  const to = join(box, "to")
  mkdirSync(box)
  const began = performance.now()
  const result = await extractArchive({ bytes, name: "mutated" }, { to }).catch((error) => ({
    type: "thrown" as const,
    reason: String(error),
  }))
  const milliseconds = performance.now() - began
  const fault = result.type === "thrown" ? result.reason : faultOf(box, milliseconds, result.type)
  rmSync(box, { recursive: true })
  return { outcome: result.type, fault, milliseconds }
}

function faultOf(box: string, milliseconds: number, outcome: string): string | undefined {
  const beside = readdirSync(box).filter((name) => name !== "to")
  if (beside.length > 0) return `left ${beside.join(", ")} beside its folder`
  if (existsSync(FAR)) return `wrote to ${FAR}`
  if (milliseconds > ARCHIVE_LIMITS.milliseconds + 1000) return `took ${milliseconds} ms`
  const found = readdirSync(box, { recursive: true, withFileTypes: true })
  if (outcome !== "extracted") return found.length > 0 ? "was refused and is there" : undefined
  const strange = found.find((entry) => !entry.isFile() && !entry.isDirectory())
  if (strange) return `made ${strange.name}, which is neither a file nor a folder`
  const files = found.filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + sizeOf(join(parentPath, name)), 0)
  return bytes > ARCHIVE_LIMITS.bytes ? `unpacked to ${bytes} bytes` : undefined
}

function sizeOf(path: string): number {
  return lstatSync(path).isFile() ? statSync(path).size : 0
}

function show(tally: ReadonlyMap<string, number>): string {
  return [...tally].map(([outcome, count]) => `${count} ${outcome}`).join(", ")
}
