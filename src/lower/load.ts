import { decodeText, kindOfMime, SNIFF_BYTES, sniff } from "../files/sniff.ts"
import type { LineSpan, readWorkspaceFile, WorkspaceRead } from "../files/workspace.ts"
import {
  type FileAttachmentPart,
  type FileReference,
  isKnown,
  type MentionPart,
  type Part,
  Range,
  type UnknownPart,
} from "../message/part.ts"
import type { Arrival, Verdict } from "../policy/judge.ts"
import {
  type Blobs,
  inlineContent,
  isNativeKind,
  type LoadedFile,
  loadContent,
  storedContent,
} from "./content.ts"
import { showName } from "./name.ts"

/** A part and the id that its receipt and its capture carry. */
export interface NamedPart {
  readonly id: string
  readonly part: Part | UnknownPart
}

/** A part with all that lowering needs of the world: nothing is read after this. */
export interface LoadedPart extends NamedPart {
  /** For refs, attachments and file mentions; the other parts are their own content. */
  readonly file: LoadedFile | null
}

/** What a file-ref sent, kept for ever: later lowerings read this and never the disk, so history
 *  and prompt caches do not shift (decision 4). `content` without an id is a file that no model
 *  reads. */
export interface Capture {
  readonly part_id: string
  readonly content_id: string | null
  readonly mime: string
  /** Bytes that were kept. */
  readonly size: number
  /** Bytes of the whole file. */
  readonly total_size: number
  readonly lines: LineSpan | null
  readonly outcome: "content" | "too-large" | "denied" | "failed"
  readonly reason: string | null
}

export interface LoadLimits {
  /** A file of the workspace beyond this is only described. */
  readonly file_bytes: number
  /** Text beyond this is only described. */
  readonly text_bytes: number
}

export const LOAD_LIMITS: LoadLimits = { file_bytes: 32 * 1024 * 1024, text_bytes: 256 * 1024 }

export interface Sources {
  readonly workspace_root: string | null
  readonly read: typeof readWorkspaceFile
  readonly blobs: Blobs
  readonly captured: (part_id: string) => Capture | undefined
  readonly limits: LoadLimits
  /** What may come in from the workspace (BEY-04); without one, everything. */
  readonly ingress?: ((arrival: Arrival) => Verdict) | undefined
}

export interface Loaded {
  readonly parts: readonly LoadedPart[]
  /** What was captured just now, for the caller to keep. */
  readonly captures: readonly Capture[]
}

/** Read what the parts need. A part that cannot be read says so in its place; nothing throws. */
export async function load(parts: readonly NamedPart[], sources: Sources): Promise<Loaded> {
  const loaded: LoadedPart[] = []
  const captures: Capture[] = []
  for (const named of parts) {
    const { file, capture } = await loadSafely(named, sources)
    loaded.push({ ...named, file })
    if (capture) captures.push(capture)
  }
  return { parts: loaded, captures }
}

/** A range is captured when it is submitted, because the user selected what was there then. Null
 *  for a part without one, and when it could not be kept: then it is captured when it fires. */
export async function captureRange(named: NamedPart, sources: Sources): Promise<Capture | null> {
  try {
    const target = pathTarget(named)
    return target?.range ? await captureTarget(target, sources) : null
  } catch {
    return null
  }
}

interface LoadResult {
  readonly file: LoadedFile | null
  readonly capture?: Capture
}

async function loadSafely(named: NamedPart, sources: Sources): Promise<LoadResult> {
  try {
    return await loadPart(named, sources)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { file: { type: "refused", name: nameOf(named.part), outcome: "failed", reason } }
  }
}

// Asks nothing of the part's shape: a bad shape may be why we are here.
function nameOf(part: object): string {
  const { name, ref } = part as { name?: unknown; ref?: { path?: unknown } }
  const known = [name, ref?.path].find((value) => typeof value === "string")
  return showName(known ?? "file")
}

async function loadPart(named: NamedPart, sources: Sources): Promise<LoadResult> {
  const target = pathTarget(named)
  if (target) return loadTarget(target, sources)
  const { part } = named
  if (!isKnown(part)) return { file: null }
  if (part.type === "file-attachment") return { file: await loadAttachment(part, sources) }
  if (part.type === "file-ref") return { file: await loadReference(part.ref, sources) }
  return { file: null }
}

/** A path that a part wants read, by itself or by a mention of it. */
interface PathTarget {
  readonly part_id: string
  readonly path: string
  readonly range: Range | undefined
}

function pathTarget(named: NamedPart): PathTarget | undefined {
  const { id, part } = named
  if (!isKnown(part)) return undefined
  if (part.type === "file-ref" && part.ref.kind === "path")
    return { part_id: id, path: part.ref.path, range: part.ref.range }
  if (part.type === "mention") return mentionedFile(id, part)
  return undefined
}

function mentionedFile(part_id: string, part: MentionPart): PathTarget | undefined {
  const { kind, path, range } = part.target
  if (kind !== "file" || typeof path !== "string") return undefined
  return { part_id, path, range: Range.safeParse(range).data }
}

async function loadTarget(target: PathTarget, sources: Sources): Promise<LoadResult> {
  const known = sources.captured(target.part_id)
  const capture = known ?? (await captureTarget(target, sources))
  const file = await loadCapture(capture, target, sources)
  return known ? { file } : { file, capture }
}

