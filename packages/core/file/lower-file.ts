import type { LoadedFile, MediaFile, TextFile, Freshness } from "./loaded-file.ts"
import { utf8Length } from "../model/tokens.ts"
import { classRule, describe, opaqueReason, type FileOrigin } from "./describe.ts"
import { mediaRefusal, nativeBlock } from "./media.ts"
import { oneLine, showBytes } from "./name.ts"
import { beginning } from "./outline.ts"
import { type Circumstances, TEXT_LIMITS } from "./policy.ts"
import { nameSpan } from "./slice.ts"
import { type LoweredPart, verdict } from "./verdict.ts"

/** A file as the model sees it: its text, its picture, or a line that says what it is. */
export function lowerFile(
  file: LoadedFile | null,
  origin: FileOrigin,
  at: Circumstances,
): LoweredPart {
  if (!file) throw new Error("its file was not loaded")
  switch (file.type) {
    case "text":
      return lowerText(file, origin, at)
    case "media":
      return lowerMedia(file, origin, at)
    case "opaque":
      return describe(file, origin, { why: file.note ?? opaqueReason(file, at) })
    case "elsewhere":
      return verdict("descriptor", "CMP-022", {
        reason: "Only its address is shown: nothing is fetched for a reference.",
        text: `[reference: ${file.address}. Its contents are not included.]`,
      })
    case "refused":
      return verdict(file.outcome, origin === "ref" ? "CMP-104" : "CMP-105", {
        reason: `Not shown: ${oneLine(file.reason)}.`,
        text: `[file: ${file.name}. Not shown: ${oneLine(file.reason)}.]`,
      })
  }
}

function lowerText(file: TextFile, origin: FileOrigin, at: Circumstances): LoweredPart {
  const overflow = textOverflow(file, origin, at)
  if (overflow)
    return file.extracted ? lowerHead(file, origin, at) : describe(file, origin, overflow)
  if (file.fresh) return lowerFresh(file, file.fresh)
  return shownText(file, origin, showText(file, origin))
}

/** Text of a file, as a block and with what its receipt says. */
export function shownText(file: TextFile, origin: FileOrigin, text: string): LoweredPart {
  const { content_id } = file
  if (file.range) return verdict("range", "CMP-025", { reason: partReason(file), text, content_id })
  if (file.place !== undefined) {
    const outcome = file.extracted ? "extracted" : "range"
    return verdict(outcome, "BEY-08", { reason: partReason(file), text, content_id })
  }
  const what = file.extracted ? "The text was taken out of the file" : "The file is shown as text"
  const whole = file.extracted ? what : "The whole file is shown as text"
  const reason = file.note ? `${what}; ${oneLine(file.note)}.` : `${whole}.`
  const outcome = file.extracted ? "extracted" : "inlined"
  return verdict(outcome, classRule(file, origin), { reason, text, content_id })
}

const NAMED_ONLY = "the policy only names files"

function textOverflow(file: TextFile, origin: FileOrigin, at: Circumstances) {
  const { file_refs } = at.policy
  const limits = TEXT_LIMITS[file_refs]
  const size = utf8Length(file.text)
  const selected = file.range !== null || file.place !== undefined
  if (origin === "ref" && !selected && file_refs === "descriptor") return { why: NAMED_ONLY }
  if (!selected && size > limits.file_bytes)
    return { why: `it is larger than ${showBytes(limits.file_bytes)}` }
  if (at.spent.text_bytes + size > limits.message_bytes)
    return { why: `the files of one message may show ${showBytes(limits.message_bytes)}` }
  return undefined
}

/** Text that was taken out of a file can be read nowhere else, so its beginning is better than none. */
function lowerHead(file: TextFile, origin: FileOrigin, at: Circumstances): LoweredPart {
  const { file_bytes, message_bytes } = TEXT_LIMITS[at.policy.file_refs]
  const room = Math.min(file_bytes, message_bytes - at.spent.text_bytes)
  const text = room > 0 ? beginning(file.text, room) : ""
  if (text === "") return describe(file, origin, { why: "the message has no room for its text" })
  const note = `only its first ${showBytes(utf8Length(text))} of text are shown`
  const head = { ...file, text, note }
  return shownText(head, origin, `${showText(head, origin)}\n[${note}]`)
}

