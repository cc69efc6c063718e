import { open, writeFile } from "node:fs/promises"
import { constants, crc32, deflateRawSync } from "node:zlib"
import { localPart, zip, zipTail } from "../../test/files/archive/build.ts"
import { Random } from "../torture/random.ts"

const FOLDERS = 100
const BLOCK_BYTES = 64 * 1024 * 1024

/** Source files of half a kilobyte to four, in a hundred folders. */
export function smallFilesZip(count: number) {
  return async (path: string) => {
    const random = new Random(1)
    const parts = Array.from({ length: count }, (_, at) => ({
      name: `folder-${at % FOLDERS}/file-${at}.ts`,
      data: lines(random, random.between(500, 4000)),
    }))
    await writeFile(path, zip(parts))
  }
}

/** One log of so many bytes, packed about five to one. Its blocks are the same text again, each packed
 *  on its own, which costs an unpacker as much as any other. */
export function largeZip(bytes: number) {
  return async (path: string) => {
    const block = Buffer.from(lines(new Random(2), BLOCK_BYTES)).subarray(0, BLOCK_BYTES)
    const packed = deflateRawSync(block, { finishFlush: constants.Z_FULL_FLUSH })
    const count = bytes / BLOCK_BYTES
    let crc = 0
    for (let at = 0; at < count; at++) crc = crc32(block, crc)
    const part = {
      name: Buffer.from("app.log"),
      method: 8,
      flags: 0,
      crc,
      size: bytes,
      compressed: packed.length * count + END.length,
      packed: Buffer.alloc(0),
    }
    const file = await open(path, "w")
    await file.write(localPart(part))
    for (let at = 0; at < count; at++) await file.write(packed)
    await file.write(END)
    await file.write(zipTail(part))
    await file.close()
  }
}

/** A last block with nothing in it. */
const END = Buffer.from([0x03, 0x00])

function lines(random: Random, length: number): string {
  const text: string[] = []
  for (let size = 0; size < length; ) {
    const line = `${random.between(1_700_000_000, 1_800_000_000)} ${random.pick(WORDS)} request ${random.between(0, 1e9)} took ${random.between(1, 900)} ms, ${random.pick(WORDS)} ${random.pick(WORDS)}\n`
    text.push(line)
    size += line.length
  }
  return text.join("")
}

const WORDS = [
  "info",
  "warning",
  "error",
  "session",
  "provider",
  "store",
  "queue",
  "stream",
  "blob",
]
