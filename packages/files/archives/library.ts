import { libarchiveWasm, type LibarchiveWasm } from "libarchive-wasm"
import { ArchiveRefusal } from "./refusal.ts"

/** The library reads from memory, so that a larger archive is not given to it. */
export const MAX_LIBRARY_BYTES = 96 * 1024 * 1024
/** All that it may use, the archive included. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024
const PAGE_BYTES = 65_536
const READ_BYTES = 256 * 1024

interface Memory {
  readonly HEAPU8: Uint8Array
  _malloc(bytes: number): number
}

/** An archive that libarchive reads, entry by entry. It is never closed: its thread ends with it. */
export class LibraryArchive {
  readonly #library: LibarchiveWasm
  readonly #memory: Memory
  readonly #archive: number
  readonly #buffer: number

  private constructor(library: LibarchiveWasm, bytes: number, fill: (target: Uint8Array) => void) {
    this.#library = library
    this.#memory = library.module
    const start = this.#allocate(bytes)
    this.#buffer = this.#allocate(READ_BYTES)
    fill(this.#memory.HEAPU8.subarray(start, start + bytes))
    this.#archive = openMemory(library, start, bytes)
  }

  static async open(bytes: number, fill: (target: Uint8Array) => void): Promise<LibraryArchive> {
    if (bytes > MAX_LIBRARY_BYTES)
      throw new ArchiveRefusal(`archives of this kind are read up to ${MAX_LIBRARY_BYTES} bytes`)
    capMemory()
    return new LibraryArchive(await libarchiveWasm(), bytes, fill)
  }

  #allocate(bytes: number): number {
    const start = this.#memory._malloc(bytes)
    if (start === 0) throw new ArchiveRefusal("the archive needs more memory than it may have")
    return start
  }

  /** The next entry, or 0 at the end. */
  next(): number {
    const entry = this.#library.read_next_entry(this.#archive)
    const complaint = entry === 0 ? this.#library.error_string(this.#archive) : ""
    if (complaint) throw new Error(complaint)
    return entry
  }

  name(entry: number): string | null {
    return this.#library.entry_pathname(entry)
  }

  mode(entry: number): number {
    return this.#library.entry_filetype(entry)
  }

  size(entry: number): number {
    return this.#library.entry_size(entry)
  }

  isEncrypted(entry: number): boolean {
    return this.#library.entry_is_encrypted(entry) !== 0
  }

  isHardLink(entry: number): boolean {
    return Boolean(this.#library.entry_hardlink(entry))
  }

  /** Up to so many bytes of the entry; none at its end. They hold until the next call. */
  read(most = READ_BYTES): Buffer {
    const wanted = Math.min(most, READ_BYTES)
    const count = this.#library.read_data(this.#archive, this.#buffer, wanted)
    const { buffer } = this.#memory.HEAPU8
    return Buffer.from(buffer, this.#buffer, count)
  }
}

interface GrowingMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

// The types of Node alone do not name it.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every engine has it
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: { readonly Memory: { readonly prototype: GrowingMemory } }
}

let isCapped = false

/** The library grows its memory through this one method, and takes a failure for "no memory". Only
 *  the thread that reads one archive has this limit. */
function capMemory() {
  if (isCapped) return
  isCapped = true
  const { prototype } = WebAssembly.Memory
  // oxlint-disable-next-line typescript/unbound-method
  const { grow } = prototype
  prototype.grow = function (this: GrowingMemory, pages: number) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > MAX_MEMORY_BYTES)
      throw new RangeError("the archive needs more memory than it may have")
    return grow.call(this, pages)
  }
}

function openMemory(library: LibarchiveWasm, start: number, bytes: number): number {
  try {
    return library.read_new_memory(start, bytes)
  } catch {
    // It fails to say why: it asks the memory, not the archive, for the reason.
    throw new Error("it does not begin like an archive, or its directory is damaged or encrypted")
  }
}
