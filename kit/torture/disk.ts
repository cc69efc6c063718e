import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import type { Random } from "./random.ts"
import { type Change, folderOf } from "./recording.ts"

const SECTOR = 512

/** What is done to a file's bytes, and may not be on the disk yet. */
type Pending = { readonly at: number; readonly bytes: Buffer } | { readonly size: number }

interface File {
  path: string
  /** What a power cut leaves for certain. */
  durable: Buffer
  pending: Pending[]
  end: number
}

/** What is done to names, in its order; a journal keeps a beginning of it. */
type Naming =
  | { readonly type: "make"; readonly file: File }
  | { readonly type: "rename"; readonly file: File; readonly from: string; readonly to: string }
  | { readonly type: "remove"; readonly file: File; readonly path: string }

/** A disk that keeps for certain only what it was told to sync: of the rest any part may be there after a
 *  power cut, and the write at which the power went may be torn between two sectors. */
export class Disk {
  /** By name, as the running program sees them. */
  readonly #files = new Map<string, File>()
  readonly #kept = new Map<string, File>()
  #namings: Naming[] = []

  apply(change: Change) {
    switch (change.type) {
      case "make":
        return this.#make(change.path)
      case "write":
        return this.#write(this.#file(change.path), change.at, change.bytes)
      case "cut":
        return void this.#file(change.path).pending.push({ size: change.size })
      case "sync":
        return this.#sync(change.path)
      case "rename":
        return this.#rename(change.from, change.to)
      case "remove":
        return this.#remove(change.path)
      case "folder":
      case "note":
        return undefined
    }
  }

  /** Write what may be left after a power cut now, as the random numbers have it. */
  leave(random: Random, from: string, to: string) {
    const names = new Map(this.#kept)
    const namings = this.#namings.slice(0, random.between(0, this.#namings.length))
    for (const naming of namings) renamed(names, naming)
    const manner = random.pick(["beginning", "subset", "torn"] as const)
    for (const [path, file] of names) {
      const place = join(to, relative(from, path))
      mkdirSync(dirname(place), { recursive: true })
      writeFileSync(place, this.#bytes(file, random, manner))
    }
  }

  #bytes(file: File, random: Random, manner: "beginning" | "subset" | "torn"): Buffer {
    const { durable, pending } = file
    if (pending.length === 0) return durable
    const reach = random.between(0, pending.length)
    const some =
      manner === "beginning" ? pending.slice(0, reach) : pending.filter(() => random.chance(0.7))
    if (manner === "torn" && some.length > 0) {
      const at = random.between(0, some.length - 1)
      some[at] = torn(some[at] as Pending, random)
    }
    return some.reduce(written, durable)
  }

  #file(path: string): File {
    const file = this.#files.get(path)
    if (!file) throw new Error(`${path} is written before it is made`)
    return file
  }

  #make(path: string) {
    if (this.#files.has(path)) return
    const file: File = { path, durable: Buffer.alloc(0), pending: [], end: 0 }
    this.#files.set(path, file)
    this.#namings.push({ type: "make", file })
  }

  #write(file: File, at: number | null, bytes: Buffer) {
    const start = at ?? file.end
    file.pending.push({ at: start, bytes })
    file.end = start + bytes.length
  }

  // A file that is synced is there under its name; a folder that is synced has all its names.
  #sync(path: string) {
    const file = this.#files.get(path)
    if (file) {
      file.durable = file.pending.reduce(written, file.durable)
      file.pending = []
    }
    const settled = this.#namings.filter((naming) =>
      file ? naming.type === "make" && naming.file === file : folderOf(nameOf(naming)) === path,
    )
    for (const naming of settled) renamed(this.#kept, naming)
    this.#namings = this.#namings.filter((naming) => !settled.includes(naming))
  }

  #rename(from: string, to: string) {
    const file = this.#file(from)
    this.#files.delete(from)
    this.#files.set(to, file)
    file.path = to
    this.#namings.push({ type: "rename", file, from, to })
  }

  #remove(path: string) {
    const file = this.#files.get(path)
    if (!file) return
    this.#files.delete(path)
    this.#namings.push({ type: "remove", file, path })
  }
}

function nameOf(naming: Naming): string {
  if (naming.type === "rename") return naming.to
  return naming.type === "remove" ? naming.path : naming.file.path
}

function renamed(names: Map<string, File>, naming: Naming) {
  switch (naming.type) {
    case "make":
      return void names.set(naming.file.path, naming.file)
    case "rename":
      names.delete(naming.from)
      return void names.set(naming.to, naming.file)
    case "remove":
      return void names.delete(naming.path)
  }
}

function written(before: Buffer, change: Pending): Buffer {
  if ("size" in change) {
    const cut = Buffer.alloc(change.size)
    before.copy(cut, 0, 0, Math.min(before.length, change.size))
    return cut
  }
  const { at, bytes } = change
  const after = Buffer.alloc(Math.max(before.length, at + bytes.length))
  before.copy(after)
  bytes.copy(after, at)
  return after
}

function torn(change: Pending, random: Random): Pending {
  if ("size" in change) return change
  const sectors = Math.floor(change.bytes.length / SECTOR)
  return { at: change.at, bytes: change.bytes.subarray(0, SECTOR * random.between(0, sectors)) }
}
