import { basename } from "node:path"
import type { ByteSource } from "./byte-source.ts"
import { beginsAsTar } from "./tar-header.ts"
import { endsAsZip } from "./zip-end.ts"

/** Wraps one file, often a tar. */
export type Wrapper = "gzip" | "bzip2" | "xz" | "zstd"

export type ArchiveFormat =
  | { readonly type: "zip" }
  | { readonly type: "tar" }
  | { readonly type: "wrapped"; readonly wrapper: Wrapper }
  /** Read by the library; it begins at `start`, behind the program of a self-extracting one. */
  | { readonly type: "7z" | "rar"; readonly start: number }
  | { readonly type: "unknown"; readonly name: string }

const HEAD_BYTES = 64 * 1024
const MAX_PREFIX_BYTES = 1024 * 1024

const WRAPPERS: readonly { readonly wrapper: Wrapper; readonly magic: Buffer }[] = [
  { wrapper: "gzip", magic: Buffer.from([0x1f, 0x8b, 0x08]) },
  { wrapper: "bzip2", magic: Buffer.from("BZh") },
  { wrapper: "xz", magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]) },
  { wrapper: "zstd", magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]) },
]

const LIBRARY: readonly { readonly type: "7z" | "rar"; readonly magic: Buffer }[] = [
  { type: "7z", magic: Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]) },
  { type: "rar", magic: Buffer.from("Rar!\x1a\x07", "latin1") },
]

/** Programs, and shell scripts, in front of which archives are put to extract themselves. */
const PROGRAMS: readonly Buffer[] = ["MZ", "\x7fELF", "#!"].map((text) =>
  Buffer.from(text, "latin1"),
)

/** Formats that are known by name only. */
const UNREAD: readonly { readonly name: string; readonly magic: Buffer }[] = [
  { name: "lzip", magic: Buffer.from("LZIP") },
  { name: "compress (.Z)", magic: Buffer.from([0x1f, 0x9d]) },
  { name: "cab", magic: Buffer.from("MSCF") },
  { name: "ar", magic: Buffer.from("!<arch>\n") },
  { name: "cpio", magic: Buffer.from("070701") },
  { name: "lz4", magic: Buffer.from([0x04, 0x22, 0x4d, 0x18]) },
  { name: "xar", magic: Buffer.from("xar!") },
  { name: "rpm", magic: Buffer.from([0xed, 0xab, 0xee, 0xdb]) },
  { name: "lzh", magic: Buffer.from("-lh") },
]

/** What an archive is, by its bytes alone. */
export function detectArchiveFormat(source: ByteSource): ArchiveFormat {
  const head = Buffer.from(source.view(0, HEAD_BYTES))
  const library = LIBRARY.find(({ magic }) => begins(head, magic))
  if (library) return { type: library.type, start: 0 }
  const wrapped = WRAPPERS.find(({ magic }) => begins(head, magic))
  if (wrapped) return { type: "wrapped", wrapper: wrapped.wrapper }
  if (beginsAsTar(head)) return { type: "tar" }
  if (begins(head, ZIP_ENTRY) || endsAsZip(source)) return { type: "zip" }
  if (PROGRAMS.some((magic) => begins(head, magic))) return behindProgram(source)
  return { type: "unknown", name: nameOf(head) }
}

const ZIP_ENTRY = Buffer.from("PK\x03\x04", "latin1")

function begins(head: Buffer, magic: Buffer): boolean {
  return head.subarray(0, magic.length).equals(magic)
}

function behindProgram(source: ByteSource): ArchiveFormat {
  const head = source.view(0, Math.min(source.size, MAX_PREFIX_BYTES))
  for (const { type, magic } of LIBRARY) {
    const start = head.indexOf(magic)
    if (start > 0) return { type, start }
  }
  return { type: "unknown", name: "program" }
}

function nameOf(head: Buffer): string {
  return UNREAD.find(({ magic }) => begins(head, magic))?.name ?? "unknown"
}

const WRAPPER_EXTENSION = /\.(?:gz|bz2|xz|zst|zstd)$/i
const WRAPPED_TAR = /\.(?:tgz|tbz2?|txz|tzst)$/i

/** What the one file inside a compressed file is called: as it is, without its ending. */
export function wrappedName(name: string): string {
  const own = basename(name.replaceAll("\\", "/"))
  if (WRAPPED_TAR.test(own)) return own.replace(WRAPPED_TAR, ".tar")
  return own.replace(WRAPPER_EXTENSION, "") || "content"
}
