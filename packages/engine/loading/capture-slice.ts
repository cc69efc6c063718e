import { nativeKind } from "compositor-core/file/loaded-file"
import { locateLines } from "compositor-files/workspace/surroundings"
import type { Arrival, PolicyVerdict } from "../policy/judge.ts"
import { resolveNative } from "compositor-core/model/capabilities"
import { type Capture, type PathTarget, refusedCapture } from "./capture.ts"
import { oneLine } from "compositor-core/file/name"
import {
  needsSlicer,
  type OpenFile,
  type FileLocation,
  describeLocation,
  type LoadedSlice,
} from "compositor-core/file/slice"
import type { Sources } from "./sources.ts"

interface Cut {
  readonly file: OpenFile
  /** The path of what was opened, as the system names it. */
  readonly real_path: string
}

/** Take the place out of the file and keep it; what cannot be had is named, with the reason. */
export async function captureSlice(
  target: PathTarget,
  cut: Cut,
  sources: Sources,
): Promise<Capture> {
  const { file, real_path } = cut
  const { place } = target
  const named = { origin: "ref", path: real_path, mime: file.mime } as const
  const admitted = (await sources.ingress?.(named)) ?? ALLOW
  if (admitted.verdict === "deny") return refusedCapture(target, "denied", admitted.reason)
  const sliced = await sliceSafely(file, place, sources)
  switch (sliced.type) {
    case "refused":
      return nothingCapture(target, file, sliced.reason)
    case "media":
      return mediaCapture(target, cut, { sliced, sources })
    case "text":
      return textCapture(target, cut, { sliced, sources })
  }
}

const ALLOW: PolicyVerdict = { verdict: "allow" }

async function sliceSafely(
  file: OpenFile,
  place: FileLocation,
  sources: Sources,
): Promise<LoadedSlice> {
  if (!sources.slice)
    return { type: "refused", reason: "a place inside such a file cannot be taken out here" }
  try {
    return await sources.slice(file, place, { native: wantsNative(file, place, sources) })
  } catch (error) {
    const why = oneLine(error instanceof Error ? error.message : String(error))
    return { type: "refused", reason: why === "" ? "it could not be read" : why }
  }
}

// What an archive's entry is shows only when it is out.
function wantsNative(file: OpenFile, place: FileLocation, { capabilities }: Sources): boolean {
  if (!needsSlicer(place)) return false
  if (!capabilities || place.entry !== undefined) return true
  const kind = nativeKind(file.kind, file.mime)
  if (!kind) return false
  // The place is smaller than the file, so that the file's size says nothing.
  return resolveNative(capabilities, { kind, mime: file.mime, size: 0 }).native
}

interface Taken<Type extends LoadedSlice["type"]> {
  readonly sliced: Extract<LoadedSlice, { type: Type }>
  readonly sources: Sources
}

async function mediaCapture(
  target: PathTarget,
  { file, real_path }: Cut,
  { sliced, sources }: Taken<"media">,
): Promise<Capture> {
  const { bytes, mime } = sliced
  const path = entryPath(real_path, target.place)
  const arrival = { origin: "ref", path, mime, size: bytes.length } as const
  const verdict = (await sources.ingress?.(arrival)) ?? ALLOW
  if (verdict.verdict === "deny") return refusedCapture(target, "denied", verdict.reason)
  if (bytes.length > sources.limits.file_bytes)
    return nothingCapture(target, file, `it is larger than ${sources.limits.file_bytes} bytes`)
  const stored = await sources.blobs.putBytes(bytes)
  return kept(target, file, { ...stored, mime, reason: null, type: "media" })
}

async function textCapture(
  target: PathTarget,
  { file, real_path }: Cut,
  { sliced, sources }: Taken<"text">,
): Promise<Capture> {
  const { text_bytes } = sources.limits
  const { mime } = file
  const path = entryPath(real_path, target.place)
  const text = sliced.text.slice(0, text_bytes)
  const around = await entryAround(target.place, text, { file, sources })
  const verdict = (await sources.ingress?.({ origin: "ref", path, mime, text, ...around })) ?? ALLOW
  if (verdict.verdict === "deny") return refusedCapture(target, "denied", verdict.reason)
  const clean = verdict.verdict === "redact" ? verdict.text : text
  const stored = await sources.blobs.putBytes(Buffer.from(clean.toWellFormed()))
  const cut = text.length < sliced.text.length ? `only the first ${text_bytes} characters` : null
  const note = verdict.verdict === "redact" ? verdict.reason : (cut ?? sliced.note ?? null)
  return kept(target, file, { ...stored, mime, reason: note, type: "text" })
}

/** Lines of an entry are judged by what all of the entry holds, as lines of a file are. */
async function entryAround(
  { entry, range, fragment }: FileLocation,
  text: string,
  { file, sources }: { readonly file: OpenFile; readonly sources: Sources },
): Promise<Pick<Arrival, "text" | "piece">> {
  if (entry === undefined || (!range && !fragment)) return {}
  const whole = await sliceSafely(file, { entry }, sources)
  if (whole.type !== "text") return {}
  const isLines = range !== undefined && range.unit !== "byte"
  const start = isLines ? locateLines(whole.text, range).start : whole.text.indexOf(text)
  if (!whole.text.startsWith(text, start)) return {}
  return { text: whole.text, piece: { start, end: start + text.length } }
}

/** Where an entry would lie if its archive were a folder: what is kept out by name stays out. */
function entryPath(real_path: string, { entry }: FileLocation): string {
  return entry === undefined ? real_path : `${real_path}/${entry}`
}

interface Kept {
  readonly content_id: string
  readonly size: number
  readonly mime: string
  readonly reason: string | null
  readonly type: "text" | "media"
}

function kept(target: PathTarget, file: OpenFile, { type, ...about }: Kept): Capture {
  const extracted = type === "text" && file.kind !== "text"
  return {
    part_id: target.part_id,
    ...about,
    total_size: file.size,
    lines: null,
    outcome: "content",
    slice: { type, place: describeLocation(target.place), extracted },
  }
}

function nothingCapture(target: PathTarget, file: OpenFile, reason: string): Capture {
  return {
    part_id: target.part_id,
    content_id: null,
    mime: file.mime,
    size: 0,
    total_size: file.size,
    lines: null,
    outcome: "content",
    reason,
    slice: { type: "none", place: describeLocation(target.place), extracted: false },
  }
}
