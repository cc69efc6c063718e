import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { errorCode } from "compositor-core/message/untyped"
import { ArchiveRefusal, shownName } from "./refusal.ts"

/** An archive: a file, or bytes in memory. `name` is what it is called, where that is not its path. */
export type ArchiveSource =
  | { readonly path: string; readonly name?: string }
  | { readonly bytes: Uint8Array; readonly name?: string }

const WINDOW_BYTES = 1024 * 1024
// Not blocking: a FIFO without a writer would hold the reader for ever.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/** The bytes of an archive, read through a window that moves on. */
export class ByteSource {
  readonly size: number
  readonly #fd: number | undefined
  #window: Buffer
  #start = 0

  constructor(source: ArchiveSource) {
    if ("bytes" in source) {
      const { buffer, byteOffset, byteLength } = source.bytes
      this.#window = Buffer.from(buffer, byteOffset, byteLength)
      this.size = byteLength
      return
    }
    this.#window = Buffer.alloc(0)
    this.#fd = openArchive(source.path)
    const stats = fstatSync(this.#fd)
    if (!stats.isFile()) throw new ArchiveRefusal(`${shownName(source.path)} is not a regular file`)
    this.size = stats.size
  }

  /** The bytes from `start`, fewer where the archive ends. They hold until the next call. */
  view(start: number, length: number): Buffer {
    const from = start - this.#start
    if (from >= 0 && from + length <= this.#window.length)
      return this.#window.subarray(from, from + length)
    if (this.#fd === undefined) return this.#window.subarray(start, start + length)
    this.#fill(start, Math.max(length, WINDOW_BYTES))
    return this.#window.subarray(0, length)
  }

  #fill(start: number, length: number) {
    const wanted = Math.max(0, Math.min(length, this.size - start))
    const buffer = this.#buffer(wanted)
    this.#window = buffer.subarray(0, this.read(buffer, start))
    this.#start = start
  }

  #spare = Buffer.alloc(0)

  #buffer(length: number): Buffer {
    if (length > WINDOW_BYTES) return Buffer.allocUnsafeSlow(length)
    if (this.#spare.length === 0) this.#spare = Buffer.allocUnsafeSlow(WINDOW_BYTES)
    return this.#spare.subarray(0, length)
  }

  /** Fills `target` from `start` on and says how much there was. */
  read(target: Uint8Array, start: number): number {
    if (this.#fd === undefined) {
      const bytes = this.#window.subarray(start, start + target.length)
      target.set(bytes)
      return bytes.length
    }
    let filled = 0
    while (filled < target.length) {
      const count = readSync(this.#fd, target, filled, target.length - filled, start + filled)
      if (count === 0) break
      filled += count
    }
    return filled
  }

  /** The bytes from `start` to `end`, each chunk its own. */
  *chunks(start: number, end: number): Generator<Buffer> {
    for (let at = start; at < end; at += WINDOW_BYTES) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(WINDOW_BYTES, end - at))
      const count = this.read(chunk, at)
      if (count > 0) yield chunk.subarray(0, count)
      if (count < chunk.length) return
    }
  }

  close() {
    if (this.#fd !== undefined) closeSync(this.#fd)
  }
}

function openArchive(path: string): number {
  try {
    return openSync(path, OPEN_FLAGS)
  } catch (error) {
    const code = errorCode(error) ?? "unknown error"
    throw new ArchiveRefusal(
      `${shownName(path)} ${COMPLAINTS[code] ?? `cannot be opened (${code})`}`,
    )
  }
}

const COMPLAINTS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "may not be read",
  EISDIR: "is a folder",
}
