import { type CappedText, cappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { mainPart, type Relationship, relationId, relationships } from "../office-package.ts"
import { type XmlAttributes, attribute, readXml } from "../read-xml.ts"
import { refuse } from "../refusal.ts"
import { cellAt, cellRange, Sheet } from "../sheet.ts"
import { ZipPackage } from "../zip-package.ts"
import { dateStyles, readShared, type SharedStrings, serialDate } from "./xlsx-values.ts"

const MAX_SHEETS = 1_000
const MAX_VALUE_CHARACTERS = 100_000

/** The sheets of a workbook as rows with tabs between their cells; all of it, or the cells asked for. */
export async function readXlsx(job: Job): Promise<ReaderAnswer> {
  const zip = await ZipPackage.open(job.file.path)
  const workbook = await mainPart(zip)
  const links = await relationships(zip, workbook)
  const sheets = await sheetsOf(zip, workbook, links)
  const wanted = chosen(job, sheets)
  const values = await valuesOf(zip, links, sheets.since1904)
  const range = cellRange(job.fragment?.unit === "cells" ? job.fragment.cells : undefined)
  return cappedText(job.limits.text_bytes, async (text) => {
    for (const { name, part } of wanted) {
      text.line(`${text.length > 0 ? "\n" : ""}## Sheet: ${name}`)
      await writeSheet(zip.chunks(part), values, new Sheet(text, range), text)
    }
    const names = sheets.list.map((sheet) => sheet.name).join(", ")
    return `Each line begins with its row number. Sheets: ${names.slice(0, 1000)}.`
  })
}

interface Sheets {
  readonly list: readonly { readonly name: string; readonly part: string }[]
  readonly since1904: boolean
}

async function sheetsOf(
  zip: ZipPackage,
  workbook: string,
  links: ReadonlyMap<string, Relationship>,
): Promise<Sheets> {
  const list: { name: string; part: string }[] = []
  let since1904 = false
  await readXml(zip.chunks(workbook), {
    open: (name, attributes) => {
      if (name === "workbookPr") since1904 = /^(?:1|true)$/.test(attributes.date1904 ?? "")
      const link = name === "sheet" ? links.get(relationId(attributes)) : undefined
      if (link?.type === "worksheet" && list.length < MAX_SHEETS)
        list.push({ name: attribute(attributes, "name") ?? "", part: link.target })
    },
  })
  return { list, since1904 }
}

function chosen({ fragment, file }: Job, { list }: Sheets): Sheets["list"] {
  if (fragment?.unit !== "cells") return list
  if (fragment.sheet === undefined) return list.slice(0, 1)
  const wanted = fragment.sheet.toLowerCase()
  const found = list.filter(({ name }) => name.toLowerCase() === wanted)
  if (found.length > 0) return found
  const names = list.map(({ name }) => name).join(", ")
  return refuse(`${file.name} has no sheet ${fragment.sheet}; it has ${names.slice(0, 500)}.`)
}

interface Values {
  readonly shared: SharedStrings
  readonly dates: ReadonlySet<number>
  readonly since1904: boolean
}

async function valuesOf(
  zip: ZipPackage,
  links: ReadonlyMap<string, Relationship>,
  since1904: boolean,
): Promise<Values> {
  const part = (type: string) => {
    const target = links.values().find((link) => link.type === type)?.target
    return target && zip.has(target) ? zip.chunks(target) : []
  }
  const shared = await readShared(part("sharedStrings"))
  return { shared, dates: await dateStyles(part("styles")), since1904 }
}

/** A later row than those asked for has begun. */
class Past extends Error {}

async function writeSheet(
  chunks: AsyncIterable<Uint8Array>,
  values: Values,
  sheet: Sheet,
  text: CappedText,
): Promise<void> {
  try {
    await readXml(chunks, sheetEvents(values, sheet))
  } catch (error) {
    if (!(error instanceof Past)) throw error
  }
  sheet.end()
  if (text.length === 0) text.line("(empty)")
}

function sheetEvents(values: Values, sheet: Sheet) {
  let row = 0
  let column = 0
  let cell: XmlAttributes = {}
  let inside = ""
  let value = ""
  let formula = ""
  return {
    open: (name: string, attributes: XmlAttributes) => {
      inside = name
      if (name === "row") {
        row = Number(attributes.r) || row + 1
        column = 0
        if (sheet.isPast(row)) throw new Past()
      } else if (name === "c") {
        cell = attributes
        const at = cellAt(attributes.r ?? "")
        column = at.column || column + 1
        value = ""
        formula = ""
      }
    },
    text: (words: string) => {
      if (inside === "f") formula = (formula + words).slice(0, MAX_VALUE_CHARACTERS)
      else if (inside === "v" || inside === "t")
        value = (value + words).slice(0, MAX_VALUE_CHARACTERS)
    },
    close: (name: string) => {
      inside = ""
      if (name === "c") sheet.cell(row, column, shown(cell, value, values) || asFormula(formula))
    },
  }
}

function shown(cell: XmlAttributes, value: string, { shared, dates, since1904 }: Values): string {
  switch (cell.t ?? "") {
    case "s":
      return shared.at(Number(value))
    case "b":
      return value === "1" ? "TRUE" : "FALSE"
    case "str":
    case "inlineStr":
    case "e":
    case "d":
      return value
  }
  if (value !== "" && dates.has(Number(cell.s))) return serialDate(Number(value), since1904)
  return value
}

function asFormula(formula: string): string {
  return formula === "" ? "" : `=${formula}`
}
