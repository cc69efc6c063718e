import { attribute, readXml } from "../read-xml.ts"
import { refuse } from "../refusal.ts"

/** The strings that cells point to: one buffer and where each ends, whatever their number. */
export class SharedStrings {
  #bytes = Buffer.allocUnsafe(64 * 1024)
  #ends = new Uint32Array(1024)
  #count = 0
  #length = 0

  add(text: string): void {
    if (this.#count >= MAX_STRINGS || this.#length + text.length * 3 > MAX_STRING_BYTES)
      refuse(`Its table of texts is larger than ${MAX_STRING_BYTES / 1024 / 1024} MB.`)
    if (this.#count === this.#ends.length) this.#ends = grownNumbers(this.#ends)
    const needed = this.#length + text.length * 3
    if (needed > this.#bytes.length) this.#bytes = grownBytes(this.#bytes, needed)
    this.#length += this.#bytes.write(text, this.#length)
    this.#ends[this.#count] = this.#length
    this.#count += 1
  }

  at(index: number): string {
    if (!(index >= 0 && index < this.#count)) return ""
    const start = index === 0 ? 0 : this.#ends[index - 1]
    return this.#bytes.toString("utf8", start, this.#ends[index])
  }
}

const MAX_STRING_BYTES = 48 * 1024 * 1024
const MAX_STRINGS = 2_000_000

function grownNumbers(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(numbers.length * 2)
  grown.set(numbers)
  return grown
}

function grownBytes(bytes: Buffer<ArrayBuffer>, needed: number): Buffer<ArrayBuffer> {
  const grown = Buffer.allocUnsafe(Math.max(bytes.length * 2, needed))
  bytes.copy(grown)
  return grown
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

export async function readShared(chunks: Chunks): Promise<SharedStrings> {
  const strings = new SharedStrings()
  if (Array.isArray(chunks)) return strings
  let text = ""
  let inText = false
  // How a text is read aloud, beside it.
  let phonetic = false
  await readXml(chunks, {
    open: (name) => {
      if (name === "si") text = ""
      else if (name === "t") inText = true
      else if (name === "rPh") phonetic = true
    },
    text: (words) => {
      if (inText && !phonetic) text += words
      if (text.length > MAX_STRING_BYTES / 4) refuse("One text of its table is too long.")
    },
    close: (name) => {
      if (name === "t") inText = false
      else if (name === "rPh") phonetic = false
      else if (name === "si") strings.add(text)
    },
  })
  return strings
}

const DATE_FORMATS: ReadonlySet<number> = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47])
const MAX_STYLES = 70_000

/** The numbers of the cell styles that show a number as a date. */
export async function dateStyles(chunks: Chunks): Promise<ReadonlySet<number>> {
  const dates = new Set<number>()
  if (Array.isArray(chunks)) return dates
  const formats = new Set(DATE_FORMATS)
  let inCells = false
  let style = 0
  await readXml(chunks, {
    open: (name, attributes) => {
      const format = Number(attribute(attributes, "numFmtId"))
      if (name === "numFmt" && isDate(attributes.formatCode ?? "") && formats.size < MAX_STYLES)
        formats.add(format)
      if (name === "cellXfs") inCells = true
      if (name !== "xf" || !inCells) return
      if (formats.has(format) && dates.size < MAX_STYLES) dates.add(style)
      style += 1
    },
    close: (name) => {
      if (name === "cellXfs") inCells = false
    },
  })
  return dates
}

function isDate(code: string): boolean {
  const plain = code.slice(0, 1000).replace(/"[^"]*"|\[[^\]]*\]|\\./g, "")
  return /[ymdhs]/i.test(plain) && !/[0#]/.test(plain.replace(/\.0+/g, ""))
}

const DAY_MS = 86_400_000

/** A day's number as a date. The first system believes that 1900 had a 29th of February. */
export function serialDate(serial: number, since1904: boolean): string {
  const days = since1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial
  const time = Math.round((days - 25_569) * DAY_MS)
  if (!Number.isFinite(time) || Math.abs(time) > 8.64e15) return String(serial)
  const iso = new Date(time).toISOString()
  if (serial < 1) return iso.slice(11, 19)
  return iso.endsWith("T00:00:00.000Z") ? iso.slice(0, 10) : iso.slice(0, 19).replace("T", " ")
}
