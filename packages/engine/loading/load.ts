import type { FileOrigin } from "compositor-core/file/describe"
import { type FileRequest, none } from "compositor-core/parts/define-part"
import { definitionOf } from "compositor-core/parts/table"
import type { HereFile, LoadedFile, TextFile } from "compositor-core/file/loaded-file"
import type { LoadedPart, NamedPart } from "compositor-core/lower/loaded-part"
import { decodeText, kindOfMime } from "compositor-files/kinds/sniff"
import type { IngressOrigin } from "../policy/config.ts"
import type { Capture, PathTarget } from "./capture.ts"
import { captureTarget, pathTarget } from "./capture-target.ts"
import { bytesContent, type Content, loadContent, storedContent } from "./content.ts"
import { fit } from "./fit.ts"
import { freshness } from "./unchanged-files.ts"
import { showName } from "compositor-core/file/name"
import { needsSlicer, slicedName } from "compositor-core/file/slice"
import type { Sources } from "./sources.ts"

export type { Capture } from "./capture.ts"
export { captureRange } from "./capture-target.ts"
export { LOAD_LIMITS, type LoadLimits, type Sources } from "./sources.ts"

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
    // A history is mostly words: only what has a file is waited for.
    if (definitionOf(named.part).load === none) {
      loaded.push({ id: named.id, part: named.part, file: null })
      continue
    }
    const { file, capture } = await loadSafely(named, sources)
    loaded.push({ ...named, file })
    if (capture) captures.push(capture)
  }
  return { parts: loaded, captures }
}

interface LoadResult {
  readonly file: LoadedFile | null
  readonly capture?: Capture
}

async function loadSafely(named: NamedPart, sources: Sources): Promise<LoadResult> {
  try {
    const target = pathTarget(named)
    if (target) return await loadTarget(target, sources)
    const definition = definitionOf(named.part)
    const [request] = definition.load(named.part)
    return { file: request ? await loadRequest(request, definition.origin, sources) : null }
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

async function loadTarget(target: PathTarget, sources: Sources): Promise<LoadResult> {
  const known = sources.captured(target.part_id)
  const capture = known ?? (await captureTarget(target, sources))
  const file = await loadCapture(capture, target, sources)
  return known ? { file } : { file, capture }
}

async function loadCapture(
  capture: Capture,
  target: PathTarget,
  sources: Sources,
): Promise<LoadedFile> {
  const { content_id, outcome, mime, lines, reason } = capture
  const name = slicedName(target.path, target.place.entry)
  if (outcome === "denied" || outcome === "failed")
    return { type: "refused", name, outcome, reason: reason ?? `${name} could not be read` }
  const about = { size: capture.total_size, lines, note: reason, ...measuresOf(capture) }
  const placed = needsSlicer(target.place) ? { place: capture.slice?.place ?? null } : {}
  if (content_id === null) return opaque({ name, mime, ...about, ...placed }, sources)
  const content = await storedContent(content_id, sources.blobs)
  if (capture.slice)
    return loadSlice(capture, { name, content, about: { ...about, ...placed } }, sources)
  const file = await loadContent(content, target.path, sources.limits.text_bytes)
  if (file.type !== "text") return fit({ ...file, ...about }, { content, origin: "ref" }, sources)
  const range = target.place.range ?? null
  const shown: TextFile = { ...file, ...about, range }
  return range ? shown : { ...shown, fresh: await freshness(target.path, shown, sources) }
}

function measuresOf({ entries, pages }: Capture) {
  return {
    ...(entries === undefined ? {} : { entries }),
    ...(pages === undefined ? {} : { pages }),
  }
}

// Its bytes were not kept: what it is and who reads it is all there is to say.
function opaque(
  about: { readonly name: string; readonly mime: string } & Told,
  { routes, capabilities, reach }: Sources,
): LoadedFile {
  const file = { type: "opaque", ...about, kind: kindOfMime(about.mime), content_id: null } as const
  const route = routes?.(file, capabilities, reach)
  return route ? { ...file, route } : file
}

/** What a capture says beyond its bytes. */
type Told = Pick<TextFile, "size" | "lines" | "note" | "place">

interface SliceOf {
  readonly name: string
  readonly content: Content
  readonly about: Told
}

async function loadSlice(
  { slice, content_id, mime, size }: Capture,
  { name, content, about }: SliceOf,
  sources: Sources,
): Promise<LoadedFile> {
  if (slice?.type === "text") {
    const text = decodeText(await content.read(size)) ?? ""
    const facts = { name, mime, content_id, kind: kindOfMime(mime), ...about }
    return { type: "text", text, range: null, ...facts, extracted: slice.extracted }
  }
  const { condition: _, ...file } = await loadContent(content, name, sources.limits.text_bytes)
  return fit({ ...file, ...about }, { content, origin: "ref" }, sources)
}

async function loadRequest(
  request: FileRequest,
  origin: FileOrigin,
  sources: Sources,
): Promise<LoadedFile> {
  const { blobs, limits } = sources
  const fitted = async (content: Content, name: string) => {
    const file = await loadContent(content, name, limits.text_bytes)
    return fitJudged(file, { content, origin }, sources)
  }
  switch (request.from) {
    case "part":
      return fitted(bytesContent(Buffer.from(request.data, "base64"), blobs), request.name)
    case "blob":
      return fitted(await storedContent(request.content_id, blobs), request.name)
    case "nowhere":
      return withoutBytes(request)
    case "elsewhere":
      return { type: "elsewhere", address: request.address }
    case "workspace":
      throw new Error(`${request.path} was not captured`)
  }
}

function withoutBytes(request: Extract<FileRequest, { from: "nowhere" }>): LoadedFile {
  const mime = showName(request.mime)
  const nothing = { content_id: null, lines: null, note: "it was sent without its bytes" }
  const about = { name: showName(request.name), mime, kind: kindOfMime(mime), size: request.size }
  return { type: "opaque", ...about, ...nothing }
}

// Bytes that were uploaded stand under the hash of what they are, secrets and all: what a model is
// shown of them is judged here (BEY-04).
async function fitJudged(
  file: HereFile,
  whole: { readonly content: Content; readonly origin: IngressOrigin },
  sources: Sources,
): Promise<LoadedFile> {
  if (file.type !== "text") return fit(file, whole, sources)
  const { name, mime, text } = file
  const verdict = await sources.ingress?.({ origin: whole.origin, name, mime, text })
  if (verdict?.verdict === "deny")
    return { type: "refused", name, outcome: "denied", reason: verdict.reason }
  if (verdict?.verdict !== "redact") return fit(file, whole, sources)
  return fit({ ...file, text: verdict.text, note: verdict.reason }, whole, sources)
}
