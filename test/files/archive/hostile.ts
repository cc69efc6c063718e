// Archives that want out, want more than they may have, or lie. Each says what may become of it.

import { constants, crc32, deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib"
import { storedStream } from "../../../packages/files/archives/xz.ts"
import { overlappingZip, quotedZip, unicodeExtra, wideExtra, zip, type ZipPart } from "./build.ts"
import { rar, sevenZip } from "./build-others.ts"
import { tar } from "./build-tar.ts"
import { lies } from "./hostile-lies.ts"
import { SLIP_TAR_BZ2, SLIP_TAR_XZ, ZEROS_BZ2, ZEROS_XZ } from "./packed.ts"

export interface HostileArchive {
  readonly what: string
  readonly make: () => Buffer
  /** `harmless`: it may be extracted, as long as nothing but plain files lies inside afterwards. */
  readonly ends: "refused" | "harmless"
  /** What the refusal says. */
  readonly says?: RegExp
  /** How many files there are, where it is harmless. */
  readonly files?: number
}

const MEGABYTE = 1024 * 1024

/** Names that some system follows out of the folder, and one that is an absolute path to `outside`. */
const WAYS_OUT: readonly string[] = [
  "../evil",
  "../../evil",
  "../../../../../../../../../../tmp/compositor-evil",
  "..",
  "../",
  "./../evil",
  ".//..//evil",
  "a/../../evil",
  "a/b/../../../evil",
  "a/./../../evil",
  "a//../..//evil",
  "a/..",
  "a/b/..",
  "..\\evil",
  "..\\..\\evil",
  "a\\..\\..\\evil",
  "a/..\\../evil",
  ".\\..\\evil",
  "/tmp/compositor-evil",
  "//tmp/compositor-evil",
  "/../tmp/compositor-evil",
  "\\tmp\\compositor-evil",
  "\\\\server\\share\\evil",
  "\\\\?\\C:\\evil",
  "\\??\\C:\\evil",
  "\\\\.\\PhysicalDrive0",
  "C:\\evil",
  "C:/evil",
  "c:evil",
  "./C:/evil",
  "Z:\\..\\..\\evil",
  ".. /evil",
  " ../evil",
  "..\t/evil",
  "a/.. /../evil",
  "\uff0e\uff0e/evil",
  "\u2025/evil",
  "\u2024\u2024/evil",
  "\uff0e\uff0e\uff0fevil",
  "..\uff0fevil",
  "..\uff3cevil",
]

const WITH_NUL = ["evil\0.txt", "../evil\0.txt", "a.txt\0/../../evil"]

const slips: readonly HostileArchive[] = [
  ...WAYS_OUT.map((name) => refused(`zip: ${name}`, () => zip([{ name, data: "evil" }]))),
  ...WITH_NUL.map((name) =>
    refused(`zip: ${name.replace("\0", "␀")}`, () => zip([{ name, data: "evil" }])),
  ),
  ...WAYS_OUT.map((name) => refused(`tar: ${name}`, () => tar([{ name, data: "evil" }]))),
  ...WAYS_OUT.slice(0, 22).map((path) =>
    refused(`tar, pax name: ${path}`, () => tar([{ name: "a", data: "evil", pax: { path } }])),
  ),
  ...["../evil", "/tmp/compositor-evil", "..\\evil", "C:\\evil", "a/../../evil"].flatMap((name) => [
    refused(`7z: ${name}`, () => sevenZip([{ name, data: "evil" }])),
    refused(`rar: ${name}`, () => rar([{ name, data: "evil" }])),
    refused(`tar.gz: ${name}`, () => gzipSync(tar([{ name, data: "evil" }]))),
    refused(`tar.zst: ${name}`, () => zstdCompressSync(tar([{ name, data: "evil" }]))),
    refused(`tar.xz: ${name}`, () => storedStream(tar([{ name, data: "evil" }]))),
  ]),
  refused("tar.bz2: ../evil.txt", () => SLIP_TAR_BZ2),
  refused("tar.xz, packed: ../evil.txt", () => SLIP_TAR_XZ),
  refused("tar: out by the prefix field", () =>
    tar([{ name: "evil", prefix: "..", data: "evil" }]),
  ),
  refused("tar: out by a long name", () =>
    tar([{ name: "a", longName: `${"a/".repeat(90)}${"../".repeat(100)}evil`, data: "evil" }]),
  ),
  refused("tar: out by a name for all", () =>
    tar([{ name: "a", globalPax: { path: "../evil" }, pax: { comment: "x" }, data: "evil" }]),
  ),
  refused("zip: out by the second name", () =>
    zip([{ name: "a", extra: unicodeExtra("a", "../evil"), data: "evil" }]),
  ),
  refused("zip: a folder that leads out", () => zip([{ name: "../evil/", mode: 0o040755 }])),
  refused("zip: a good entry before the bad one", () =>
    zip([
      { name: "good", data: "good" },
      { name: "../evil", data: "evil" },
    ]),
  ),
  refused("zip: a name of 300 bytes", () => zip([{ name: "a".repeat(300), data: "x" }])),
  refused("zip: a path of 5,000 bytes", () => zip([{ name: "abc/".repeat(1250), data: "x" }])),
  refused("zip: 33 folders deep", () => zip([{ name: `${"d/".repeat(33)}f`, data: "x" }])),
  refused("tar: 33 folders deep", () => tar([{ name: `${"d/".repeat(33)}f`, data: "x" }])),
  refused("zip: no name", () => zip([{ name: "", data: "x" }])),
  refused("zip: the name .", () => zip([{ name: ".", data: "x" }])),
  harmless("zip: bytes that are no UTF-8 spell ..", 1, () =>
    zip([{ name: Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x65]), data: "x", flags: 0x800 }]),
  ),
  harmless("zip: .. as a URL spells it", 1, () => zip([{ name: "%2e%2e%2fevil", data: "x" }])),
  harmless("zip: a name with a line break and an escape", 1, () =>
    zip([{ name: "a\n\u001b[2Jb\u202etxt.exe", data: "x" }]),
  ),
  harmless("zip: another name beside the bytes", 1, () =>
    zip([{ name: "a", localName: "../evil", data: "evil" }]),
  ),
]

