import type { MediaBlock } from "./prompt.ts"

/** What a model accepts beside text. `office` is every document that is not a PDF: text and office
 *  files that the API reads by itself. */
export type MediaKind = "image" | "pdf" | "office" | "audio" | "video"
export type Modality = "text" | "image" | "pdf" | "audio" | "video"

/** The kind whose limits hold for a block. */
export function mediaKind(block: MediaBlock): MediaKind {
  if (block.type !== "document") return block.type
  return block.media.mime === "application/pdf" ? "pdf" : "office"
}

/** Whether a wire API has a place for a medium of this type at all. */
export function carries({ media }: Pick<ApiLimits, "media">, block: MediaBlock): boolean {
  return media[mediaKind(block)]?.mimes.includes(block.media.mime) ?? false
}

/** How a medium can be handed over. We send bytes; the others are for what lies elsewhere. */
type MediaSource = "base64" | "url" | "file-id" | "s3"

export interface MediaLimits {
  /** Exact types: a label such as `image/*` widens nothing (CMPH-014). */
  readonly mimes: readonly string[]
  readonly sources: readonly MediaSource[]
  /** Bytes of the medium itself, before base64. */
  readonly max_bytes: number
  /** The longest side of an image. */
  readonly max_side_pixels?: number
  /** With more images than this in one request, a shorter side. */
  readonly crowded?: { readonly count: number; readonly max_side_pixels: number }
  /** How many in one request. */
  readonly max_count?: number
  /** Bytes of all of this kind in one request. */
  readonly max_total_bytes?: number
  readonly max_pages?: number
  /** Fewer pages for a model whose context is not larger than this. */
  readonly small_context?: { readonly tokens: number; readonly max_pages: number }
  /** Another sense that is enough: a model that sees images reads the pages of a PDF. */
  readonly implied_by?: Modality
}

/** Whether a tool call that the model did not make may stand in its history (decision 7). */
type SyntheticToolCall = "always" | "without-budget" | "never"

/** What one wire API carries, whatever model is behind it. */
export interface ApiLimits {
  readonly media: Readonly<Partial<Record<MediaKind, MediaLimits>>>
  readonly max_request_bytes: number
  /** What may stand inside a tool result; other media follow it in the user's words. */
  readonly tool_result_media: readonly MediaKind[]
  /** Where the system prompt goes. */
  readonly system: "beside" | "system" | "developer"
  readonly synthetic_tool_call: SyntheticToolCall
  /** Its models are given their earlier thoughts again; the others want only those of the turn that
   *  is going on. */
  readonly keeps_thoughts: boolean
  /** A message's words go as one string: no blocks tell who wrote what. */
  readonly one_string: boolean
}

/** What one model behind one wire API takes: the API's limits and the model's senses. Equal
 *  `revision` means equal capabilities, so lowered blocks may be kept under it; it names the layers
 *  that had a say. */
export interface Capabilities extends ApiLimits {
  readonly revision: string
  readonly api: string
  readonly input: readonly Modality[]
  readonly tools: boolean
  /** 0 when nobody knows. */
  readonly context_tokens: number
}

export interface MediaFacts {
  readonly kind: MediaKind
  readonly mime: string
  readonly size: number
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly pages?: number | undefined
  /** How it would be handed over; bytes when nobody says. */
  readonly source?: MediaSource | undefined
}

export type RefusalReason = "api" | "model" | "mime" | "source" | "size" | "pixels" | "pages"

type NativeSupport =
  | { readonly native: true }
  | { readonly native: false; readonly reason: RefusalReason; readonly sentence: string }

/** May this medium be sent as it is? The reason leads the reader to the next path. */
export function resolveNative(capabilities: Capabilities, facts: MediaFacts): NativeSupport {
  const { kind, mime, size, source = "base64" } = facts
  const { api, input } = capabilities
  const limits = capabilities.media[kind]
  if (!limits) return refuse("api", `the ${api} API carries no ${PLURAL[kind]}`)
  if (!hasSense(input, kind, limits))
    return refuse("model", `the model does not take ${PLURAL[kind]}`)
  if (!limits.mimes.includes(mime)) return refuse("mime", `the ${api} API does not take ${mime}`)
  if (!limits.sources.includes(source))
    return refuse("source", `the ${api} API does not take ${PLURAL[kind]} by ${source}`)
  if (size > limits.max_bytes)
    return refuse("size", `${size} bytes are over the limit of ${limits.max_bytes}`)
  return fitsPixels(limits, facts) ?? fitsPages(limits, facts) ?? { native: true }
}

