// Texts that are written one after the other lie one after the other in memory: a long history is
// thousands of them, and a buffer for each, or a copy of them all, would cost more than writing them.

const SLAB_BYTES = 64 * 1024
const MOST_BYTES_OF_A_CHARACTER = 3
const COMMA = 0x2c

const slabs = new WeakSet<ArrayBufferLike>()
let slab: Buffer = Buffer.alloc(0)
let used = 0

/** The bytes of a text, but for the last few. What was written never changes. */
export function toBytes(text: string, hidden = 0): Uint8Array {
  const most = text.length * MOST_BYTES_OF_A_CHARACTER
  if (most > SLAB_BYTES / 4) {
    const own = newSlab(Buffer.byteLength(text))
    return own.subarray(1, 1 + own.write(text, 1) - hidden)
  }
  if (used + most > slab.length) {
    slab = newSlab(SLAB_BYTES)
    used = 1
  }
  const start = used
  used += slab.write(text, start)
  return slab.subarray(start, used - hidden)
}

/** It begins with a comma, so that one stands before the first text too. */
function newSlab(size: number): Buffer {
  const made = Buffer.allocUnsafeSlow(1 + size)
  made[0] = COMMA
  slabs.add(made.buffer)
  return made
}

/** The bytes with the comma that stands before them in memory; undefined when there is none. */
export function withCommaBefore(bytes: Uint8Array): Uint8Array | undefined {
  const { buffer, byteOffset, length } = bytes
  if (byteOffset === 0 || !slabs.has(buffer)) return undefined
  const wider = new Uint8Array(buffer, byteOffset - 1, length + 1)
  return wider[0] === COMMA ? wider : undefined
}

/** Both with a comma between them, if that is how they stand in memory. */
export function spanning(one: Uint8Array | undefined, other: Uint8Array): Uint8Array | undefined {
  if (!one || one.buffer !== other.buffer) return undefined
  const { buffer, byteOffset, length } = one
  if (other.byteOffset !== byteOffset + length + 1) return undefined
  const both = new Uint8Array(buffer, byteOffset, length + 1 + other.length)
  return slabs.has(buffer) && both[length] === COMMA ? both : undefined
}