const LINK = 0o120777

function throughLink(link: string): ZipPart[] {
  return [
    { name: "link", data: link, mode: LINK },
    { name: "link/compositor-evil", data: "evil" },
  ]
}

const links: readonly HostileArchive[] = [
  ...["/tmp", "..", "../../..", "."].flatMap((link) => [
    harmless(`zip: a file through a link to ${link}`, 1, () => zip(throughLink(link))),
    harmless(`tar: a file through a link to ${link}`, 1, () =>
      tar([
        { name: "link", type: "2", link },
        { name: "link/compositor-evil", data: "evil" },
      ]),
    ),
    harmless(`7z: a file through a link to ${link}`, 1, () =>
      sevenZip([
        { name: "link", data: link, mode: LINK },
        { name: "link/compositor-evil", data: "evil" },
      ]),
    ),
  ]),
  harmless("tar: a chain of links", 1, () =>
    tar([
      { name: "a", type: "2", link: "b" },
      { name: "b", type: "2", link: ".." },
      { name: "c", type: "1", link: "a" },
      { name: "a/compositor-evil", data: "evil" },
    ]),
  ),
  harmless("tar: a folder that becomes a link", 1, () =>
    tar([
      { name: "d", type: "5" },
      { name: "d", type: "2", link: "/tmp" },
      { name: "d/compositor-evil", data: "evil" },
    ]),
  ),
  harmless("tar: a folder that becomes a link in other letters", 1, () =>
    tar([
      { name: "Dir", type: "5" },
      { name: "dir", type: "2", link: "/tmp" },
      { name: "DIR/compositor-evil", data: "evil" },
    ]),
  ),
  ...["/etc/passwd", "../../outside", "../outside/secret"].flatMap((link) => [
    harmless(`tar: a hard link to ${link}, then written to`, 1, () =>
      tar([
        { name: "h", type: "1", link },
        { name: "h", data: "evil" },
      ]),
    ),
    harmless(`tar.gz: a hard link to ${link}`, 0, () =>
      gzipSync(tar([{ name: "h", type: "1", link }])),
    ),
  ]),
  harmless("tar: a link with the name of a file before it", 1, () =>
    tar([
      { name: "a", data: "good" },
      { name: "a", type: "2", link: "/etc/passwd" },
    ]),
  ),
  ...(["3", "4", "6"] as const).map((type) =>
    harmless(`tar: a special file of type ${type}`, 0, () => tar([{ name: "dev", type }])),
  ),
  ...[0o020666, 0o060666, 0o010666, 0o140777].map((mode) =>
    harmless(`zip: a special file of mode ${mode.toString(8)}`, 0, () =>
      zip([{ name: "dev", data: "x", mode }]),
    ),
  ),
  harmless("zip: a file for every user to run as root", 1, () =>
    zip([{ name: "su", data: "x", mode: 0o104777 }]),
  ),
]

