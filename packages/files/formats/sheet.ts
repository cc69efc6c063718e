import type { CappedText } from "./capped-text.ts"

/** Cells by number, from 1; the ends belong to it. */
export interface CellRange {
  readonly top: number
  readonly left: number
  readonly bottom: number
  readonly right: number
}

const ALL_CELLS: CellRange = {
  top: 1,
  left: 1,
  bottom: Number.POSITIVE_INFINITY,
  right: Number.POSITIVE_INFINITY,
}

/** `A1:D20` in numbers. */
export function cellRange(text: string | undefined): CellRange {
  if (text === undefined) return ALL_CELLS
  const [first = "", last = first] = text.toUpperCase().split(":")
  const start = cellAt(first)
  const end = cellAt(last)
  return { top: start.row, left: start.column, bottom: end.row, right: end.column }
}

export function cellAt(text: string): { readonly row: number; readonly column: number } {
  const letters = /^[A-Z]{1,3}/i.exec(text)?.[0] ?? ""
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return { column, row: Number(text.slice(letters.length)) || 0 }
}

const MAX_GAP = 256

/** Writes cells as they come: a line for a row, its number first, tabs between cells. Rows without
 *  anything in them have no line. */
export class Sheet {
  readonly #text: CappedText
  readonly #range: CellRange
  #row = 0
  #column = 0

  constructor(text: CappedText, range: CellRange) {
    this.#text = text
    this.#range = range
  }

  cell(row: number, column: number, value: string): void {
    const { top, left, bottom, right } = this.#range
    if (value === "" || row < top || row > bottom || column < left || column > right) return
    if (row !== this.#row) this.#startRow(row)
    const gap = Math.max(column - this.#column, 1)
    this.#text.write(gap > MAX_GAP ? `\t… ${gap - 1} empty …\t` : "\t".repeat(gap))
    this.#text.write(value.replace(/[\t\r\n]+/g, " "))
    this.#column = column
  }

  /** Whether nothing after this row is wanted. */
  isPast(row: number): boolean {
    return row > this.#range.bottom
  }

  end(): void {
    if (this.#row > 0) this.#text.line()
  }

  #startRow(row: number): void {
    if (this.#row > 0) this.#text.line()
    this.#text.write(String(row))
    this.#row = row
    this.#column = this.#range.left - 1
  }
}
