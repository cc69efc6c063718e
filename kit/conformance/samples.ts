import { deflateSync } from "node:zlib"
import type { AnyPart } from "compositor-client/client"

/** Bytes of no known kind. */
export const BYTES = Buffer.from([0, 1, 2, 3, 250, 251, 252, 0])

/** One of each kind that a user may send. */
export const PARTS: readonly AnyPart[] = [
  { type: "text", text: "first" },
  { type: "file-ref", ref: { kind: "path", path: "src/one.ts", range: { start: 1, end: 2 } } },
  { type: "file-attachment", name: "a.csv", mime: "text/csv", data: "YSxiCjEsMgo=" },
  { type: "mention", target: { kind: "symbol", name: "parse" } },
  {
    type: "editor-context",
    kind: "weather-of-the-host",
    source: "kit",
    payload: { deep: { er: [1, null] } },
    emitted_at: 7,
  },
  {
    type: "directory-ref",
    ref: { kind: "scope", id: "dir_000000000000aaaaaaaaaaaaaa", name: "docs" },
  },
  { type: "command", id: "/search", args: { raw: "errors" } },
]

/** A picture of one point. */
export const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64")

/** A picture of one colour. */
export function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const rows = Buffer.alloc((width * 3 + 1) * height, 7)
  for (let row = 0; row < height; row++) rows[row * (width * 3 + 1)] = 0
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([size, named, sum])
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

/** Files that are no more than what makes them recognisable. */
export const PDF = Buffer.from("%PDF-1.7\n")
export const WAV = Buffer.concat([
  Buffer.from("RIFF"),
  Buffer.from([36, 0, 0, 0]),
  Buffer.from("WAVEfmt "),
  Buffer.from([16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 128, 62, 0, 0, 2, 0, 16, 0]),
  Buffer.from("data"),
  Buffer.from([0, 0, 0, 0]),
])
export const MP4 = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from("ftypisom"),
  Buffer.from([0, 0, 2, 0]),
  Buffer.from("isomiso2"),
  Buffer.from([0, 0, 0, 8]),
  Buffer.from("mdat"),
])

/** An archive of stored files, with its directory. */
export function zip(files: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let at = 0
  for (const [name, content] of Object.entries(files)) {
    const [path, data] = [Buffer.from(name), Buffer.from(content)]
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    about.writeUInt32LE(crc32(data), 10)
    about.writeUInt32LE(data.length, 14)
    about.writeUInt32LE(data.length, 18)
    about.writeUInt16LE(path.length, 22)
    locals.push(Buffer.from("PK\x03\x04", "latin1"), about, path, data)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(at, 10)
    entries.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), about, rest, path)
    at += 30 + path.length + data.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.write("PK\x05\x06", "latin1")
  end.writeUInt16LE(locals.length / 4, 8)
  end.writeUInt16LE(locals.length / 4, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, directory, end])
}

export function attached(name: string, bytes: Uint8Array, mime = "application/octet-stream") {
  const data = Buffer.from(bytes).toString("base64")
  return { type: "file-attachment", name, mime, data } as const
}