function zeros(bytes: number): Buffer {
  return deflateRawSync(Buffer.alloc(bytes), { level: 9 })
}

const bombs: readonly HostileArchive[] = [
  refused("zip: 190 names for the same bytes, 4 GB", () => overlappingZip(21_000_000, 190)),
  refused("zip: 190 entries that quote each other, 4 GB", () => quotedZip(21_000_000, 190)),
  refused(
    "zip: 50 names for the same few bytes",
    () => overlappingZip(1000, 50),
    /shares its bytes/,
  ),
  refused("zip: 50 entries that quote each other", () => quotedZip(1000, 50), /shares its bytes/),
  refused("zip: 200 MB of zeros", () => zip([{ name: "z", data: Buffer.alloc(200 * MEGABYTE) }])),
  refused("zip: 30 times 5 MB of zeros", () => {
    const data = Buffer.alloc(5 * MEGABYTE)
    const packed = deflateRawSync(data)
    return zip(Array.from({ length: 30 }, (_, at) => ({ name: `z${at}`, data, packed, method: 8 })))
  }),
  refused("tar: says 8 GB", () => tar([{ name: "z", size: 8 * 1024 * MEGABYTE - 1, data: "x" }])),
  refused("tar.gz: 200 MB of zeros", () =>
    gzipSync(tar([{ name: "z", data: Buffer.alloc(200 * MEGABYTE) }])),
  ),
  refused("tar.gz: 300 MB in an entry that is passed over", () =>
    gzipSync(tar([{ name: "z", type: "S", data: Buffer.alloc(300 * MEGABYTE) }])),
  ),
  refused("gz: 2 GB of zeros in 20 members", () => {
    const member = gzipSync(Buffer.alloc(100 * MEGABYTE), { level: 9 })
    return Buffer.concat(Array.from({ length: 20 }, () => member))
  }),
  refused("bz2: 450 MB of zeros in 10 streams", () =>
    Buffer.concat(Array.from({ length: 10 }, () => ZEROS_BZ2)),
  ),
  refused("xz: 160 MB of zeros in 100 streams", () =>
    Buffer.concat(Array.from({ length: 100 }, () => ZEROS_XZ)),
  ),
  refused("zst: 500 MB of zeros", () => zstdCompressSync(Buffer.alloc(500 * MEGABYTE))),
  refused("zst: wants a window of 2 GB", () => {
    const params = {
      [constants.ZSTD_c_windowLog]: 31,
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    }
    return zstdCompressSync(Buffer.alloc(120 * MEGABYTE), { params })
  }),
  harmless("zip in zip in zip, ten times", 1, () => {
    let inner = zip([{ name: "z", data: Buffer.alloc(10 * MEGABYTE) }])
    for (let level = 0; level < 10; level++) inner = zip([{ name: "inner.zip", data: inner }])
    return inner
  }),
  refused("zip: an entry that holds the whole archive", () => {
    const size = 500
    return zip([{ name: "self.zip", data: "x", method: 0, size, compressed: size, offset: 0 }])
  }),
  refused("zip: 200,000 entries", () => many(200_000), /more than/),
  refused("tar: 20,000 entries", () => manyInTar(20_000), /more than/),
  refused("tar.gz: 200,000 entries", () => gzipSync(manyInTar(200_000)), /more than/),
  refused("zip: 12,400 folders around 400 files", () =>
    zip(
      Array.from({ length: 400 }, (_, at) => ({
        name: `${Array.from({ length: 31 }, (_, level) => `${at}-${level}`).join("/")}/f`,
        data: "x",
      })),
    ),
  ),
  refused("tar: 20,000 links", () =>
    tar(Array.from({ length: 20_000 }, (_, at) => ({ name: `l${at}`, type: "2", link: "x" }))),
  ),
  harmless("zip: 2,000 entries of the same name", 2000, () =>
    zip(Array.from({ length: 2000 }, () => ({ name: "a.txt", data: "" }))),
  ),
  harmless("tar: a sparse file of 1 TB, old kind", 0, () =>
    tar([{ name: "sparse", type: "S", data: "x" }]),
  ),
  harmless("tar: a sparse file of 1 TB, pax kind", 0, () =>
    tar([
      {
        name: "GNUSparseFile.0/s",
        data: "1\n0\n1\nx",
        pax: {
          "GNU.sparse.major": "1",
          "GNU.sparse.minor": "0",
          "GNU.sparse.realsize": "1099511627776",
        },
      },
    ]),
  ),
  refused("7z: 120 MB, stored", () => sevenZip([{ name: "z", data: Buffer.alloc(120_000_000) }])),
  refused("rar: 110 MB, stored", () => rar([{ name: "z", data: Buffer.alloc(110_000_000) }])),
]

