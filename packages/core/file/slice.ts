import type { Range } from "../message/file-reference.ts"
import type { FileKind } from "./loaded-file.ts"
import { type FileFragment, printFragment } from "../message/file-location.ts"
import { oneLine, showName } from "./name.ts"

/** A file whose bytes can be had, from the beginning, as often as they are asked for. */
export interface OpenFile {
  readonly name: string
  readonly mime: string
  readonly kind: FileKind
  readonly size: number
  open(): AsyncIterable<Uint8Array>
}

/** A place inside a file (BEY-08): in an archive the entry, then lines or bytes, or another address.
 *  An empty place is the whole file. */
export interface FileLocation {
  readonly entry?: string | undefined
  readonly range?: Range | undefined
  readonly fragment?: FileFragment | undefined
}

export type LoadedSlice =
  | { readonly type: "text"; readonly text: string; readonly note?: string | undefined }
  | {
      readonly type: "media"
      readonly bytes: Uint8Array
      readonly mime: string
      readonly name: string
    }
  /** Why it cannot be had, as the end of a sentence. */
  | { readonly type: "refused"; readonly reason: string }

/** Take a place out of a file: as the kind of file that it is where the model takes that natively
 *  (`want.native`), else as text. The reader of formats is on the shelves; the host passes it in. */
export type Slicer = (
  file: OpenFile,
  place: FileLocation,
  want: { readonly native: boolean },
) => Promise<LoadedSlice>

/** Lines and bytes of a file are read as they stand; every other place takes a slicer. */
export function needsSlicer({ entry, fragment }: FileLocation): boolean {
  return entry !== undefined || fragment !== undefined
}

/** A place with one way to say lines and bytes. */
export function normaliseLocation({ entry, range, fragment }: FileLocation): FileLocation {
  const about = entry === undefined ? {} : { entry }
  if (fragment?.unit !== "line" && fragment?.unit !== "byte")
    return { ...about, ...(range ? { range } : {}), ...(fragment ? { fragment } : {}) }
  const { unit, start, end } = fragment
  return { ...about, range: unit === "byte" ? { start, end, unit } : { start, end } }
}

/** The name of a place inside a file: an archive's entry stands behind the archive. */
export function slicedName(path: string, entry: string | undefined): string {
  return showName(entry === undefined ? path : `${path}!/${entry}`)
}

/** The place in words, for a header; an entry stands in the name already. */
export function describeLocation({ range, fragment }: FileLocation): string | null {
  // The name of a sheet is a stranger's.
  if (fragment) return oneLine(fragmentWords(fragment))
  return range ? rangeWords(range) : null
}

function rangeWords({ start, end, unit }: Range): string {
  return unit === "byte" ? `bytes ${start}-${end}` : nameSpan("line", start, end)
}

function fragmentWords(fragment: FileFragment): string {
  switch (fragment.unit) {
    case "line":
    case "page":
      return nameSpan(fragment.unit, fragment.start, fragment.end)
    case "byte":
      return `bytes ${fragment.start}-${fragment.end}`
    case "time":
      return fragment.end === undefined
        ? `from second ${fragment.start}`
        : `seconds ${fragment.start}-${fragment.end}`
    case "cells":
      return cellWords(fragment.sheet, fragment.cells)
    case "region":
      return `region ${printFragment(fragment).slice("xywh=".length)}`
  }
}

export function nameSpan(unit: "line" | "page", start: number, end: number): string {
  return start === end ? `${unit} ${start}` : `${unit}s ${start}-${end}`
}

function cellWords(sheet: string | undefined, cells: string | undefined): string {
  const named = sheet === undefined ? "" : `sheet ${sheet}`
  if (cells === undefined) return named
  return named === "" ? `cells ${cells}` : `cells ${cells} of ${named}`
}
