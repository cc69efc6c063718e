import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync, zstdCompressSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import {
  type ArchiveSource,
  extractArchive,
  listArchive,
  readArchiveEntry,
} from "../../../packages/files/archives/archive.ts"
import { storedStream } from "../../../packages/files/archives/xz.ts"
import { collectBytes, temporaryFolder } from "../../build.ts"
import { unicodeExtra, zip } from "./build.ts"
import { rar, sevenZip } from "./build-others.ts"
import { tar } from "./build-tar.ts"
import { BYTES_BZ2, NAMES_7Z, TAR_BZ2, TAR_XZ, ZEROS_BZ2, ZEROS_XZ } from "./packed.ts"

const TEXT = "line one\nline two\n".repeat(40)
const PARTS = [
  { name: "a.txt", data: TEXT },
  { name: "src/deep/b.ts", data: "export const b = 1\n" },
]
const FILES = { "a.txt": TEXT, "src/deep/b.ts": "export const b = 1\n" }

/** What is in the folder after an archive was extracted into it. */
async function extracted(source: ArchiveSource): Promise<Record<string, string>> {
  const to = join(await temporaryFolder(), "to")
  const result = await extractArchive(source, { to })
  if (result.type !== "extracted") throw new Error(JSON.stringify(result))
  return filesIn(to)
}

async function filesIn(folder: string): Promise<Record<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = found
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const contents = files.map(async (path) => [
    path.slice(folder.length + 1),
    await readFile(path, "latin1"),
  ])
  return Object.fromEntries(await Promise.all(contents)) as Record<string, string>
}

function holds(source: ArchiveSource, files: Record<string, string>) {
  return expect(extracted(source)).resolves.toEqual(files)
}