function many(count: number): Buffer {
  return zip(
    Array.from({ length: count }, (_, at) => ({ name: String(at) })),
    {
      zip64: {},
    },
  )
}

function manyInTar(count: number): Buffer {
  return tar(Array.from({ length: count }, (_, at) => ({ name: String(at) })))
}

const COLLIDING: readonly (readonly string[])[] = [
  ["a.txt", "A.TXT"],
  ["a.txt", "a.txt"],
  ["caf\u00e9", "cafe\u0301"],
  ["stra\u00dfe", "STRASSE", "strasse"],
  ["\ufb01le", "file"],
  ["\u212a", "k"],
  ["a", "a/b"],
  ["a/b", "a"],
  ["BUILD", "build/x"],
  ["d/x", "D/x", "d/X"],
  ["a~2.txt", "a.txt", "A.txt"],
]

const collisions: readonly HostileArchive[] = COLLIDING.flatMap((names) => {
  const parts = names.map((name, at) => ({ name, data: `number ${at}` }))
  return [
    harmless(`zip: ${names.join(" and ")}`, names.length, () => zip(parts)),
    harmless(`tar: ${names.join(" and ")}`, names.length, () => tar(parts)),
  ]
})

/** An entry that says it is small and is not; more such in `hostile-lies.ts`. */
const sizes: readonly HostileArchive[] = [
  refused("zip: says 10 bytes, has 50 MB", () =>
    zip([{ name: "z", packed: zeros(50 * MEGABYTE), method: 8, size: 10, crc: 0 }]),
  ),
  refused("zip: says 10 bytes, has 200 MB in a stream", () =>
    zip([{ name: "z", packed: zeros(200 * MEGABYTE), method: 8, size: 6 * MEGABYTE, crc: 0 }]),
  ),
  refused("zip: says 4 GB by zip64, has 4 bytes", () =>
    zip([{ name: "z", data: "evil", extra: wideExtra([2n ** 32n, 4n]), size: 0xffff_ffff }]),
  ),
  refused("zip: says 16 EB", () =>
    zip([{ name: "z", data: "evil", extra: wideExtra([2n ** 64n - 1n]), size: 0xffff_ffff }]),
  ),
  refused("zip: the checksum of a large entry is another", () =>
    zip([{ name: "z", data: Buffer.alloc(6 * MEGABYTE), crc: crc32("x") }]),
  ),
]

export const HOSTILE: readonly HostileArchive[] = [
  ...slips,
  ...links,
  ...bombs,
  ...collisions,
  ...sizes,
  ...lies,
]

function refused(what: string, make: () => Buffer, says?: RegExp): HostileArchive {
  return { what, make, ends: "refused", ...(says ? { says } : {}) }
}

function harmless(what: string, files: number, make: () => Buffer): HostileArchive {
  return { what, make, ends: "harmless", files }
}
