import { definitionOf } from "compositor-core/parts/table"
import { type LineSpan, nativeKind } from "compositor-core/file/loaded-file"
import type { NamedPart } from "compositor-core/lower/loaded-part"
import { readAll } from "compositor-files/blobs/blocks"
import { decodeText, SNIFF_BYTES, sniff } from "compositor-files/kinds/sniff"
import { surroundingText } from "compositor-files/workspace/surroundings"
import {
  type ReadOptions,
  readOpened,
  type WorkspaceRead,
} from "compositor-files/workspace/workspace"
import type { PolicyVerdict } from "../policy/judge.ts"
import { type Capture, largeCapture, type PathTarget, refusedCapture } from "./capture.ts"
import { captureSlice } from "./capture-slice.ts"
import { type Blobs, namedOffice, pieces } from "./content.ts"
import { findMovedLines } from "./reanchor.ts"
import { MEASURED, type FileMeasures } from "compositor-core/file/route"
import { type FileLocation, needsSlicer, type OpenFile } from "compositor-core/file/slice"
import type { Sources } from "./sources.ts"

/** A place is captured when it is submitted, because the user selected what was there then. Null
 *  for a part without one, and when it could not be kept: then it is captured when it fires. */
export async function captureRange(named: NamedPart, sources: Sources): Promise<Capture | null> {
  try {
    const target = pathTarget(named)
    if (!target || !isForAPlace(target)) return null
    if (needsSlicer(target.place) && !sources.slice) return null
    return await captureTarget(target, sources)
  } catch {
    return null
  }
}

/** The file that a part wants captured: one of the workspace, or a place in bytes that are stored, which
 *  are read like a file. The whole of stored bytes is loaded as it is (CMP-025). */
export function pathTarget({ id, part }: NamedPart): PathTarget | undefined {
  const [request] = definitionOf(part).load(part)
  if (request?.from === "workspace") {
    const { path, place, selected } = request
    return { part_id: id, path, place, selected }
  }
  if (request?.from !== "blob" || !isForAPlace(request)) return undefined
  const { content_id, name, place } = request
  return { part_id: id, path: name, content_id, place }
}

/** Whether only a place inside the file is asked for. */
function isForAPlace({ place }: { readonly place: FileLocation }): boolean {
  return place.range !== undefined || needsSlicer(place)
}

export async function captureTarget(target: PathTarget, sources: Sources): Promise<Capture> {
  const { path, place } = target
  const sliced = needsSlicer(place)
  const { file_bytes, slice_bytes } = sources.limits
  const range = sliced ? undefined : place.range
  const maxBytes = sliced ? slice_bytes : file_bytes
  const read = await readTarget(target, { range, maxBytes }, sources)
  switch (read.type) {
    case "refused":
      return refusedCapture(target, read.outcome, read.reason)
    case "too-large":
      return largeCapture(target, read.size, (await sniff(read.head, path, false)).mime)
    case "content":
      return contentCapture(target, await findMovedLines(target, read, sources), sources)
  }
}

async function readTarget(
  { path, content_id }: PathTarget,
  options: ReadOptions,
  { workspace_root, read, blobs }: Sources,
): Promise<WorkspaceRead> {
  if (content_id !== undefined) return readStored({ path, content_id }, options, blobs)
  if (workspace_root !== null) return read(workspace_root, path, options)
  const reason = `${path} cannot be read: there is no workspace`
  return { type: "refused", outcome: "denied", reason }
}

/** What was stored is read like a file, so that a range means the same in both (CMP-025). */
async function readStored(
  { path, content_id }: { readonly path: string; readonly content_id: string },
  options: ReadOptions,
  blobs: Blobs,
): Promise<WorkspaceRead> {
  const size = await blobs.size(content_id)
  if (size === undefined) throw new Error(`its bytes (${content_id}) are no longer here`)
  const readAt = async (start: number, length: number) => {
    const end = Math.min(size, start + length)
    if (end <= start) return new Uint8Array()
    return readAll(blobs.open(content_id, { start, end }), end - start)
  }
  return readOpened({ readAt, path, file: { size, realPath: path, mtime: 0 } }, options)
}

type ReadContent = Extract<WorkspaceRead, { type: "content" }>

async function contentCapture(
  target: PathTarget,
  read: ReadContent,
  sources: Sources,
): Promise<Capture> {
  const { path, place } = target
  const { text_bytes } = sources.limits
  const bytes = place.range?.unit === "byte" ? wholeCharacters(read.bytes) : read.bytes
  const { mime, kind } = await sniffBytes(bytes, path, text_bytes)
  const file: OpenFile = { name: path, mime, kind, size: read.size, open: () => pieces(read.bytes) }
  if (needsSlicer(place) || isExtracted(file, sources))
    return captureSlice(target, { file, real_path: read.realPath }, sources)
  const large = kind === "text" && bytes.length > text_bytes
  const text = kind === "text" && !large ? decodeText(bytes) : undefined
  const around = text !== undefined && read.around ? surroundingText(read.around) : undefined
  const arrival = { origin: "ref", path: read.realPath, mime, text, ...around } as const
  const verdict = (await sources.ingress?.(arrival)) ?? ALLOW
  if (verdict.verdict === "deny") return refusedCapture(target, "denied", verdict.reason)
  if (large)
    return { ...largeCapture(target, read.size, mime), lines: read.lines ?? countLines(bytes) }
  const sent = kind === "text" || (!place.range && nativeKind(kind, mime) !== undefined)
  const kept = verdict.verdict === "redact" ? Buffer.from(verdict.text) : bytes
  const stored = sent ? await sources.blobs.putBytes(kept) : null
  return {
    part_id: target.part_id,
    content_id: stored?.content_id ?? null,
    mime,
    size: stored?.size ?? 0,
    total_size: read.size,
    lines: read.lines,
    outcome: "content",
    reason: verdict.verdict === "redact" ? verdict.reason : read.note,
    ...(await measured(file, sources)),
  }
}

const ALLOW: PolicyVerdict = { verdict: "allow" }

async function sniffBytes(bytes: Uint8Array, name: string, whole: number) {
  const complete = bytes.length <= whole
  const head = complete ? bytes : bytes.subarray(0, SNIFF_BYTES)
  return namedOffice(await sniff(head, name, complete), name)
}

/** A whole file that no model reads, whose text an agent without tools is given instead. */
function isExtracted(file: OpenFile, sources: Sources): boolean {
  const { slice, routes, capabilities, reach } = sources
  if (!slice || file.kind === "text" || nativeKind(file.kind, file.mime)) return false
  return routes?.(file, capabilities, reach).type === "extract"
}

async function measured(file: OpenFile, { measure }: Sources): Promise<FileMeasures> {
  if (!measure || !MEASURED.has(file.kind)) return {}
  return measure(file).catch(() => ({}))
}

function countLines(bytes: Uint8Array): LineSpan {
  let total = bytes.at(-1) === 0x0a ? 0 : 1
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) total += 1
  return { start: 1, end: total, total }
}

/** A byte range may cut a character at either end; half a character is no text. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start += 1
  let lead = bytes.length - 1
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead -= 1
  const complete = lead < 0 || lead + characterLength(bytes[lead]) <= bytes.length
  return bytes.subarray(start, complete ? bytes.length : lead)
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

function characterLength(lead = 0): number {
  if (lead >= 0xf0) return 4
  if (lead >= 0xe0) return 3
  return lead >= 0xc0 ? 2 : 1
}