describe("extractArchive", () => {
  const formats: readonly (readonly [string, Buffer])[] = [
    ["zip", zip(PARTS)],
    ["zip with sizes behind the data", zip(PARTS.map((part) => ({ ...part, descriptor: true })))],
    [
      "zip64",
      zip(
        PARTS.map((part) => ({ ...part, zip64: true })),
        { zip64: {} },
      ),
    ],
    ["stored zip", zip(PARTS.map((part) => ({ ...part, method: 0 })))],
    ["tar", tar(PARTS)],
    ["tar of the oldest kind", tar(PARTS.map((part) => ({ ...part, magic: "" })))],
    ["tar.gz", gzipSync(tar(PARTS))],
    ["tar.zst", zstdCompressSync(tar(PARTS))],
    ["tar.xz", storedStream(tar(PARTS))],
    ["7z", sevenZip(PARTS)],
    ["rar", rar(PARTS)],
  ]
  it.each(formats)("[BIN-012] extracts a %s", (_, bytes) => holds({ bytes }, FILES))

  it("[BIN-012] extracts a packed tar.bz2 and tar.xz", async () => {
    await holds({ bytes: TAR_BZ2 }, { "a.txt": "hello bzip2\n".repeat(500) })
    await holds({ bytes: TAR_XZ }, { "a.txt": "hello xz\n".repeat(500) })
  })

  it("[BIN-012] extracts one compressed file under its own name", async () => {
    const bytes = Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * at * 7 + at) % 251))
    const content = bytes.toString("latin1")
    await holds({ bytes: gzipSync(bytes), name: "log.txt.gz" }, { "log.txt": content })
    await holds({ bytes: zstdCompressSync(bytes), name: "log.txt.zst" }, { "log.txt": content })
    await holds({ bytes: storedStream(bytes), name: "../up/log.txt.xz" }, { "log.txt": content })
    await holds({ bytes: BYTES_BZ2, name: "log.txt.bz2" }, { "log.txt": content })
  })

  it("[BIN-012] unpacks members and streams that follow each other", async () => {
    const twice = (bytes: Buffer) => Buffer.concat([bytes, bytes])
    await holds({ bytes: twice(gzipSync("one ")), name: "a.gz" }, { a: "one one " })
    await holds(
      { bytes: twice(storedStream(Buffer.from("one "))), name: "a.xz" },
      { a: "one one " },
    )
    const zeros = await extracted({ bytes: twice(ZEROS_BZ2), name: "zeros.bz2" })
    expect(zeros.zeros).toHaveLength(90_000_000)
    const more = await extracted({ bytes: twice(ZEROS_XZ), name: "zeros.xz" })
    expect(more.zeros).toHaveLength(3_200_000)
  })

  it("[BIN-012] extracts large entries as a stream", async () => {
    const data = Buffer.alloc(9_000_000, "some text that repeats, ")
    const files = { large: data.toString("latin1"), stored: data.toString("latin1") }
    const parts = [
      { name: "large", data },
      { name: "stored", data, method: 0 },
    ]
    await holds({ bytes: zip(parts) }, files)
    await holds({ bytes: tar(parts) }, files)
  })

  it("[BIN-012] extracts names that only look dangerous", async () => {
    const names = [
      "...",
      "....",
      "a..b",
      "..a",
      "a..",
      ".hidden",
      "d/.../e",
      "d/..e/f",
      "a b ",
      "~",
      "-rf",
      "12:30.log",
    ]
    const files = Object.fromEntries(names.map((name) => [name, name]))
    const parts = names.map((name) => ({ name, data: name }))
    await holds({ bytes: zip(parts) }, files)
    await holds({ bytes: tar(parts.map(({ name, data }) => ({ name: `./${name}`, data }))) }, files)
  }, 20_000)

  it("[BIN-062] extracts a log that was packed 300 to 1", async () => {
    const data = "2026-11-15 07:42:00 INFO all is well\n".repeat(200_000)
    const bytes = zip([{ name: "app.log", data }])
    expect(data.length / bytes.length).toBeGreaterThan(300)
    await holds({ bytes }, { "app.log": data })
  })

  it("[BIN-012] does not mind what stands before or after an archive", async () => {
    const program = Buffer.concat([Buffer.from("MZ"), Buffer.alloc(5000, 7)])
    await holds({ bytes: zip(PARTS, { prefix: program }) }, FILES)
    await holds({ bytes: zip(PARTS, { prefix: "#!/bin/sh\nexec unzip $0\n" }) }, FILES)
    await holds({ bytes: zip(PARTS, { comment: "PK\x05\x06, says the comment" }) }, FILES)
    await holds({ bytes: zip(PARTS, { after: "\n" }) }, FILES)
    await holds({ bytes: Buffer.concat([program, sevenZip(PARTS)]) }, FILES)
    await holds({ bytes: Buffer.concat([program, rar(PARTS)]) }, FILES)
  })

  it("[BIN-012] reads names as their writers meant them", async () => {
    const cp437 = Buffer.from([0x81, 0x62, 0x65, 0x72]) // über
    const parts = [
      { name: cp437, data: "1" },
      { name: "日本.txt", data: "2" },
      { name: "raw", data: "3", extra: unicodeExtra("raw", "größe") },
      { name: "dir\\sub\\file", data: "4" },
    ]
    await holds(
      { bytes: zip(parts) },
      { über: "1", "日本.txt": "2", größe: "3", "dir/sub/file": "4" },
    )
    await holds({ bytes: tar([{ name: "a", pax: { path: "日本" }, data: "x" }]) }, { 日本: "x" })
    await holds({ bytes: tar([{ name: "日本", data: "x" }]) }, { 日本: "x" })
    await holds({ bytes: sevenZip([{ name: "日本", data: "x" }]) }, { 日本: "x" })
    await holds({ bytes: rar([{ name: "日本", data: "x" }]) }, { 日本: "x" })
    await holds(
      { bytes: NAMES_7Z },
      { "größe 😀.txt": "two\n", "plain.txt": "", "日本.txt": "one\n" },
    )
  })

  it("[BIN-012] keeps every entry whose name meets another's, and says so", async () => {
    const to = join(await temporaryFolder(), "to")
    const bytes = zip([
      { name: "Read.me", data: "1" },
      { name: "READ.ME", data: "2" },
      { name: "link", data: "/etc/passwd", mode: 0o120777 },
      { name: "d\u001bir/x", data: "3" },
    ])
    const result = await extractArchive({ bytes }, { to })
    expect(result).toEqual({
      type: "extracted",
      files: 3,
      bytes: 3,
      notes: [
        "READ.ME became READ~2.ME, since names met",
        "link is a link and was left out",
        "d\\u{1b}ir/x was renamed to d_ir/x",
      ],
    })
    expect(await filesIn(to)).toEqual({ "Read.me": "1", "READ~2.ME": "2", "d_ir/x": "3" })
  })

  it("[BIN-012] extracts an empty archive into an empty folder", async () => {
    await holds({ bytes: zip([]) }, {})
    await holds({ bytes: zip([{ name: "only/folders/", mode: 0o040755 }]) }, {})
  })

  it("[BIN-012] says which format it does not read", async () => {
    const to = join(await temporaryFolder(), "to")
    const say = (bytes: Buffer) => extractArchive({ bytes }, { to })
    expect(await say(Buffer.from("only text"))).toEqual({ type: "unsupported", format: "unknown" })
    expect(await say(Buffer.from("MSCF\0\0\0\0"))).toEqual({ type: "unsupported", format: "cab" })
    expect(await say(Buffer.alloc(0))).toEqual({ type: "unsupported", format: "unknown" })
    expect(existsSync(to)).toBe(false)
  })
})

