import { Bits } from "./bits.ts"

const BLOCK_MAGIC_HIGH = 0x314159
const BLOCK_MAGIC_LOW = 0x265359
const END_MAGIC_HIGH = 0x177245
const END_MAGIC_LOW = 0x385090
const BLOCK_UNIT = 100_000
const GROUP_SYMBOLS = 50
const MAX_CODE_BITS = 20
const OUTPUT_BYTES = 64 * 1024

/** Unpack bzip2, one or more streams after each other. Throws where the data is damaged. */
export function* bunzip2(packed: Iterable<Buffer>): Generator<Buffer> {
  const bits = new Bits(packed)
  for (let streams = 0; ; streams++) {
    if (streams > 0 && !bits.hasByte()) return
    // What follows the last stream and is none is ignored, as every reader does.
    if (bits.read(16) !== 0x425a || bits.read(8) !== 0x68) {
      if (streams > 0) return
      throw new Error("it does not begin like bzip2")
    }
    yield* unpackStream(bits)
    bits.toByte()
  }
}

function* unpackStream(bits: Bits): Generator<Buffer> {
  const level = bits.read(8) - 0x30
  if (level < 1 || level > 9) throw new Error(`it has the block size ${level}`)
  const table = new Uint32Array(level * BLOCK_UNIT)
  let combined = 0
  for (;;) {
    const high = bits.read(24)
    const low = bits.read(24)
    const said = bits.read32()
    if (high === END_MAGIC_HIGH && low === END_MAGIC_LOW) {
      if (said !== combined) throw new Error("its checksum is another")
      return
    }
    if (high !== BLOCK_MAGIC_HIGH || low !== BLOCK_MAGIC_LOW) throw new Error("a block is missing")
    const sum = yield* unpackBlock(bits, table)
    if (sum !== said) throw new Error("the checksum of a block is another")
    combined = (((combined << 1) | (combined >>> 31)) ^ sum) >>> 0
  }
}

function* unpackBlock(bits: Bits, table: Uint32Array): Generator<Buffer, number> {
  if (bits.read(1) === 1) throw new Error("a block is of the old, randomised kind")
  const origin = bits.read(24)
  const count = readSymbols(bits, table)
  if (origin >= count) throw new Error("a block begins outside itself")
  invert(table, count)
  return yield* expandRuns(table, count, origin)
}

/** Huffman codes, runs of the front symbol, and move-to-front, into the lower bytes of the table. */
function readSymbols(bits: Bits, table: Uint32Array): number {
  const front = usedBytes(bits)
  const symbols = front.length + 2
  const groups = bits.read(3)
  const selectors = readSelectors(bits, groups)
  const codes = Array.from({ length: groups }, () => readCode(bits, symbols))
  const end = symbols - 1
  let count = 0
  let run = 0
  let weight = 1
  for (let read = 0; ; read++) {
    const code = codes[selectors[Math.floor(read / GROUP_SYMBOLS)] ?? -1]
    if (!code) throw new Error("a block has too few selectors")
    const symbol = readSymbol(bits, code)
    if (symbol <= 1) {
      run += weight << symbol
      weight *= 2
      if (run > table.length) throw new Error("a run is longer than its block")
      continue
    }
    if (run > 0) {
      if (count + run > table.length) throw new Error("a block is longer than it may be")
      table.fill(front[0] ?? 0, count, count + run)
      count += run
      run = 0
      weight = 1
    }
    if (symbol === end) return count
    if (count >= table.length) throw new Error("a block is longer than it may be")
    table[count++] = toFront(front, symbol - 1)
  }
}

function usedBytes(bits: Bits): Uint8Array {
  const rows = bits.read(16)
  const used: number[] = []
  for (let row = 0; row < 16; row++) {
    if ((rows & (0x8000 >>> row)) === 0) continue
    const columns = bits.read(16)
    for (let column = 0; column < 16; column++)
      if ((columns & (0x8000 >>> column)) !== 0) used.push(row * 16 + column)
  }
  if (used.length === 0) throw new Error("a block uses no bytes")
  return Uint8Array.from(used)
}

function toFront(front: Uint8Array, at: number): number {
  const byte = front[at]
  if (byte === undefined) throw new Error("a block uses a byte it does not name")
  front.copyWithin(1, 0, at)
  front[0] = byte
  return byte
}

