import type { CappedText } from "../capped-text.ts"
import type { Job } from "../converted.ts"
import { type XmlAttributes, attribute } from "../read-xml.ts"
import { refuse } from "../refusal.ts"
import { cellRange, Sheet } from "../sheet.ts"
import type { NotedEvents } from "./opendocument.ts"

/** A sheet says "the same again" for whole columns and a million rows: what is empty is only counted,
 *  what is not is written this often. */
const MAX_REPEATED = 1_000
const MAX_COLUMNS = 16_384
const MAX_NAMES = 1_000
const MAX_VALUE_CHARACTERS = 100_000

/** The sheets of an OpenDocument workbook, row by row. */
export function sheetEvents(text: CappedText, { fragment, file }: Job): NotedEvents {
  const cells = fragment?.unit === "cells" ? fragment : undefined
  const range = cellRange(cells?.cells)
  const names: string[] = []
  let sheet: Sheet | undefined
  let depth = 0
  let found = false
  let row = 0
  let rows = 1
  let column = 0
  let line: { column: number; value: string }[] = []
  let cell: XmlAttributes = {}
  let value = ""
  let inParagraph = false
  const isWanted = (name: string) =>
    cells === undefined ||
    (cells.sheet === undefined
      ? names.length === 1
      : name.toLowerCase() === cells.sheet.toLowerCase())
  const startSheet = (name: string) => {
    if (names.length < MAX_NAMES) names.push(name)
    row = 0
    sheet = undefined
    if (!isWanted(name)) return
    found = true
    text.line(`${text.length > 0 ? "\n" : ""}## Sheet: ${name}`)
    sheet = new Sheet(text, range)
  }
  const endRow = () => {
    const times = line.length === 0 ? 0 : Math.min(rows, MAX_REPEATED)
    for (let time = 1; time <= times; time++)
      for (const { column, value } of line) sheet?.cell(row + time, column, value)
    row += rows
  }
  const endCell = () => {
    const times = repeated(cell, "number-columns-repeated")
    const shown = value || attribute(cell, "value") || ""
    const written = shown === "" ? 0 : Math.min(times, MAX_REPEATED)
    for (let time = 0; time < written; time++)
      if (line.length < MAX_COLUMNS) line.push({ column: column + 1 + time, value: shown })
    column += times
  }
  return {
    open: (name, attributes) => {
      if (name === "table") {
        depth += 1
        if (depth === 1) startSheet(attribute(attributes, "name") ?? "")
      } else if (depth !== 1 || !sheet) return
      else if (name === "table-row") {
        rows = repeated(attributes, "number-rows-repeated")
        column = 0
        line = []
      } else if (name === "table-cell" || name === "covered-table-cell") {
        cell = attributes
        value = ""
      } else if (name === "p") {
        inParagraph = true
        if (value !== "") value += " "
      } else if (name === "s" && inParagraph) value += " "
    },
    text: (words) => {
      if (inParagraph && sheet) value = (value + words).slice(0, MAX_VALUE_CHARACTERS)
    },
    close: (name) => {
      if (name === "table") {
        if (depth === 1) sheet?.end()
        depth -= 1
      } else if (depth !== 1 || !sheet) return
      else if (name === "p") inParagraph = false
      else if (name === "table-cell" || name === "covered-table-cell") endCell()
      else if (name === "table-row") endRow()
    },
    note: () => {
      const list = names.join(", ").slice(0, 500)
      if (!found) refuse(`${file.name} has no sheet ${cells?.sheet}; it has ${list}.`)
      return `Each line begins with its row number. Sheets: ${list}.`
    },
  }
}

function repeated(attributes: XmlAttributes, name: string): number {
  const times = Number(attribute(attributes, name) ?? 1)
  return Number.isSafeInteger(times) && times > 0 ? Math.min(times, 10_000_000) : 1
}