describe("the destination", () => {
  it("[BIN-062] is not a link, a file, or a folder with something in it", async () => {
    const folder = await temporaryFolder()
    const tried = async (name: string) => {
      const result = await extractArchive({ bytes: zip(PARTS) }, { to: join(folder, name) })
      return result.type === "refused" ? result.reason.replace(folder, "") : result.type
    }
    await mkdir(join(folder, "real"))
    await symlink(join(folder, "real"), join(folder, "link"))
    await symlink(join(folder, "nowhere"), join(folder, "dangling"))
    await mkdir(join(folder, "full"))
    await writeFile(join(folder, "full", "mine"), "mine")
    await mkdir(join(folder, "empty"))
    expect(await tried("link")).toBe("/link is a link")
    expect(await tried("dangling")).toBe("/dangling is a link")
    expect(await tried("full")).toBe("/full is not empty")
    expect(await tried("full/mine")).toBe("/full/mine is not a folder")
    expect(await tried("empty")).toBe("extracted")
    expect(await tried("new/and/deep")).toBe("extracted")
    expect(await readdir(join(folder, "real"))).toEqual([])
    expect((await readdir(folder)).sort()).toEqual([
      "dangling",
      "empty",
      "full",
      "link",
      "new",
      "real",
    ])
  })

  it("[BIN-062] is not there when the archive was refused, and neither is what was made for it", async () => {
    const folder = await temporaryFolder()
    const bytes = zip([...PARTS, { name: "bad", data: "x", crc: 1 }])
    const result = await extractArchive({ bytes }, { to: join(folder, "a/b/c") })
    expect(result).toEqual({
      type: "refused",
      reason: "bad is damaged: its checksum is another",
      entry: "bad",
    })
    expect(await readdir(folder)).toEqual([])
  })
})

describe("limits of an archive", () => {
  const MEGABYTE = 1024 * 1024
  const bomb = zip([{ name: "z", data: Buffer.alloc(64 * MEGABYTE) }])

  it("[BIN-062] are what the caller says", async () => {
    const folder = await temporaryFolder()
    const tried = (limits: object, bytes: Buffer) =>
      extractArchive({ bytes }, { to: join(folder, "to"), limits })
    const reason = { type: "refused", reason: "z brings the archive over 1000 bytes", entry: "z" }
    expect(await tried({ bytes: 1000 }, bomb)).toEqual(reason)
    expect(await tried({ files: 1 }, zip(PARTS))).toMatchObject({ type: "refused" })
    expect(await tried({ depth: 1 }, tar(PARTS))).toMatchObject({ entry: "src/deep/b.ts" })
    expect(await tried({ bytes: TEXT.length + 19, files: 2, depth: 2 }, zip(PARTS))).toMatchObject({
      type: "extracted",
    })
  })

  it("[BIN-062] end an archive that takes too long, and leave nothing", async () => {
    const folder = await temporaryFolder()
    const bytes = Buffer.concat(Array.from({ length: 200 }, () => ZEROS_BZ2))
    const limits = { milliseconds: 300, bytes: 1e12 }
    const result = await extractArchive({ bytes }, { to: join(folder, "to"), limits })
    expect(result).toEqual({ type: "refused", reason: "the archive took longer than 0.3 s" })
    expect(await readdir(folder)).toEqual([])
  })

  it("[BIN-062] end with the caller's wish, too", async () => {
    const folder = await temporaryFolder()
    const signal = AbortSignal.timeout(200)
    const bytes = Buffer.concat(Array.from({ length: 200 }, () => ZEROS_BZ2))
    const options = { to: join(folder, "to"), limits: { bytes: 1e12 }, signal }
    await expect(extractArchive({ bytes }, options)).rejects.toThrow(/abort|timeout/i)
    expect(await readdir(folder)).toEqual([])
  })

  it("[BIN-062] tells how far it has come", async () => {
    const folder = await temporaryFolder()
    const seen: number[] = []
    const bytes = Buffer.concat(Array.from({ length: 2 }, () => ZEROS_BZ2))
    await extractArchive(
      { bytes },
      { to: join(folder, "to"), progress: (_, done) => seen.push(done) },
    )
    expect(seen.length).toBeGreaterThan(0)
    expect(seen).toEqual([...seen].sort((left, right) => left - right))
  })

  it("[BIN-012] refuses what is not a regular file, without waiting for it", async () => {
    const folder = await temporaryFolder()
    execFileSync("mkfifo", [join(folder, "pipe")])
    const tried = (name: string) => listArchive({ path: join(folder, name) })
    expect(await tried("pipe")).toMatchObject({
      reason: expect.stringMatching(/not a regular file/),
    })
    expect(await tried("none")).toMatchObject({ reason: expect.stringMatching(/does not exist/) })
    expect(await tried(".")).toMatchObject({ type: "refused" })
  })
})

