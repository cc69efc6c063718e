import { cappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { textChunks } from "../decode-text.ts"
import { refuse } from "../refusal.ts"
import { type CellRange, cellRange, Sheet } from "../sheet.ts"
import { readText } from "./text.ts"

const MAX_CELL_CHARACTERS = 1024 * 1024
const MAX_SHOWN_COLUMNS = 100
const MAX_COUNTED_CHARACTERS = 64 * 1024 * 1024

/** A table of text: as it is, with its outline in the note; or some cells of it. */
export async function readCsv(job: Job): Promise<ReaderAnswer> {
  if (job.fragment?.unit === "cells") return readCells(job, cellRange(job.fragment.cells))
  const answer = await readText(job)
  if (answer.type !== "text" || job.fragment) return answer
  const { rows, columns, header, complete } = await outline(job)
  const names = header.slice(0, MAX_SHOWN_COLUMNS).map((name) => name.trim().slice(0, 100))
  const note = `${complete ? "" : "at least "}${rows} rows, ${columns} columns: ${names.join(", ")}.`
  return { ...answer, note: answer.truncated ? `${note} ${answer.note}` : note }
}

/** No later row is wanted. */
class Past extends Error {}

async function readCells(job: Job, range: CellRange): Promise<ReaderAnswer> {
  return cappedText(job.limits.text_bytes, async (text) => {
    const sheet = new Sheet(text, range)
    const write = (row: number, column: number, value: string) => {
      if (sheet.isPast(row)) throw new Past()
      sheet.cell(row, column, value)
    }
    try {
      await readTable(job, write, Number.POSITIVE_INFINITY)
    } catch (error) {
      if (!(error instanceof Past)) throw error
    }
    sheet.end()
    return "Each line begins with its row number."
  })
}

async function outline(job: Job) {
  const header: string[] = []
  let rows = 0
  let columns = 0
  const count = (row: number, column: number, value: string) => {
    rows = row
    columns = Math.max(columns, column)
    if (row === 1 && column <= MAX_SHOWN_COLUMNS) header.push(value)
  }
  const complete = await readTable(job, count, MAX_COUNTED_CHARACTERS)
  return { rows, columns, header, complete }
}

type OnCell = (row: number, column: number, value: string) => void

/** Every cell in its order, up to about so many characters; whether that was all. */
async function readTable({ file }: Job, onCell: OnCell, most: number): Promise<boolean> {
  let table: CellReader | undefined
  let read = 0
  for await (const chunk of textChunks(file.path, file.name)) {
    table ??= new CellReader(separatorIn(file, chunk), onCell)
    table.push(chunk)
    read += chunk.length
    if (read > most) return false
  }
  table?.end()
  return true
}

function separatorIn({ mime, name }: Job["file"], chunk: string): string {
  if (mime.includes("tab-separated") || /\.tsv$/i.test(name)) return "\t"
  const line = chunk.slice(0, 64 * 1024).split("\n", 1)[0] ?? ""
  const counts = [",", ";", "\t", "|"].map((mark) => ({ mark, count: line.split(mark).length }))
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).mark
}

/** Takes a table apart. A quoted cell may hold separators, quotes twice over, and line breaks. */
class CellReader {
  readonly #separator: string
  readonly #onCell: OnCell
  #row = 1
  #column = 1
  #value = ""
  #quoted = false
  /** The last character was a quote within quotes: one of two, or the end. */
  #pending = false

  constructor(separator: string, onCell: OnCell) {
    this.#separator = separator
    this.#onCell = onCell
  }

  push(chunk: string): void {
    for (const character of chunk) {
      if (this.#quoted) this.#takeQuoted(character)
      else this.#takePlain(character)
    }
    if (this.#value.length > MAX_CELL_CHARACTERS)
      refuse(`A cell in row ${this.#row} is longer than ${MAX_CELL_CHARACTERS} characters.`)
  }

  end(): void {
    if (this.#value !== "" || this.#column > 1) this.#emit()
  }

  #takeQuoted(character: string): void {
    if (character === '"') {
      if (this.#pending) this.#value += '"'
      this.#pending = !this.#pending
    } else if (this.#pending) {
      this.#quoted = false
      this.#pending = false
      this.#takePlain(character)
    } else this.#value += character
  }

  #takePlain(character: string): void {
    if (character === '"' && this.#value === "") this.#quoted = true
    else if (character === this.#separator) {
      this.#emit()
      this.#column += 1
    } else if (character === "\n") {
      this.#emit()
      this.#row += 1
      this.#column = 1
    } else if (character !== "\r") this.#value += character
  }

  #emit(): void {
    this.#onCell(this.#row, this.#column, this.#value)
    this.#value = ""
  }
}