/** The model was shown the file before: it is told what is new in it (BEY-03). */
function lowerFresh(file: TextFile, fresh: Freshness): LoweredPart {
  const { content_id, name } = file
  const shown = new Date(fresh.shown_at).toISOString()
  switch (fresh.type) {
    case "unchanged":
      return verdict("descriptor", "BEY-03", {
        reason: `The file is unchanged since it was shown at ${shown}, so it is not shown again.`,
        text: `[file: ${name}. Unchanged since it was shown at ${shown}.]`,
        content_id,
      })
    case "changed":
      return verdict("inlined", "BEY-03", {
        reason: `Only what changed since the file was shown at ${shown} is shown.`,
        text: `File ${name}, what changed since it was shown at ${shown}:\n${fresh.diff}`,
        content_id,
      })
  }
}

export function showText(file: TextFile, origin: FileOrigin): string {
  if (file.text === "") return `[${header(file, origin)} is empty]`
  return `${header(file, origin)}:\n${file.text}`
}

function header(file: TextFile, origin: FileOrigin): string {
  const part = partOf(file)
  const of = part === undefined ? "" : `, ${part}${totalOf(file)}`
  return `${origin === "ref" ? "File" : "Attached file"} ${file.name}${of}`
}

function partReason(file: TextFile): string {
  const note = file.note ? `: ${oneLine(file.note)}` : ""
  return `The model is shown only ${partOf(file) ?? "this entry"} of the file${note}.`
}

function partOf({ lines, range, place }: TextFile): string | undefined {
  if (place) return place
  if (!range) return undefined
  if (lines) return nameSpan("line", lines.start, lines.end)
  return `bytes ${range.start}-${range.end}`
}

function totalOf({ lines }: TextFile): string {
  return lines?.total === undefined ? "" : ` of ${lines.total}`
}

function lowerMedia(file: MediaFile, origin: FileOrigin, at: Circumstances): LoweredPart {
  if (origin === "ref" && file.place === undefined && at.policy.file_refs === "descriptor")
    return describe(file, origin, { why: NAMED_ONLY })
  const refusal = mediaRefusal(file, at)
  if (refusal) return describe(file, origin, refusal)
  const block = nativeBlock(file)
  if (!block) {
    const damaged = describe(file, origin, { why: "its header is damaged" })
    return { ...damaged, outcome: "failed", reason: "Not shown: its header is damaged." }
  }
  const { content_id } = file
  const state = file.condition ? ` It seems to be ${file.condition}.` : ""
  const reason = `The model is given ${nativeWords(file)}.${state}`
  if (file.place !== undefined) return verdict("range", "BEY-08", { reason, block, content_id })
  return verdict("native", origin === "ref" ? "CMP-104" : "CMP-105", { reason, block, content_id })
}

function nativeWords(file: MediaFile): string {
  const part = file.place ? `${file.place} of ` : ""
  return `${part}the ${NOUNS[file.kind]}${pixelsOf(file)} itself${scalingOf(file)}`
}

const NOUNS: Readonly<Record<MediaFile["kind"], string>> = {
  image: "image",
  pdf: "document",
  office: "document",
  audio: "sound",
  video: "film",
}

function pixelsOf({ width, height }: MediaFile): string {
  return width === undefined ? "" : ` (${width} × ${height} pixels)`
}

function scalingOf({ scaled_from: from, width, height, mime }: MediaFile): string {
  if (!from) return ""
  const type = from.mime === mime ? "" : `, as ${mime} instead of ${from.mime}`
  if (from.width === undefined || (from.width === width && from.height === height)) return type
  return `, scaled from ${from.width}x${from.height} to ${width}x${height}${type}`
}