describe("listArchive", () => {
  it("[BIN-012] says what is inside and unpacks nothing", async () => {
    const entries = [
      { name: "a.txt", type: "file", size: TEXT.length },
      { name: "src/deep/b.ts", type: "file", size: 19 },
    ]
    for (const [format, bytes] of [
      ["zip", zip(PARTS)],
      ["tar", tar(PARTS)],
      ["gzip", gzipSync(tar(PARTS))],
      ["7z", sevenZip(PARTS)],
    ] as const)
      expect(await listArchive({ bytes })).toEqual({ type: "listed", format, entries, more: false })
  })

  it("[BIN-012] lists what it would not extract, as it is named", async () => {
    const bytes = zip([
      { name: "../evil", data: "x", flags: 1 },
      { name: "link", data: "/", mode: 0o120777 },
    ])
    expect(await listArchive({ bytes })).toMatchObject({
      entries: [
        { name: "../evil", type: "file" },
        { name: "link", type: "link" },
      ],
    })
  })

  it("[BIN-012] lists so many and says that there are more", async () => {
    const bytes = zip(Array.from({ length: 50 }, (_, at) => ({ name: String(at) })))
    const listed = await listArchive({ bytes }, { files: 10 })
    expect(listed).toMatchObject({ type: "listed", more: true })
    expect(listed.type === "listed" && listed.entries.length).toBe(20)
  })
})

describe("readEntry", () => {
  async function read(bytes: Buffer, name: string) {
    const result = await readArchiveEntry({ bytes }, name)
    return result.type === "entry" ? String(await collectBytes(result.bytes)) : result
  }

  it("[BIN-060] reads one file of an archive", async () => {
    for (const bytes of [zip(PARTS), tar(PARTS), gzipSync(tar(PARTS)), sevenZip(PARTS), rar(PARTS)])
      expect(await read(bytes, "src/deep/b.ts")).toBe("export const b = 1\n")
  })

  it("[BIN-060] reads a file of an archive in an archive, and not one too deep", async () => {
    const middle = zip([{ name: "in/inner.tgz", data: gzipSync(tar(PARTS)) }])
    const outer = zip([{ name: "middle.zip", data: middle }])
    expect(await read(outer, "middle.zip!/in/inner.tgz!/a.txt")).toBe(TEXT)
    let nested = zip([{ name: "z.txt", data: "deep" }])
    for (let level = 0; level < 3; level++) nested = zip([{ name: "n.zip", data: nested }])
    expect(await read(nested, "n.zip!/n.zip!/n.zip!/z.txt")).toEqual({
      type: "refused",
      reason: "n.zip!/n.zip!/n.zip!/z.txt lies more than 3 archives deep",
    })
  })

  it("[BIN-060] says that a file is missing, and reads no damaged one", async () => {
    expect(await read(zip(PARTS), "b.txt")).toEqual({
      type: "missing",
      reason: "there is no b.txt in the archive",
    })
    expect(await read(zip(PARTS), "../a.txt")).toMatchObject({ type: "missing" })
    const bad = zip([...PARTS, { name: "bad", data: "x", crc: 1 }])
    expect(await read(bad, "bad")).toMatchObject({ type: "refused", entry: "bad" })
    expect(await read(bad, "a.txt")).toBe(TEXT)
  })
})
