import type { Range } from "compositor-core/message/file-reference"
import type { LineSpan } from "compositor-core/file/loaded-file"
import type { FileHandle } from "node:fs/promises"
import { SNIFF_BYTES } from "../kinds/sniff.ts"
import type { Surroundings } from "./surroundings.ts"
import { describeError, refuseAsFailed, openWithin, type RefusedPath } from "../disk/within.ts"

export interface ReadOptions {
  readonly range?: Range | undefined
  /** More than this is not read: the answer is `too-large`. */
  readonly maxBytes: number
}

interface OpenedFile {
  /** Of the whole file, whatever part of it was asked for. */
  readonly size: number
  /** What was opened, as the kernel names it. */
  readonly realPath: string
  readonly mtime: number
}

export type WorkspaceRead =
  | (OpenedFile & {
      readonly type: "content"
      readonly bytes: Uint8Array
      readonly lines: LineSpan | null
      /** Says when less was read than the range asked for. */
      readonly note: string | null
      /** What stands around a range: it is judged by what the file holds (BEY-04). */
      readonly around?: Surroundings
    })
  | (OpenedFile & { readonly type: "too-large"; readonly head: Uint8Array })
  | RefusedPath

/** Read a file of the workspace, or say in a sentence why not. */
export async function readWorkspaceFile(
  root: string,
  path: string,
  options: ReadOptions,
): Promise<WorkspaceRead> {
  const opened = await openWithin(root, path, "file")
  if (opened.type === "refused") return opened
  const { handle, stats, realPath } = opened
  try {
    const file = { size: stats.size, realPath, mtime: Math.trunc(stats.mtimeMs) }
    const readAt = (position: number, length: number) => readHandle(handle, position, length)
    return await readOpened({ readAt, file, path }, options)
  } catch (error) {
    return refuseAsFailed(`${path} ${describeError(error)}`)
  } finally {
    await handle.close()
  }
}

/** A file of any kind of place, read by position. `path` is what it is called in notes. */
interface ReadableFile {
  readonly readAt: (position: number, length: number) => Promise<Uint8Array>
  readonly file: OpenedFile
  readonly path: string
}

/** The whole of it, or only the lines or bytes of a range (CMP-025). */
export async function readOpened(
  opened: ReadableFile,
  options: ReadOptions,
): Promise<WorkspaceRead> {
  const { range, maxBytes } = options
  if (range)
    return range.unit === "byte"
      ? readBytes(opened, range, maxBytes)
      : readLines(opened, range, maxBytes)
  const { readAt, file } = opened
  if (file.size > maxBytes) return tooLarge(opened)
  const bytes = await readAt(0, file.size)
  return { type: "content", bytes, lines: null, note: null, ...file }
}

async function readBytes(
  opened: ReadableFile,
  range: Range,
  maxBytes: number,
): Promise<WorkspaceRead> {
  const { readAt, file, path } = opened
  if (range.start > 0 && range.start >= file.size)
    return refuseAsFailed(`${path} has only ${file.size} bytes`)
  const end = Math.min(range.end, file.size)
  if (end - range.start > maxBytes) return tooLarge(opened)
  const bytes = await readAt(range.start, end - range.start)
  const around = await readAround(opened, range.start, bytes.length)
  const note = end < range.end ? `${path} has only ${file.size} bytes` : null
  return { type: "content", bytes, lines: null, note, around, ...file }
}

/** A file up to this is judged whole. */
const WHOLE_BYTES = 8 * 1024 * 1024
/** Of a larger one so much on either side: no secret that we know is as long. */
const AROUND_BYTES = 1024 * 1024

async function readAround(
  { readAt, file }: ReadableFile,
  start: number,
  length: number,
): Promise<Surroundings> {
  const isWhole = file.size <= WHOLE_BYTES
  // Letters of two or four bytes stay whole.
  const begin = isWhole ? 0 : fourth(Math.max(0, start - AROUND_BYTES))
  const end = isWhole ? file.size : Math.min(file.size, start + length + AROUND_BYTES)
  const bytes = await readAt(begin, Math.max(0, end - begin))
  return { bytes, start: start - begin, end: start - begin + length }
}

function fourth(position: number): number {
  return position - (position % 4)
}

const CHUNK_BYTES = 256 * 1024
/** How far into a file a line is looked for. */
const MAX_SCAN_BYTES = 256 * 1024 * 1024
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Reads on from the start and stops where the last line ends, so a few lines of a huge file are
 *  quick. */
async function readLines(
  opened: ReadableFile,
  range: Range,
  maxBytes: number,
): Promise<WorkspaceRead> {
  const { readAt, file, path } = opened
  const wanted: Uint8Array[] = []
  let kept = 0
  let begin = 0
  let line = 1
  let endsInLine = false
  let position = 0
  while (position < MAX_SCAN_BYTES) {
    const chunk = await readAt(position, CHUNK_BYTES)
    if (chunk.length === 0)
      return lastLines(opened, range, { wanted, begin, total: endsInLine ? line : line - 1 })
    endsInLine = chunk.at(-1) !== LINE_FEED
    const slice = linesOf(chunk, line, range)
    if (kept === 0 && slice.bytes.length > 0) begin = position + slice.from
    position += chunk.length
    wanted.push(slice.bytes)
    kept += slice.bytes.length
    line = slice.next
    if (kept > maxBytes) return tooLarge(opened)
    if (line > range.end) break
  }
  if (line <= range.end)
    return refuseAsFailed(`line ${range.end} of ${path} is too far into the file`)
  const lines = { start: range.start, end: range.end }
  const bytes = joinLines(wanted)
  const around = await readAround(opened, begin, bytes.length)
  return { type: "content", bytes, lines, note: null, around, ...file }
}

/** The bytes of `chunk` that lie in the range, when its first byte is in line `line`. */
function linesOf(chunk: Uint8Array, line: number, range: Range) {
  let current = line
  let from = current >= range.start ? 0 : -1
  let at = 0
  while (current <= range.end) {
    const feed = chunk.indexOf(LINE_FEED, at)
    if (feed < 0) break
    at = feed + 1
    current += 1
    if (current === range.start) from = at
  }
  const to = current > range.end ? at : chunk.length
  const bytes = from < 0 ? chunk.subarray(0, 0) : chunk.subarray(from, to)
  return { bytes, from: Math.max(0, from), next: current }
}

async function lastLines(
  opened: ReadableFile,
  range: Range,
  seen: { readonly wanted: readonly Uint8Array[]; readonly begin: number; readonly total: number },
): Promise<WorkspaceRead> {
  const { file, path } = opened
  const { wanted, begin, total } = seen
  const count = `${path} has only ${total} ${total === 1 ? "line" : "lines"}`
  if (range.start > total) return refuseAsFailed(count)
  const lines = { start: range.start, end: Math.min(range.end, total), total }
  const note = range.end > total ? count : null
  const bytes = joinLines(wanted)
  const around = await readAround(opened, begin, bytes.length)
  return { type: "content", bytes, lines, note, around, ...file }
}

/** The break after the last line is not part of the selection. */
function joinLines(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.concat(pieces)
  if (bytes.at(-1) !== LINE_FEED) return bytes
  return bytes.subarray(0, bytes.at(-2) === CARRIAGE_RETURN ? -2 : -1)
}

async function tooLarge(opened: ReadableFile): Promise<WorkspaceRead> {
  const head = await opened.readAt(0, SNIFF_BYTES)
  return { type: "too-large", head, ...opened.file }
}

async function readHandle(
  handle: FileHandle,
  position: number,
  length: number,
): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
