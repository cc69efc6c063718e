import { closeSync, mkdirSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { ArchiveLimits } from "./limits.ts"
import { entryName } from "./name.ts"
import { ArchiveRefusal, refuseEntry, shownName } from "./refusal.ts"
import type { EntrySink, EntryWriter, FoundEntry } from "./sink.ts"
import { EntryTree } from "./tree.ts"

export interface StageOptions {
  /** An empty folder that nobody else knows. */
  readonly folder: string
  readonly limits: ArchiveLimits
  /** Only the file of this name. */
  readonly only: string | undefined
  readonly progress: (files: number, bytes: number) => void
}

const MAX_NOTES = 100
/** Entries among which one is looked for. */
const MAX_SEARCHED = 250_000
/** Of a tar, beside the bytes of its files: two blocks and their padding for each. */
const BYTES_AROUND_A_FILE = 2048
/** Tar ends in blocks of zeros, and some writers pad generously. */
const BYTES_AT_THE_END = 1024 * 1024

/** What the one file that was asked for is called in the folder. */
export const ONLY_FILE = "entry"

/** Writes entries into a folder: plain files and folders, counted byte by byte, and nothing else. */
export class Stage implements EntrySink {
  files = 0
  bytes = 0
  folders = 0
  #passed = 0
  #said = 0
  done = false
  readonly maxEntries: number
  readonly maxScanned: number
  readonly #options: StageOptions
  readonly #notes: string[] = []
  #moreNotes = 0
  readonly #unmade: string[] = []
  /** Null: a name that no file has. */
  readonly #only: string | null | undefined
  readonly #tree = new EntryTree((path) => this.#makeFolder(path))

  constructor(options: StageOptions) {
    const { limits, only } = options
    this.#options = options
    this.#only = only === undefined ? undefined : (spelled(only) ?? null)
    const everything = only === undefined
    this.maxEntries = everything ? limits.files * 2 : MAX_SEARCHED
    this.maxScanned = everything
      ? limits.bytes + limits.files * BYTES_AROUND_A_FILE + BYTES_AT_THE_END
      : Number.POSITIVE_INFINITY
  }

  get notes(): readonly string[] {
    return this.#moreNotes === 0
      ? this.#notes
      : [...this.#notes, `… and ${this.#moreNotes} more notes`]
  }

  note(text: string) {
    if (this.#notes.length < MAX_NOTES) this.#notes.push(text)
    else this.#moreNotes++
  }

  place(entry: FoundEntry): string | undefined {
    if (this.#only !== undefined) return this.#placeOnly(entry)
    const name = entryName(entry.name)
    if (name.type === "refused") throw refuseEntry(entry.name, name.reason)
    this.#count(entry, name.segments.length)
    if (entry.type !== "file" && entry.type !== "folder") return this.#passOver(entry)
    if (name.change !== undefined) this.note(`${shownName(entry.name)} ${name.change}`)
    return entry.type === "folder"
      ? this.#placeFolder(name.segments)
      : this.#placeFile(entry, name.segments)
  }

  #placeOnly(entry: FoundEntry): string | undefined {
    if (this.done || entry.type !== "file" || spelled(entry.name) !== this.#only) return undefined
    this.#countSize(entry)
    this.done = true
    this.files = 1
    return ONLY_FILE
  }

  #count(entry: FoundEntry, segments: number) {
    const { files, depth } = this.#options.limits
    const isFolder = entry.type === "folder"
    if (!isFolder && ++this.files > files)
      throw new ArchiveRefusal(`the archive has more than ${files} files`, entry.name)
    if (segments - (isFolder ? 0 : 1) > depth)
      throw refuseEntry(entry.name, `lies more than ${depth} folders deep`)
  }

  #passOver({ name, type }: FoundEntry): undefined {
    this.files--
    if (++this.#passed > this.#options.limits.files)
      throw new ArchiveRefusal(
        `the archive has more than ${this.#options.limits.files} links`,
        name,
      )
    const what = type === "link" ? "a link" : "neither a file nor a folder"
    this.note(`${shownName(name)} is ${what} and was left out`)
  }

  #placeFolder(segments: readonly string[]): undefined {
    const { path, moved } = this.#tree.folder(segments)
    if (moved) this.note(`${shownName(segments.join("/"))} became ${shownName(path)}`)
  }

  #placeFile(entry: FoundEntry, segments: readonly string[]): string {
    if (segments.length === 0) throw refuseEntry(entry.name, "has no name")
    this.#countSize(entry)
    const { path, moved } = this.#tree.file(segments)
    if (moved) this.note(`${shownName(entry.name)} became ${shownName(path)}, since names met`)
    return path
  }

  /** Who says that it is too large is believed, before anything is written. */
  #countSize({ name, size = 0 }: FoundEntry) {
    this.#said += size
    if (this.#said > this.#options.limits.bytes) throw this.#tooLarge(name)
  }

  #tooLarge(name: string): ArchiveRefusal {
    return refuseEntry(name, `brings the archive over ${this.#options.limits.bytes} bytes`)
  }

  #makeFolder(path: string) {
    const { folder, limits } = this.#options
    if (++this.folders > limits.files)
      throw new ArchiveRefusal(`the archive has more than ${limits.files} folders`, path)
    this.#unmade.push(join(folder, path))
  }

  /** Make the folders that are still missing. Not before: an archive that is refused by its directory
   *  has then cost nothing. */
  makeFolders() {
    for (const path of this.#unmade) mkdirSync(path)
    this.#unmade.length = 0
  }

  put(path: string, name: string, bytes: Uint8Array) {
    const writer = this.create(path, name)
    writer.write(bytes)
    writer.end()
  }

  create(path: string, name: string): EntryWriter {
    if (this.#unmade.length > 0) this.makeFolders()
    // It must not exist, and nothing here makes links: what is opened lies in the folder.
    const fd = openSync(`${this.#options.folder}/${path}`, "wx")
    return {
      write: (bytes) => {
        this.#meter(bytes.length, name)
        writeAll(fd, bytes)
      },
      end: () => closeSync(fd),
    }
  }

  #meter(count: number, name: string) {
    const { limits, progress } = this.#options
    if (this.bytes + count > limits.bytes) throw this.#tooLarge(name)
    this.bytes += count
    progress(this.files, this.bytes)
  }
}

function writeAll(fd: number, bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at)
}

/** A name as it is asked for: `./src//a.ts` is `src/a.ts`. Names that lead out are never asked for. */
function spelled(name: string): string | undefined {
  const parsed = entryName(name)
  return parsed.type === "name" ? parsed.segments.join("/") : undefined
}
