import type { RawPicture } from "../picture.ts"
import { refuse } from "../refusal.ts"

/** What a Photoshop file says at its head, and where its parts begin. */
export interface PsdHead {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly depth: number
  readonly mode: number
  /** Large documents count with more bytes. */
  readonly large: boolean
  readonly palette: Buffer
  /** Where the section of layers begins, and where the flat picture does. */
  readonly layers: number
  readonly image: number
}

const HEADER_BYTES = 26

export function readPsdHead(bytes: Buffer, name: string): PsdHead {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "8BPS")
    refuse(`${name} is not a Photoshop file.`)
  const large = bytes.readUInt16BE(4) === 2
  const word = (at: number) =>
    at + 8 <= bytes.length ? bytes.readUInt32BE(at) : refuse(`${name} is cut off.`)
  const resources = HEADER_BYTES + 4 + word(HEADER_BYTES)
  const layers = resources + 4 + word(resources)
  const length = large ? word(layers) * 2 ** 32 + bytes.readUInt32BE(layers + 4) : word(layers)
  return {
    channels: bytes.readUInt16BE(12),
    height: bytes.readUInt32BE(14),
    width: bytes.readUInt32BE(18),
    depth: bytes.readUInt16BE(22),
    mode: bytes.readUInt16BE(24),
    large,
    palette: bytes.subarray(HEADER_BYTES + 4, resources),
    layers,
    image: layers + (large ? 8 : 4) + length,
  }
}

const GREY = 1
const INDEXED = 2
const RGB = 3
const CMYK = 4
/** How many planes make the colour; one more is its opacity. */
const COLOURS: Readonly<Record<number, number>> = { [GREY]: 1, [INDEXED]: 1, [RGB]: 3, [CMYK]: 4 }
const PALETTE_BYTES = 768

/** The flat picture that every Photoshop file ends with. */
export function flatPicture(bytes: Buffer, head: PsdHead, name: string): RawPicture {
  const { width, height, depth, mode, channels, palette } = head
  const colours = COLOURS[mode]
  if (colours === undefined || (depth !== 8 && depth !== 16) || channels < colours)
    return refuse(`${name} has a colour mode that is not read here (${mode}, ${depth} bits).`)
  if (mode === INDEXED && palette.length < PALETTE_BYTES) refuse(`${name} lacks its palette.`)
  const planes = readPlanes(bytes, head, name).slice(0, Math.min(channels, colours + 1))
  const opacity = planes[colours]
  const data = new Uint8Array(width * height * 4)
  for (let at = 0; at < width * height; at++) {
    paint(data, at, { mode, planes, palette })
    data[at * 4 + 3] = opacity?.[at] ?? 255
  }
  return { data, width, height }
}

function readPlanes(bytes: Buffer, head: PsdHead, name: string): Uint8Array[] {
  const { image } = head
  if (image + 2 > bytes.length) refuse(`${name} is cut off before its flat picture.`)
  const packing = bytes.readUInt16BE(image)
  const data = bytes.subarray(image + 2)
  if (packing === 0) return rawPlanes(data, head, name)
  return packing === 1
    ? runPlanes(data, head, name)
    : refuse(`${name} is packed in a way that is not read here.`)
}

const MAX_PLANES = 5

function rawPlanes(data: Buffer, { width, height, channels, depth }: PsdHead, name: string) {
  const size = width * height * (depth / 8)
  return Array.from({ length: Math.min(channels, MAX_PLANES) }, (_, plane) => {
    const samples = data.subarray(plane * size, (plane + 1) * size)
    if (samples.length < size) refuse(`${name} is cut off within its flat picture.`)
    return highBytes(samples, depth)
  })
}

/** Every line of every plane is packed by itself, and all their lengths come first. */
function runPlanes(data: Buffer, head: PsdHead, name: string): Uint8Array[] {
  const { width, height, channels, depth, large } = head
  const field = large ? 4 : 2
  const row = width * (depth / 8)
  if (data.length < channels * height * field) refuse(`${name} is cut off within its flat picture.`)
  let at = channels * height * field
  return Array.from({ length: Math.min(channels, MAX_PLANES) }, (_, plane) => {
    const samples = Buffer.alloc(row * height)
    for (let line = 0; line < height; line++) {
      const length = data.readUIntBE((plane * height + line) * field, field)
      unpackRuns(data.subarray(at, at + length), samples.subarray(line * row, (line + 1) * row))
      at += length
    }
    return highBytes(samples, depth)
  })
}

function unpackRuns(packed: Buffer, line: Buffer): void {
  let to = 0
  for (let from = 0; from < packed.length && to < line.length; ) {
    const count = packed.readInt8(from)
    from += 1
    if (count >= 0) {
      packed.copy(line, to, from, from + count + 1)
      from += count + 1
      to += count + 1
    } else if (count > -128) {
      line.fill(packed[from] ?? 0, to, to + 1 - count)
      from += 1
      to += 1 - count
    }
  }
}

function highBytes(samples: Buffer, depth: number): Uint8Array {
  if (depth === 8) return samples
  const high = new Uint8Array(samples.length / 2)
  for (let at = 0; at < high.length; at++) high[at] = samples[at * 2] ?? 0
  return high
}

interface Paint {
  readonly mode: number
  readonly planes: readonly Uint8Array[]
  readonly palette: Buffer
}

function paint(data: Uint8Array, at: number, { mode, planes, palette }: Paint): void {
  const [first = 0, second = 0, third = 0, fourth = 0] = [
    planes[0]?.[at],
    planes[1]?.[at],
    planes[2]?.[at],
    planes[3]?.[at],
  ]
  const to = at * 4
  if (mode === RGB) set(data, to, [first, second, third])
  else if (mode === GREY) set(data, to, [first, first, first])
  else if (mode === INDEXED)
    set(data, to, [palette[first] ?? 0, palette[256 + first] ?? 0, palette[512 + first] ?? 0])
  // Inks are stored as what they leave of the paper's white.
  else set(data, to, [(first * fourth) / 255, (second * fourth) / 255, (third * fourth) / 255])
}

function set(data: Uint8Array, at: number, [red, green, blue]: readonly [number, number, number]) {
  data[at] = red
  data[at + 1] = green
  data[at + 2] = blue
}
