import { constants, gzipSync, zstdCompressSync } from "node:zlib"
import { storedStream } from "../../../packages/files/archives/xz.ts"
import { wideExtra, zip } from "./build.ts"
import { rar, sevenZip } from "./build-others.ts"
import { tar } from "./build-tar.ts"
import type { HostileArchive } from "./hostile.ts"
import { TAR_BZ2, TAR_XZ } from "./packed.ts"

const PARTS = [
  { name: "a.txt", data: "some text, some text, some text" },
  { name: "d/b.txt", data: "x".repeat(5000) },
]

/** What an archive says of itself and is not so. */
export const lies: readonly HostileArchive[] = [
  lie("zip: says it is larger", () => zip([{ name: "a", data: "evil", size: 1000 }]), /shorter/),
  lie("zip: says it is empty", () => zip([{ name: "a", data: "evil", size: 0 }]), /larger/),
  lie("zip: bytes beyond the file", () => zip([{ name: "a", data: "evil", compressed: 2 ** 31 }])),
  lie("zip: packed size of none", () => zip([{ name: "a", data: "evil", compressed: 0 }])),
  lie("zip: stored with two sizes", () => zip([{ name: "a", data: "evil", method: 0, size: 3 }])),
  lie("zip: a size for zip64 without it", () => zip([{ name: "a", data: "x", size: 0xffff_ffff }])),
  lie("zip: a zip64 field that is cut off", () =>
    zip([
      { name: "a", data: "x", size: 0xffff_ffff, extra: Buffer.from([1, 0, 4, 0, 1, 2, 3, 4]) },
    ]),
  ),
  lie("zip: zip64 says an offset far out", () =>
    zip([{ name: "a", data: "x", offset: 0xffff_ffff, extra: wideExtra([2n ** 50n]) }]),
  ),
  lie("zip: an offset behind the directory", () => zip([{ name: "a", data: "x", offset: 5000 }])),
  lie("zip: an offset into the directory", () => zip([{ name: "a", data: "x", offset: 40 }])),
  lie("zip: no local header there", () => zip([{ name: "a", data: "x", offset: 2 }])),
  lie("zip: a local field over the data", () => {
    const bytes = zip([{ name: "a", data: "evil" }])
    bytes.writeUInt16LE(60_000, 28)
    return bytes
  }),
  lie("zip: says more entries", () => zip(PARTS, { count: 3 }), /says 3 entries and has 2/),
  lie("zip: says fewer entries", () => zip(PARTS, { count: 1 }), /says 1 entries and has 2/),
  lie("zip: says no entries", () => zip(PARTS, { count: 0 })),
  lie("zip: says 65,535 entries", () => zip(PARTS, { count: 65_535 })),
  lie("zip64: says 2^40 entries", () => zip(PARTS, { zip64: { count: 2n ** 40n } })),
  lie("zip64: says 2^63 entries", () => zip(PARTS, { zip64: { count: 2n ** 63n } })),
  lie("zip64: a directory of 2^40 bytes", () => zip(PARTS, { zip64: { bytes: 2n ** 40n } })),
  lie("zip64: a directory of 2^63 bytes", () => zip(PARTS, { zip64: { bytes: 2n ** 63n } })),
  lie("zip64: a directory far out", () => zip(PARTS, { zip64: { offset: 2n ** 40n } })),
  lie("zip64: the record is not there", () => {
    const bytes = zip(PARTS, { zip64: { at: 3n } })
    bytes.fill(0, bytes.length - 98, bytes.length - 94)
    return bytes
  }),
  lie("zip: a directory larger than the file", () => zip(PARTS, { directoryBytes: 2 ** 30 })),
  lie("zip: a directory far out", () => zip(PARTS, { directoryOffset: 2 ** 31 })),
  lie("zip: a directory that is shorter", () => zip(PARTS, { directoryBytes: 50 })),
  lie("zip: one of several volumes", () => zip(PARTS, { disk: 1 })),
  lie("zip: nothing but zeros in the directory", () => {
    const bytes = zip(PARTS)
    const start = bytes.readUInt32LE(bytes.length - 6)
    return bytes.fill(0, start, bytes.length - 22)
  }),
  lie("zip: encrypted", () => zip([{ name: "a", data: "x", flags: 1 }]), /a is encrypted/),
  lie("zip: strongly encrypted", () => zip([{ name: "a", data: "x", flags: 0x41 }]), /encrypted/),
  lie("zip: its directory encrypted", () => zip([{ name: "a", data: "x", flags: 0x2000 }])),
  lie(
    "zip: deflate64",
    () => zip([{ name: "a", data: "x", method: 9 }]),
    /a is packed by deflate64/,
  ),
  lie("zip: bzip2", () => zip([{ name: "a", data: "x", method: 12 }]), /bzip2/),
  lie("zip: lzma", () => zip([{ name: "a", data: "x", method: 14 }]), /lzma/),
  lie("zip: method 77", () => zip([{ name: "a", data: "x", method: 77 }]), /method 77/),
  lie("zip: another checksum, stored", () => zip([{ name: "a", data: "x", method: 0, crc: 1 }])),
  lie("zip: another checksum", () => zip([{ name: "a", data: "x", crc: 1 }]), /a is damaged/),
  lie("zip: no deflate data", () =>
    zip([{ name: "a", data: "x", packed: Buffer.from([255, 255, 255]), method: 8 }]),
  ),
  lie("gz: another checksum", () => flipped(gzipSync("x".repeat(1000)), -6)),
  lie("gz: another size", () => flipped(gzipSync("x".repeat(1000)), -2)),
  lie("zst: another checksum", () => {
    const params = { [constants.ZSTD_c_checksumFlag]: 1 }
    return flipped(zstdCompressSync("x".repeat(1000), { params }), -2)
  }),
  lie("7z: another checksum", () => sevenZip([{ name: "a", data: "evil", crc: 1 }])),
  lie("7z: its header damaged", () => flipped(sevenZip(PARTS), -9)),
  lie("rar: another checksum", () => rar([{ name: "a", data: "evil", crc: 1 }])),
  lie("xz: another checksum", () => flipped(storedStream(tar(PARTS)), 40)),
  lie("xz, packed: another checksum", () => flipped(TAR_XZ, 120)),
  lie("xz: an index that says more", () => flipped(storedStream(tar(PARTS)), -26)),
  lie("bz2: damaged", () => flipped(TAR_BZ2, 70)),
  lie("bz2: another checksum at the end", () => flipped(TAR_BZ2, -3)),
  lie("tar: a size below zero", () =>
    tar([{ name: "a", data: "x", sizeField: Buffer.alloc(12, 0xff) }]),
  ),
  lie("tar: a size of 2^80", () =>
    tar([
      { name: "a", data: "x", sizeField: Buffer.from([0x80, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]) },
    ]),
  ),
  lie("tar: a size that is no number", () =>
    tar([{ name: "a", data: "x", sizeField: Buffer.from("zzzzzzzzzzz\0") }]),
  ),
  lie("tar: another checksum in the second header", () =>
    tar([
      { name: "a", data: "x" },
      { name: "b", data: "x", checksum: 5 },
    ]),
  ),
  lie("tar: a pax size of 2^60", () =>
    tar([{ name: "a", data: "x", pax: { size: String(2n ** 60n) } }]),
  ),
  lie("tar: a pax size that is no number", () =>
    tar([{ name: "a", data: "x", pax: { size: "-5" } }]),
  ),
  lie("tar: a pax header of 20 MB", () =>
    tar([{ name: "a", data: "x", pax: { comment: "x".repeat(20_000_000) } }]),
  ),
  ...cuts("zip", () => zip(PARTS)),
  ...cuts("tar", () => tar(PARTS).subarray(0, -1024 - 200)),
  ...cuts("tar.gz", () => gzipSync(tar(PARTS))),
  ...cuts("tar.zst", () => zstdCompressSync(tar(PARTS))),
  ...cuts("tar.xz", () => TAR_XZ),
  ...cuts("tar.bz2", () => TAR_BZ2),
  ...cuts("7z", () => sevenZip(PARTS)),
  ...cuts("rar", () => rar(PARTS).subarray(0, -8)),
]

function lie(what: string, make: () => Buffer, says?: RegExp): HostileArchive {
  return { what, make, ends: "refused", ...(says ? { says } : {}) }
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  const index = at < 0 ? copy.length + at : at
  copy[index] = (copy[index] ?? 0) ^ 0x10
  return copy
}

function cuts(format: string, make: () => Buffer): HostileArchive[] {
  return [
    lie(`${format}: cut in the middle`, () => make().subarray(0, make().length >> 1)),
    lie(`${format}: without its last bytes`, () => make().subarray(0, -7)),
  ]
}
