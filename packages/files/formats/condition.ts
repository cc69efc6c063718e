import type { Condition, FileKind } from "compositor-core/file/loaded-file"
import type { BlobStore } from "../blobs/blobs.ts"
import { readAll } from "../blobs/blocks.ts"
import { startsWith } from "../kinds/magic.ts"
import { SNIFF_BYTES } from "../kinds/sniff.ts"

export interface Ends {
  readonly mime: string
  readonly kind: FileKind
  /** The first bytes, and the last; the same for a small file. */
  readonly head: Uint8Array
  readonly tail: Uint8Array
  readonly size: number
}

/** As much of a file's end as is looked at. */
export const TAIL_BYTES = 64 * 1024

/** Whether a file is locked or cut off, by how it begins and how it ends; undefined when nothing is
 *  seen to be wrong. Nothing is decoded. */
export function conditionOf(ends: Ends): Condition | undefined {
  if (isEncrypted(ends)) return "encrypted"
  return isDamaged(ends) ? "damaged" : undefined
}

/** The same of bytes in a blob store: no more than their ends are read. */
export async function conditionOfBlob(
  blobs: Pick<BlobStore, "open">,
  file: Omit<Ends, "head" | "tail"> & { readonly content_id: string },
): Promise<Condition | undefined> {
  const { content_id, size, kind } = file
  if (kind === "text") return undefined
  const slice = (start: number, end: number) =>
    readAll(blobs.open(content_id, { start, end }), end - start)
  const head = await slice(0, Math.min(size, SNIFF_BYTES))
  const tail = await slice(Math.max(0, size - TAIL_BYTES), size)
  return conditionOf({ ...file, head, tail })
}

function isEncrypted({ mime, head, tail }: Ends): boolean {
  if (mime === "application/pdf") return [head, tail].some((bytes) => holds(bytes, "/Encrypt"))
  if (startsWith(head, "PK\x03\x04")) return ((head[6] ?? 0) & 1) === 1
  if (COMPOUND.has(mime))
    return [head, tail].some((bytes) =>
      buffer(bytes).includes(Buffer.from("EncryptedPackage", "utf16le")),
    )
  return false
}

const COMPOUND: ReadonlySet<string> = new Set(["application/x-cfb", "application/msword"])

function isDamaged(ends: Ends): boolean {
  return WHOLE[ends.mime]?.(ends) === false
}

/** How a file of each type ends when all of it is there. */
const WHOLE: Readonly<Record<string, (ends: Ends) => boolean>> = {
  "application/pdf": ({ tail }) => holds(tail, "startxref") || holds(tail, "%%EOF"),
  "image/png": ({ tail }) => holds(tail, "IEND"),
  "image/jpeg": ({ tail }) => holds(tail, "\xff\xd9"),
  "image/gif": ({ tail }) => withoutZeros(tail) === 0x3b,
  "image/webp": riffIsWhole,
  "audio/wav": ({ head, size }) => riffSize(head) <= size + 8 || riffSize(head) >= STREAMED,
  "application/zip": ({ tail }) => holds(tail, "PK\x05\x06"),
}

const STREAMED = 0x7fffffff

function riffIsWhole({ head, size }: Ends): boolean {
  return riffSize(head) + 8 <= size + 1
}

function riffSize(head: Uint8Array): number {
  return head.length < 8 ? 0 : buffer(head).readUInt32LE(4)
}

function withoutZeros(bytes: Uint8Array): number | undefined {
  let at = bytes.length - 1
  while (at >= 0 && bytes[at] === 0) at -= 1
  return bytes[at]
}

function holds(bytes: Uint8Array, latin: string): boolean {
  return buffer(bytes).includes(Buffer.from(latin, "latin1"))
}

function buffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
