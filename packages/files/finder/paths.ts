import { BITS, startMaskOf } from "./letters.ts"
import { MAX_TEXT_CHARACTERS, type ByteSpan } from "./score.ts"
import { growArray, Texts } from "./texts.ts"

/** More files than this are not kept. */
export const MAX_FILES = 500_000

/** The files of a workspace: folders, and names in them. Both are numbers. */
export class Paths {
  readonly #folders = new Texts()
  readonly #names = new Texts()
  #folderOf = new Uint32Array(0)

  /** Which letters a file's path has; 0 where no file is. */
  masks = new Int32Array(0)
  /** Which letters begin a word of its name, and which one begins the name. */
  startMasks = new Int32Array(0)
  initials = new Int32Array(0)
  /** Changes whenever a file comes or goes. */
  version = 0

  /** All numbers of files are less than this. */
  get end(): number {
    return this.#names.end
  }

  get size(): number {
    return this.#names.size
  }

  /** Which letters the names have. */
  get nameMasks(): Int32Array {
    return this.#names.masks
  }

  /** `path` is "" or ends in a slash. */
  addFolder(path: string): number {
    return this.#folders.add(path)
  }

  removeFolder(folder: number) {
    this.#folders.remove(folder)
  }

  /** The number of a new file; undefined where there is no room for it. */
  add(folder: number, name: string): number | undefined {
    const length = this.#folders.lengths[folder]! + name.length
    if (length > MAX_TEXT_CHARACTERS || this.size >= MAX_FILES) return undefined
    const id = this.#names.add(name)
    this.#reserve(id)
    const { letters, froms } = this.#names
    const from = froms[id]!
    this.#folderOf[id] = folder
    this.startMasks[id] = startMaskOf(letters, from, from + name.length)
    this.initials[id] = BITS[letters[from]!]!
    this.masks[id] = this.#names.masks[id]! | this.#folders.masks[folder]!
    this.version += 1
    return id
  }

  remove(id: number) {
    this.#names.remove(id)
    this.masks[id] = 0
    this.version += 1
  }

  pathOf(id: number): string {
    return this.folderPath(this.folderOf(id)) + this.nameOf(id)
  }

  folderPath(folder: number): string {
    return this.#folders.get(folder)
  }

  nameOf(id: number): string {
    return this.#names.get(id)
  }

  folderOf(id: number): number {
    return this.#folderOf[id]!
  }

  lengthOf(id: number): number {
    const folder = this.#folders.lengths[this.folderOf(id)]!
    return folder + this.#names.lengths[id]!
  }

  folderSpan(folder: number): ByteSpan {
    return spanIn(this.#folders, folder)
  }

  nameSpan(id: number): ByteSpan {
    return spanIn(this.#names, id)
  }

  #reserve(id: number) {
    if (id < this.masks.length) return
    this.#folderOf = growArray(this.#folderOf, id + 1)
    this.masks = growArray(this.masks, id + 1)
    this.startMasks = growArray(this.startMasks, id + 1)
    this.initials = growArray(this.initials, id + 1)
  }
}

function spanIn(texts: Texts, id: number): ByteSpan {
  const from = texts.froms[id]!
  return { bytes: texts.letters, from, to: from + texts.lengths[id]! }
}