function readSelectors(bits: Bits, groups: number): Uint8Array {
  if (groups < 2 || groups > 6) throw new Error(`a block has ${groups} codes`)
  const selectors = new Uint8Array(bits.read(15))
  const front = Uint8Array.from({ length: groups }, (_, at) => at)
  for (let at = 0; at < selectors.length; at++) {
    let steps = 0
    while (bits.read(1) === 1) steps++
    selectors[at] = toFront(front, steps)
  }
  return selectors
}

interface Code {
  /** By length: the first code that is longer, the offset of its symbols. */
  readonly limit: Int32Array
  readonly offset: Int32Array
  readonly symbols: Uint16Array
  readonly shortest: number
}

function readCode(bits: Bits, count: number): Code {
  const lengths = new Uint8Array(count)
  let length = bits.read(5)
  for (let symbol = 0; symbol < count; symbol++) {
    while (bits.read(1) === 1) length += bits.read(1) === 1 ? -1 : 1
    if (length < 1 || length > MAX_CODE_BITS) throw new Error(`a code is ${length} bits long`)
    lengths[symbol] = length
  }
  return canonical(lengths)
}

function canonical(lengths: Uint8Array): Code {
  const ordered = Array.from(lengths, (length, symbol) => ({ length, symbol })).sort(
    (left, right) => left.length - right.length || left.symbol - right.symbol,
  )
  const limit = new Int32Array(MAX_CODE_BITS + 1)
  const offset = new Int32Array(MAX_CODE_BITS + 1)
  let code = 0
  let index = 0
  for (let length = 1; length <= MAX_CODE_BITS; length++) {
    code <<= 1
    offset[length] = index - code
    while (ordered[index]?.length === length) {
      index++
      code++
    }
    limit[length] = code
  }
  const symbols = Uint16Array.from(ordered, ({ symbol }) => symbol)
  return { limit, offset, symbols, shortest: ordered[0]?.length ?? 1 }
}

function readSymbol(bits: Bits, { limit, offset, symbols, shortest }: Code): number {
  let code = bits.read(shortest)
  for (let length = shortest; length <= MAX_CODE_BITS; length++) {
    const at = code + (offset[length] ?? 0)
    if (code < (limit[length] ?? 0) && at >= 0) {
      const symbol = symbols[at]
      if (symbol !== undefined) return symbol
    }
    code = (code << 1) | bits.read(1)
  }
  throw new Error("a code stands for nothing")
}

/** The links of the sorted rotations, into the upper bits of the table. */
function invert(table: Uint32Array, count: number) {
  const next = new Uint32Array(256)
  for (let at = 0; at < count; at++) next[(table[at] ?? 0) & 0xff]!++
  let total = 0
  for (let byte = 0; byte < 256; byte++) {
    const amount = next[byte] ?? 0
    next[byte] = total
    total += amount
  }
  for (let at = 0; at < count; at++) {
    const byte = (table[at] ?? 0) & 0xff
    const place = next[byte]!++
    table[place] = ((table[place] ?? 0) & 0xff) | (at << 8)
  }
}

/** Four equal bytes are followed by how many more there are. Gives the checksum of what came out. */
function* expandRuns(table: Uint32Array, count: number, origin: number): Generator<Buffer, number> {
  let output = Buffer.allocUnsafeSlow(OUTPUT_BYTES)
  let filled = 0
  let sum = 0xffff_ffff
  let position = (table[origin] ?? 0) >>> 8
  let last = -1
  let same = 0
  for (let left = count; left > 0; left--) {
    const packed = table[position] ?? 0
    const byte = packed & 0xff
    position = packed >>> 8
    const isCount = same === 4
    const repeat = isCount ? byte : 1
    const value = isCount ? last : byte
    same = isCount ? 0 : byte === last ? same + 1 : 1
    last = isCount ? -1 : byte
    for (let again = 0; again < repeat; again++) {
      sum = ((sum << 8) ^ (SUMS[((sum >>> 24) ^ value) & 0xff] ?? 0)) >>> 0
      output[filled++] = value
    }
    if (filled < OUTPUT_BYTES - 256) continue
    yield output.subarray(0, filled)
    output = Buffer.allocUnsafeSlow(OUTPUT_BYTES)
    filled = 0
  }
  if (filled > 0) yield output.subarray(0, filled)
  return ~sum >>> 0
}

/** CRC-32 with its bits the other way round than zlib's. */
const SUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24
  for (let bit = 0; bit < 8; bit++) sum = (sum << 1) ^ (sum & 0x8000_0000 ? 0x04c1_1db7 : 0)
  return sum >>> 0
})
