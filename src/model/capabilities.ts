/** What a model accepts beside text. */
export type MediaKind = "image" | "pdf" | "audio" | "video"
export type Modality = "text" | MediaKind

export interface MediaLimits {
  readonly mimes: readonly string[]
  /** Bytes of the medium itself, before base64. */
  readonly max_bytes: number
  /** The longest side of an image. */
  readonly max_side_pixels?: number
  /** How many in one request. */
  readonly max_count?: number
  readonly max_pages?: number
}

/** What one wire API carries, whatever model is behind it. */
export interface ApiLimits {
  readonly media: Readonly<Partial<Record<MediaKind, MediaLimits>>>
  readonly max_request_bytes: number
}

/** What one model behind one wire API takes: the API's limits and the model's senses. Equal
 *  `revision` means equal capabilities, so lowered blocks may be kept under it. */
export interface Capabilities extends ApiLimits {
  readonly revision: string
  readonly api: string
  readonly input: readonly Modality[]
}

export interface MediaFacts {
  readonly kind: MediaKind
  readonly mime: string
  readonly size: number
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly pages?: number | undefined
}

export type RefusalReason = "api" | "model" | "mime" | "size" | "pixels" | "pages"

export type Resolution =
  | { readonly native: true }
  | { readonly native: false; readonly reason: RefusalReason; readonly sentence: string }

/** May this medium be sent as it is? The reason leads the reader to the next path. */
export function resolveNative(capabilities: Capabilities, facts: MediaFacts): Resolution {
  const { kind, mime, size } = facts
  const limits = capabilities.media[kind]
  if (!limits) return refuse("api", `the ${capabilities.api} API carries no ${PLURAL[kind]}`)
  if (!capabilities.input.includes(kind))
    return refuse("model", `the model does not take ${PLURAL[kind]}`)
  if (!limits.mimes.includes(mime))
    return refuse("mime", `the ${capabilities.api} API does not take ${mime}`)
  if (size > limits.max_bytes)
    return refuse("size", `${size} bytes are over the limit of ${limits.max_bytes}`)
  return fitsPixels(limits, facts) ?? fitsPages(limits, facts) ?? { native: true }
}

function fitsPixels(limits: MediaLimits, facts: MediaFacts): Resolution | undefined {
  const { max_side_pixels } = limits
  const side = Math.max(facts.width ?? 0, facts.height ?? 0)
  if (max_side_pixels === undefined || side <= max_side_pixels) return undefined
  return refuse("pixels", `${side} pixels are over the limit of ${max_side_pixels} on one side`)
}

function fitsPages(limits: MediaLimits, facts: MediaFacts): Resolution | undefined {
  const { max_pages } = limits
  const pages = facts.pages ?? 0
  if (max_pages === undefined || pages <= max_pages) return undefined
  return refuse("pages", `${pages} pages are over the limit of ${max_pages}`)
}

function refuse(reason: RefusalReason, sentence: string): Resolution {
  return { native: false, reason, sentence }
}

const PLURAL: Readonly<Record<MediaKind, string>> = {
  image: "images",
  pdf: "PDF documents",
  audio: "audio",
  video: "video",
}

/** Change it with the tables below. */
const TABLE_REVISION = "2026-11-15"

const MEGABYTE = 1024 * 1024

/** The API's limit is on base64: 5 MB of it carry this many bytes. */
const ANTHROPIC_IMAGE_BYTES = (5 * MEGABYTE * 3) / 4

const ANTHROPIC: ApiLimits = {
  media: {
    image: {
      mimes: ["image/png", "image/jpeg", "image/gif", "image/webp"],
      max_bytes: ANTHROPIC_IMAGE_BYTES,
      max_side_pixels: 8000,
      max_count: 100,
    },
    // What fits into a request as base64, with room for the rest of it.
    pdf: { mimes: ["application/pdf"], max_bytes: 22 * MEGABYTE, max_pages: 100 },
  },
  max_request_bytes: 32 * MEGABYTE,
}

/** Mirror and scripted accept what the one real API accepts, so that they show the same blocks. */
export const API_LIMITS: Readonly<Record<string, ApiLimits>> = {
  "anthropic-messages": ANTHROPIC,
  mirror: ANTHROPIC,
  scripted: ANTHROPIC,
}

const TEXT_ONLY: ApiLimits = { media: {}, max_request_bytes: 32 * MEGABYTE }

export const ALL_MODALITIES: readonly Modality[] = ["text", "image", "pdf", "audio", "video"]

/** The capabilities of a model with these senses behind this API; an API that is not in the table
 *  carries text. */
export function capabilitiesOfApi(
  api: string,
  input: readonly Modality[] = ALL_MODALITIES,
  tables: Readonly<Record<string, ApiLimits>> = API_LIMITS,
): Capabilities {
  const limits = Object.hasOwn(tables, api) ? (tables[api] ?? TEXT_ONLY) : TEXT_ONLY
  const revision = `${api}/${input.join("+")}/${TABLE_REVISION}`
  return { revision, api, input, ...limits }
}
