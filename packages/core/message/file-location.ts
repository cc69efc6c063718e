import { z } from "zod"

// Schemas are made by functions that are marked as pure: a bundle that only parses does without them, and
// without zod (`npm run sizes`).

/** A place inside a file, as written after `#` (BEY-08). Lines and pages count from 1 and include
 *  their end; bytes count from 0 and stop before it; times are seconds. */
export const FileFragment = /* @__PURE__ */ (() =>
  z.discriminatedUnion("unit", [
    z.object({ unit: z.literal("line"), start: z.int().min(1), end: z.int().min(1) }),
    z.object({ unit: z.literal("byte"), start: z.int().min(0), end: z.int().min(1) }),
    z.object({ unit: z.literal("page"), start: z.int().min(1), end: z.int().min(1) }),
    z.object({ unit: z.literal("time"), start: z.number().min(0), end: z.number().optional() }),
    z.object({
      unit: z.literal("cells"),
      sheet: z.string().min(1).optional(),
      /** `A1:D20`, or one cell. */
      cells: z.string().min(1).optional(),
    }),
    z.object({
      unit: z.literal("region"),
      measure: z.enum(["pixel", "percent"]),
      x: z.number().min(0),
      y: z.number().min(0),
      width: z.number().gt(0),
      height: z.number().gt(0),
    }),
  ]))()
export type FileFragment = z.infer<typeof FileFragment>

/** Why a fragment names no place. */
export const FragmentFault = /* @__PURE__ */ (() =>
  z.object({
    reason: z.enum(["inverted", "zero", "outside"]),
    message: z.string(),
  }))()
export type FragmentFault = z.infer<typeof FragmentFault>

/** A fragment that somebody else wrote; undefined where it is none. The same as its schema says, for who
 *  lowers and loads no zod. */
export function readFragment(value: unknown): FileFragment | undefined {
  if (!isRecord(value)) return undefined
  const { unit, start, end } = value
  if (unit === "line" || unit === "page")
    return isCount(start, 1) && isCount(end, 1) ? { unit, start, end } : undefined
  if (unit === "byte")
    return isCount(start, 0) && isCount(end, 1) ? { unit, start, end } : undefined
  if (unit === "time") return readTime(start, end)
  if (unit === "cells") return readCells(value.sheet, value.cells)
  return unit === "region" ? readRegion(value) : undefined
}

function readTime(start: unknown, end: unknown): FileFragment | undefined {
  if (!isNumber(start) || start < 0) return undefined
  if (end === undefined) return { unit: "time", start }
  return isNumber(end) ? { unit: "time", start, end } : undefined
}

function readCells(sheet: unknown, cells: unknown): FileFragment | undefined {
  if (!isOptionalText(sheet) || !isOptionalText(cells)) return undefined
  return {
    unit: "cells",
    ...(sheet === undefined ? {} : { sheet }),
    ...(cells === undefined ? {} : { cells }),
  }
}

function readRegion(value: Readonly<Record<string, unknown>>): FileFragment | undefined {
  const { measure, x, y, width, height } = value
  if (measure !== "pixel" && measure !== "percent") return undefined
  if (!isNumber(x) || !isNumber(y) || !isNumber(width) || !isNumber(height)) return undefined
  if (x < 0 || y < 0 || width <= 0 || height <= 0) return undefined
  return { unit: "region", measure, x, y, width, height }
}

/** Lines or bytes that somebody else wrote; undefined where they are none. */
export function readRange(
  value: unknown,
): { start: number; end: number; unit?: "line" | "byte" } | undefined {
  if (!isRecord(value)) return undefined
  const { start, end, unit } = value
  if (unit !== undefined && unit !== "line" && unit !== "byte") return undefined
  const least = unit === "byte" ? 0 : 1
  if (!isCount(start, least) || !isCount(end, start)) return undefined
  return unit === undefined ? { start, end } : { start, end, unit }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value)
}

function isCount(value: unknown, least: number): value is number {
  return isNumber(value) && Number.isSafeInteger(value) && value >= least
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === "string" && value !== "")
}

export type ReadFragment =
  | { readonly type: "fragment"; readonly fragment: FileFragment }
  | { readonly type: "fault"; readonly fault: FragmentFault }

export const MAX_FRAGMENT_CHARACTERS = 256

/** Read what follows the `#`; `undefined` when it is no fragment of ours. */
export function parseFragment(text: string): ReadFragment | undefined {
  if (text.length > MAX_FRAGMENT_CHARACTERS) return undefined
  for (const { pattern, read } of FORMS) {
    const match = pattern.exec(text)
    if (match) return read(match)
  }
  return undefined
}

/** The fragment in its one canonical form, without the `#`. */
export function printFragment(fragment: FileFragment): string {
  switch (fragment.unit) {
    case "line":
      return `L${printed(fragment.start, fragment.end)}`
    case "byte":
      return `B${printed(fragment.start, fragment.end - 1)}`
    case "page":
      return `page=${printed(fragment.start, fragment.end)}`
    case "time":
      return `t=${fragment.start}${fragment.end === undefined ? "" : `,${fragment.end}`}`
    case "cells":
      return printedCells(fragment.sheet, fragment.cells)
    case "region":
      return printedRegion(fragment)
  }
}

type Read = (match: RegExpExecArray) => ReadFragment | undefined