function hasSense(input: readonly Modality[], kind: MediaKind, limits: MediaLimits): boolean {
  return input.some((modality) => modality === kind || modality === limits.implied_by)
}

function fitsPixels(limits: MediaLimits, facts: MediaFacts): NativeSupport | undefined {
  const { max_side_pixels } = limits
  const side = Math.max(facts.width ?? 0, facts.height ?? 0)
  if (max_side_pixels === undefined || side <= max_side_pixels) return undefined
  return refuse("pixels", `${side} pixels are over the limit of ${max_side_pixels} on one side`)
}

function fitsPages(limits: MediaLimits, facts: MediaFacts): NativeSupport | undefined {
  const { max_pages } = limits
  const pages = facts.pages ?? 0
  if (max_pages === undefined || pages <= max_pages) return undefined
  return refuse("pages", `${pages} pages are over the limit of ${max_pages}`)
}

function refuse(reason: RefusalReason, sentence: string): NativeSupport {
  return { native: false, reason, sentence }
}

const PLURAL: Readonly<Record<MediaKind, string>> = {
  image: "images",
  pdf: "PDF documents",
  office: "office documents",
  audio: "audio",
  video: "video",
}

/** May a recorded call stand in the history as if the model had made it? Where not, the same words
 *  are a block of the user's message (decision 7). `budget` says that the model is made to think
 *  within a budget, which some APIs prove by what each call begins with. */
export function acceptsSyntheticCall(capabilities: Capabilities, budget: boolean): boolean {
  if (!capabilities.tools) return false
  switch (capabilities.synthetic_tool_call) {
    case "always":
      return true
    case "without-budget":
      return !budget
    case "never":
      return false
  }
}

export const ALL_MODALITIES: readonly Modality[] = ["text", "image", "pdf", "audio", "video"]

interface Sources {
  readonly api: string
  readonly input: readonly Modality[]
  readonly tools: boolean
  /** 0 when nobody knows. */
  readonly context_tokens: number
  readonly tables: Readonly<Record<string, ApiLimits>>
  /** The marks of the layers above the embedded tables that had a say. */
  readonly layers: readonly string[]
}

/** Names the embedded limits in every revision: change it with the limits of any wire. */
const TABLE_REVISION = "2026-11-16"

export function capabilitiesFrom(sources: Sources): Capabilities {
  const { api, input, tools, context_tokens, tables, layers } = sources
  const limits = Object.hasOwn(tables, api) ? (tables[api] ?? TEXT_ONLY) : TEXT_ONLY
  const media = mediaFor(limits.media, context_tokens)
  const size = context_tokens > 0 ? [`context-${context_tokens}`] : []
  const said = [api, input.join("+"), ...(tools ? [] : ["no-tools"]), ...size]
  const revision = [...said, `embedded-${TABLE_REVISION}`, ...layers].join("/")
  return { ...limits, revision, api, input, tools, context_tokens, media }
}

const TEXT_ONLY: ApiLimits = {
  media: {},
  max_request_bytes: 32 * 1024 * 1024,
  tool_result_media: [],
  system: "beside",
  synthetic_tool_call: "never",
  keeps_thoughts: false,
  one_string: false,
}

/** The same limits, unless some of them are narrower for a context of this size. */
function mediaFor(media: ApiLimits["media"], context_tokens: number): ApiLimits["media"] {
  const narrowed = Object.entries(media).flatMap(([kind, limits]) => {
    const { small_context: small } = limits
    if (!small || context_tokens > small.tokens) return []
    return [[kind, { ...limits, max_pages: small.max_pages }] as const]
  })
  return narrowed.length === 0 ? media : { ...media, ...Object.fromEntries(narrowed) }
}
