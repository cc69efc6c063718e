import { type MediaKind, resolveNative } from "../model/capabilities.ts"
import type { Block } from "../model/prompt.ts"
import { utf8Length } from "../model/tokens.ts"
import type { LoadedFile } from "./content.ts"
import { oneLine, showBytes } from "./name.ts"
import { type Circumstances, TEXT_LIMITS } from "./policy.ts"
import { type Verdict, verdict } from "./verdict.ts"

export type Origin = "ref" | "attachment"
type TextFile = Extract<LoadedFile, { type: "text" }>
type MediaFile = Extract<LoadedFile, { type: "media" }>
type OpaqueFile = Extract<LoadedFile, { type: "opaque" }>
type HereFile = TextFile | MediaFile | OpaqueFile

/** A file as the model sees it: its text, its picture, or a line that says what it is. */
export function lowerFile(file: LoadedFile, origin: Origin, at: Circumstances): Verdict {
  switch (file.type) {
    case "text":
      return lowerText(file, origin, at)
    case "media":
      return lowerMedia(file, origin, at)
    case "opaque":
      return describe(file, origin, file.note ?? opaqueReason(file, at))
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

function lowerText(file: TextFile, origin: Origin, at: Circumstances): Verdict {
  const overflow = textOverflow(file, origin, at)
  if (overflow) return describe(file, origin, overflow)
  const { content_id } = file
  const text = showText(file, origin)
  if (file.range)
    return verdict("range", "CMP-025", { reason: rangeReason(file), text, content_id })
  const reason = file.note
    ? `The file is shown as text; ${oneLine(file.note)}.`
    : "The whole file is shown as text."
  return verdict("inlined", classRule(file, origin), {
    reason,
    text: text.toWellFormed(),
    content_id,
  })
}

function textOverflow(file: TextFile, origin: Origin, at: Circumstances): string | undefined {
  const { file_refs } = at.policy
  const limits = TEXT_LIMITS[file_refs]
  const size = utf8Length(file.text)
  if (origin === "ref" && !file.range && file_refs === "descriptor") return NAMED_ONLY
  if (!file.range && size > limits.file_bytes)
    return `it is larger than ${showBytes(limits.file_bytes)}`
  if (at.spent.text_bytes + size > limits.message_bytes)
    return `the files of one message may show ${showBytes(limits.message_bytes)}`
  return undefined
}

const NAMED_ONLY = "the policy only names files"

function showText(file: TextFile, origin: Origin): string {
  if (file.text === "") return `[${header(file, origin)} is empty]`
  return `${header(file, origin)}:\n${file.text}`.toWellFormed()
}

function header(file: TextFile, origin: Origin): string {
  const span = file.range ? `, ${spanOf(file)}${totalOf(file)}` : ""
  return `${origin === "ref" ? "File" : "Attached file"} ${file.name}${span}`
}

function rangeReason(file: TextFile): string {
  const cut = file.note ? `: ${oneLine(file.note)}` : ""
  return `The model is shown only ${spanOf(file)} of the file${cut}.`
}

function spanOf({ lines, range }: TextFile): string {
  if (lines)
    return lines.start === lines.end ? `line ${lines.start}` : `lines ${lines.start}-${lines.end}`
  return range ? `bytes ${range.start}-${range.end}` : "all"
}

function totalOf({ lines }: TextFile): string {
  return lines?.total === undefined ? "" : ` of ${lines.total}`
}

function lowerMedia(file: MediaFile, origin: Origin, at: Circumstances): Verdict {
  const refusal = mediaRefusal(file, origin, at)
  if (refusal) return describe(file, origin, refusal)
  const block = nativeBlock(file)
  if (block) return native(file, origin, block)
  const damaged = describe(file, origin, "its header is damaged")
  return { ...damaged, outcome: "failed", reason: "Not shown: its header is damaged." }
}

function mediaRefusal(file: MediaFile, origin: Origin, at: Circumstances): string | undefined {
  const { capabilities, policy, spent } = at
  if (origin === "ref" && policy.file_refs === "descriptor") return NAMED_ONLY
  const { kind, media, width, height } = file
  const answer = resolveNative(capabilities, {
    kind,
    mime: media.mime,
    size: media.size,
    width,
    height,
  })
  if (!answer.native) return answer.sentence
  const most = capabilities.media[kind]?.max_count
  if (most !== undefined && spent.media_count[kind] >= most)
    return `a request may carry ${most} of its kind`
  const room = capabilities.max_request_bytes - REQUEST_RESERVE_BYTES
  if (base64Length(spent.media_bytes + media.size) > room) return "the request would be too large"
  return undefined
}

/** Left of a request for everything that is not media. */
const REQUEST_RESERVE_BYTES = 1024 * 1024

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

function nativeBlock({ kind, media, width, height }: MediaFile): Block | undefined {
  if (kind === "pdf") return { type: "document", media }
  if (kind !== "image" || width === undefined || height === undefined) return undefined
  return { type: "image", media, width, height }
}

function native(file: MediaFile, origin: Origin, block: Block): Verdict {
  const { content_id } = file
  const what =
    block.type === "image" ? `image (${block.width} × ${block.height} pixels)` : "document"
  const reason = `The model is given the ${what} itself.`
  return verdict("native", origin === "ref" ? "CMP-104" : "CMP-105", { reason, block, content_id })
}

/** One line in place of a file: enough to ask for it. */
function describe(file: HereFile, origin: Origin, why: string): Verdict {
  const label = origin === "ref" ? "file" : "attached file"
  const facts = [file.name, file.mime, showBytes(file.size), ...dimensionsOf(file)].join(", ")
  const hint = origin === "ref" ? ` Use ${readerOf(file)} on this path for its contents.` : ""
  return verdict("descriptor", classRule(file, origin), {
    reason: `Only its name, type and size are shown: ${oneLine(why)}.`,
    text: `[${label}: ${facts}. Not shown: ${oneLine(why)}.${hint}]`,
    content_id: file.content_id,
  })
}

function dimensionsOf(file: HereFile): string[] {
  if (file.type === "media" && file.width !== undefined)
    return [`${file.width}x${file.height} pixels`]
  const total = file.lines?.total
  return total === undefined ? [] : [`${total} lines`]
}

function readerOf(file: HereFile): "read" | "read_image" {
  return file.kind === "image" ? "read_image" : "read"
}

function opaqueReason(file: OpaqueFile, at: Circumstances): string {
  switch (file.kind) {
    case "text":
    case "image":
    case "pdf":
      return "it is too large"
    case "audio":
    case "video":
      return mediaReason(file.kind, file, at)
    case "archive":
      return "an archive is not opened here"
    case "binary":
      return "models do not read this format"
  }
}

function mediaReason(kind: MediaKind, file: OpaqueFile, at: Circumstances): string {
  const answer = resolveNative(at.capabilities, { kind, mime: file.mime, size: file.size ?? 0 })
  return answer.native ? `${kind} is not sent yet` : answer.sentence
}

/** The requirement that says what becomes of a file of this kind. */
function classRule(file: HereFile, origin: Origin): string {
  return origin === "ref" ? "CMP-104" : CLASS_RULES[file.kind]
}

const CLASS_RULES: Readonly<Record<HereFile["kind"], string>> = {
  text: "CMP-091",
  image: "CMP-092",
  pdf: "CMP-093",
  audio: "CMP-094",
  video: "CMP-095",
  archive: "CMP-096",
  binary: "CMP-096",
}
