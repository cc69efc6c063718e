import { HELPED_BY_SHRINKING } from "compositor-core/file/media"
import type { HereFile, LoadedFile, MediaFile } from "compositor-core/file/loaded-file"
import type { ShrinkLimits, Shrunk, shrink } from "compositor-files/kinds/shrink"
import {
  type Capabilities,
  type MediaLimits,
  type RefusalReason,
  resolveNative,
} from "compositor-core/model/capabilities"
import type { IngressOrigin } from "../policy/config.ts"
import { type Content, openFile } from "./content.ts"
import { MEASURED, type FileRoute } from "compositor-core/file/route"
import type { Sources } from "./sources.ts"

/** An image within the limits, of one of the types; undefined when it cannot be had. */
export type ShrinkToFit = typeof shrink

interface Whole {
  readonly content: Content
  readonly origin: IngressOrigin
}

/** A file as this model can take it: an image made to fit, or text taken out of what it cannot take;
 *  else as it is, with who reads it instead (BIN-001..004). Never throws: what fails leaves the file
 *  as it is. */
export async function fit(file: HereFile, whole: Whole, sources: Sources): Promise<LoadedFile> {
  const routed = withRoute(file, sources)
  if (routed.type === "text") return routed
  const measured = await measure(routed, whole.content, sources)
  const refusal = refusalOf(measured, sources.capabilities)
  if (refusal === null) return measured
  const smaller = await shrunk(measured, refusal, { content: whole.content, sources })
  if (smaller) return smaller
  const wanted = measured.place !== undefined || measured.route?.type === "extract"
  return (wanted ? await extract(measured, whole, sources) : undefined) ?? measured
}

function withRoute(file: HereFile, { routes, capabilities, reach }: Sources): HereFile {
  const route = safely<FileRoute | undefined>(() => routes?.(file, capabilities, reach))
  return route ? { ...file, route } : file
}

/** Counting is for limits and for words: a file that cannot be counted is shown without. */
async function measure(
  file: Exclude<HereFile, { type: "text" }>,
  content: Content,
  { measure }: Sources,
) {
  const known = file.entries ?? file.pages
  if (!measure || known !== undefined || !MEASURED.has(file.kind)) return file
  const measures = await measure(openFile(file, content)).catch(() => undefined)
  return { ...file, ...measures }
}

/** Why the model cannot take it; null when it can, or when nobody knows the model. */
function refusalOf(
  file: Exclude<HereFile, { type: "text" }>,
  capabilities: Capabilities | undefined,
): RefusalReason | null {
  if (file.type === "opaque") return "api"
  if (!capabilities) return null
  const { kind, media, width, height, pages } = file
  const facts = { kind, mime: media.mime, size: media.size, width, height, pages }
  const answer = resolveNative(capabilities, facts)
  return answer.native ? null : answer.reason
}

async function shrunk(
  file: HereFile,
  refusal: RefusalReason,
  { content, sources }: { readonly content: Content; readonly sources: Sources },
): Promise<MediaFile | undefined> {
  const limits = sources.capabilities?.media.image
  if (file.type !== "media" || file.kind !== "image" || !sources.shrink || !limits) return undefined
  const { file_bytes } = sources.limits
  if (!HELPED_BY_SHRINKING.has(refusal) || content.size > file_bytes) return undefined
  try {
    const smaller = await sources.shrink(await content.read(file_bytes), shrinkLimits(limits))
    return smaller && (await keepShrunk(file, smaller, sources))
  } catch {
    return undefined
  }
}

/** What is made smaller is made to fit among many images, too. */
function shrinkLimits({ max_bytes, max_side_pixels, crowded, mimes }: MediaLimits): ShrinkLimits {
  const side = Math.min(max_side_pixels ?? Infinity, crowded?.max_side_pixels ?? Infinity)
  return { max_bytes, mimes, ...(side === Infinity ? {} : { max_side_pixels: side }) }
}

async function keepShrunk(file: MediaFile, smaller: Shrunk, { blobs }: Sources) {
  const { bytes, mime, width, height } = smaller
  const { content_id, size } = await blobs.putBytes(bytes)
  const scaled_from = { mime: file.mime, width: file.width, height: file.height }
  const media = { mime, name: file.name, size, content_id }
  const { condition: _, ...whole } = file
  return { ...whole, mime, media, content_id, width, height, scaled_from }
}

/** The text of a file that the model cannot take; what policy keeps out of messages stays out. */
async function extract(
  file: HereFile,
  { content, origin }: Whole,
  { slice, ingress, limits }: Sources,
): Promise<LoadedFile | undefined> {
  if (!slice || content.size > limits.slice_bytes) return undefined
  try {
    const sliced = await slice(openFile(file, content), {}, { native: false })
    if (sliced.type !== "text") return undefined
    const { name, mime } = file
    const judged = await ingress?.({ origin, name, mime, text: sliced.text })
    if (judged?.verdict === "deny")
      return { type: "refused", name, outcome: "denied", reason: judged.reason }
    const clean = judged?.verdict === "redact" ? judged.text : sliced.text
    const text = clean.slice(0, limits.text_bytes)
    const note = judged?.verdict === "redact" ? judged.reason : (sliced.note ?? file.note)
    const kind = file.kind === "office" ? "binary" : file.kind
    return { ...file, type: "text", kind, text, range: null, extracted: true, note }
  } catch {
    return undefined
  }
}

function safely<Value>(ask: () => Value): Value | undefined {
  try {
    return ask()
  } catch {
    return undefined
  }
}