async function captureTarget(target: PathTarget, sources: Sources): Promise<Capture> {
  const { path, range } = target
  if (sources.workspace_root === null)
    return refusedCapture(target, "denied", `${path} cannot be read: there is no workspace`)
  const maxBytes = sources.limits.file_bytes
  const read = await sources.read(sources.workspace_root, path, { range, maxBytes })
  switch (read.type) {
    case "refused":
      return refusedCapture(target, read.outcome, read.reason)
    case "too-large":
      return largeCapture(target, read.size, (await sniff(read.head, path, false)).mime)
    case "content":
      return contentCapture(target, read, sources)
  }
}

type ReadContent = Extract<WorkspaceRead, { type: "content" }>

async function contentCapture(
  target: PathTarget,
  read: ReadContent,
  sources: Sources,
): Promise<Capture> {
  const { part_id, path, range } = target
  const { text_bytes } = sources.limits
  const bytes = range?.unit === "byte" ? wholeCharacters(read.bytes) : read.bytes
  const { mime, kind } = await sniffBytes(bytes, path, text_bytes)
  const large = kind === "text" && bytes.length > text_bytes
  const text = kind === "text" && !large ? decodeText(bytes) : undefined
  const verdict = sources.ingress?.({ origin: "ref", path: read.realPath, mime, text }) ?? ALLOW
  if (verdict.verdict === "deny") return refusedCapture(target, "denied", verdict.reason)
  if (large)
    return { ...largeCapture(target, read.size, mime), lines: read.lines ?? countLines(bytes) }
  const sent = kind === "text" || (!range && isNativeKind(kind))
  const kept = verdict.verdict === "redact" ? Buffer.from(verdict.text) : bytes
  const stored = sent ? await sources.blobs.putBytes(kept) : null
  return {
    part_id,
    content_id: stored?.content_id ?? null,
    mime,
    size: stored?.size ?? 0,
    total_size: read.size,
    lines: read.lines,
    outcome: "content",
    reason: verdict.verdict === "redact" ? verdict.reason : read.note,
  }
}

const ALLOW: Verdict = { verdict: "allow" }

function sniffBytes(bytes: Uint8Array, name: string, whole: number) {
  if (bytes.length <= whole) return sniff(bytes, name, true)
  return sniff(bytes.subarray(0, SNIFF_BYTES), name, false)
}

function largeCapture(target: PathTarget, total_size: number, mime: string): Capture {
  const { part_id } = target
  const nothing = { content_id: null, size: 0, lines: null, reason: null }
  return { part_id, mime, total_size, outcome: "too-large", ...nothing }
}

const UNKNOWN_MIME = "application/octet-stream"

function refusedCapture(target: PathTarget, outcome: "denied" | "failed", reason: string): Capture {
  const nothing = { content_id: null, mime: UNKNOWN_MIME, size: 0, total_size: 0, lines: null }
  return { part_id: target.part_id, outcome, reason, ...nothing }
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

async function loadCapture(
  capture: Capture,
  target: PathTarget,
  sources: Sources,
): Promise<LoadedFile> {
  const { content_id, outcome, mime, lines, reason } = capture
  const name = showName(target.path)
  if (outcome === "denied" || outcome === "failed")
    return { type: "refused", name, outcome, reason: reason ?? `${name} could not be read` }
  const about = { size: capture.total_size, lines, note: reason }
  if (content_id === null)
    return { type: "opaque", name, mime, kind: kindOfMime(mime), content_id, ...about }
  const content = await storedContent(content_id, sources.blobs)
  const file = await loadContent(content, target.path, sources.limits.text_bytes)
  if (file.type !== "text") return { ...file, ...about }
  return { ...file, ...about, range: target.range ?? null }
}

async function loadAttachment(part: FileAttachmentPart, sources: Sources): Promise<LoadedFile> {
  const { name, data, content_id } = part
  const { blobs, limits } = sources
  if (data !== undefined) return loadContent(inlineContent(data, blobs), name, limits.text_bytes)
  if (content_id !== undefined)
    return loadContent(await storedContent(content_id, blobs), name, limits.text_bytes)
  return withoutBytes(part)
}

function withoutBytes(part: FileAttachmentPart): LoadedFile {
  const mime = showName(part.mime)
  const nothing = { content_id: null, lines: null, note: "it was sent without its bytes" }
  const about = { name: showName(part.name), mime, kind: kindOfMime(mime), size: part.size ?? null }
  return { type: "opaque", ...about, ...nothing }
}

async function loadReference(ref: FileReference, sources: Sources): Promise<LoadedFile> {
  // What lies elsewhere is named; fetching it is a tool's work.
  if (ref.kind !== "content") return { type: "elsewhere", address: showName(addressOf(ref)) }
  const name = typeof ref.name === "string" ? ref.name : ref.content_id
  const content = await storedContent(ref.content_id, sources.blobs)
  return loadContent(content, name, sources.limits.text_bytes)
}

function addressOf(ref: Exclude<FileReference, { kind: "content" }>): string {
  switch (ref.kind) {
    case "url":
      return ref.url
    case "mcp":
      return `${ref.server} ${ref.uri}`
    case "path":
      return ref.path
  }
}