// No two forms fit the same text. Bytes are written with their last one, as HTTP does.
const FORMS: readonly { readonly pattern: RegExp; readonly read: Read }[] = [
  {
    pattern: /^L?(\d{1,15})(?:[-:]L?(\d{1,15}))?$/,
    read: ([, start, end = start]) => counted("line", "lines", Number(start), Number(end)),
  },
  {
    pattern: /^B(\d{1,15})(?:-(\d{1,15}))?$/,
    read: ([, start, end = start]) => bytes(Number(start), Number(end)),
  },
  {
    pattern: /^page=(\d{1,15})(?:-(\d{1,15}))?$/,
    read: ([, start, end = start]) => counted("page", "pages", Number(start), Number(end)),
  },
  {
    pattern: /^t=(?:npt:)?([\d:.]*)(?:,([\d:.]+))?$/,
    read: ([, start = "", end]) => time(start === "" && end ? "0" : start, end),
  },
  {
    pattern:
      /^(?:sheet=([^&=]+))?(?:(?:^|&)range=([A-Za-z]{1,3}\d{1,7}(?::[A-Za-z]{1,3}\d{1,7})?))?$/,
    read: ([, sheet, range]) => cells(sheet, range),
  },
  {
    pattern: /^xywh=(?:(pixel|percent):)?([\d.]+),([\d.]+),([\d.]+),([\d.]+)$/,
    read: ([, measure = "pixel", ...sides]) => region(measure, sides.map(Number)),
  },
]

function counted(unit: "line" | "page", word: string, start: number, end: number): ReadFragment {
  if (start < 1 || end < 1) return fault("zero", `${word} count from 1`)
  if (end < start) return fault("inverted", `${word} ${start}-${end} end before they begin`)
  return { type: "fragment", fragment: { unit, start, end } }
}

function bytes(start: number, last: number): ReadFragment {
  if (last < start) return fault("inverted", `bytes ${start}-${last} end before they begin`)
  return { type: "fragment", fragment: { unit: "byte", start, end: last + 1 } }
}

function time(from: string, to: string | undefined): ReadFragment | undefined {
  const start = seconds(from)
  const end = to === undefined ? undefined : seconds(to)
  if (start === undefined || (to !== undefined && end === undefined)) return undefined
  if (end === undefined) return { type: "fragment", fragment: { unit: "time", start } }
  if (end < start) return fault("inverted", `the time ${from},${to} ends before it begins`)
  if (end === start) return fault("zero", `the time ${from},${to} has no length`)
  return { type: "fragment", fragment: { unit: "time", start, end } }
}

/** `70`, `70.5`, `1:10` and `0:01:10` are the same way of counting. */
function seconds(text: string): number | undefined {
  if (!/^(?:(?:\d{1,5}:)?\d{1,2}:)?\d{1,9}(?:\.\d{1,9})?$/.test(text)) return undefined
  return text.split(":").reduce((total, part) => total * 60 + Number(part), 0)
}

function cells(sheet: string | undefined, range: string | undefined): ReadFragment | undefined {
  const name = sheet === undefined ? undefined : decoded(sheet)
  if ((sheet !== undefined && !name) || (!name && !range)) return undefined
  const wrong = range === undefined ? undefined : cellFault(range)
  if (wrong) return wrong
  const about = { ...(name ? { sheet: name } : {}), ...(range ? { cells: range } : {}) }
  return { type: "fragment", fragment: { unit: "cells", ...about } }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function cellFault(range: string): ReadFragment | undefined {
  const [first, last = first] = range.split(":").map(cell)
  if (!first || !last) return undefined
  if (first.row < 1 || last.row < 1) return fault("zero", `the rows of ${range} count from 1`)
  if (last.row < first.row || last.column < first.column)
    return fault("inverted", `the cells ${range} end before they begin`)
  return undefined
}

function cell(text: string): { readonly column: number; readonly row: number } {
  const [, letters = "", digits] = /^([A-Z]+)(\d+)$/.exec(text.toUpperCase()) ?? []
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return { column, row: Number(digits) }
}

function region(measure: string, sides: readonly number[]): ReadFragment | undefined {
  const [x = Number.NaN, y = Number.NaN, width = Number.NaN, height = Number.NaN] = sides
  const percent = measure === "percent"
  if (!sides.every(Number.isFinite)) return undefined
  if (width === 0 || height === 0) return fault("zero", `the region ${sides.join()} has no area`)
  if (percent && (x + width > 100 || y + height > 100))
    return fault("outside", `the region ${sides.join()} leaves its picture`)
  const fragment = { unit: "region", measure: percent ? "percent" : "pixel" } as const
  return { type: "fragment", fragment: { ...fragment, x, y, width, height } }
}

function fault(reason: FragmentFault["reason"], message: string): ReadFragment {
  return { type: "fault", fault: { reason, message } }
}

function printed(start: number, end: number): string {
  return end === start ? `${start}` : `${start}-${end}`
}

function printedCells(sheet: string | undefined, range: string | undefined): string {
  const named = sheet === undefined ? [] : [`sheet=${encoded(sheet)}`]
  return [...named, ...(range === undefined ? [] : [`range=${range}`])].join("&")
}

// Punctuation too: at the end of a reference it would be the sentence's.
function encoded(text: string): string {
  const hex = (mark: string) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*.~]/g, hex)
}

function printedRegion(region: Extract<FileFragment, { unit: "region" }>): string {
  const { measure, x, y, width, height } = region
  return `xywh=${measure === "percent" ? "percent:" : ""}${[x, y, width, height].join()}`
}
