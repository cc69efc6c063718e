import type { ApiLimits, MediaLimits } from "./capabilities.ts"

/** Change it with the tables below. */
export const TABLE_REVISION = "2026-11-16"

const MEGABYTE = 1024 * 1024

/** Where an API documents no limit, what a request can carry in practice. Configurable, as every
 *  limit here is. */
const UNDOCUMENTED = { request: 64 * MEGABYTE, media: 20 * MEGABYTE }

/** Bytes that so many characters of base64 carry. */
function decoded(characters: number): number {
  return Math.floor(characters / 4) * 3
}

const PDF = ["application/pdf"]
const WEB_IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"]
const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
const SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
const SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"

const ANTHROPIC: ApiLimits = {
  media: {
    image: {
      mimes: WEB_IMAGES,
      sources: ["base64", "url", "file-id"],
      max_bytes: decoded(5 * MEGABYTE),
      max_side_pixels: 8000,
      crowded: { count: 20, max_side_pixels: 2000 },
      max_count: 100,
    },
    pdf: {
      mimes: PDF,
      sources: ["base64", "url", "file-id"],
      // What fits into a request as base64, with room for the rest of it.
      max_bytes: 22 * MEGABYTE,
      max_pages: 600,
      small_context: { tokens: 200_000, max_pages: 100 },
    },
  },
  max_request_bytes: 32 * MEGABYTE,
  tool_result_media: ["image", "pdf"],
  system: "beside",
  // With a budget, the newest assistant message must begin with a thought of the model's own.
  synthetic_tool_call: "without-budget",
}

const OPENAI_IMAGE: MediaLimits = {
  mimes: WEB_IMAGES,
  sources: ["base64", "url", "file-id"],
  // The whole data URL counts; its head is shorter than this.
  max_bytes: decoded(20 * MEGABYTE - 64),
  max_count: 500,
  max_total_bytes: 50 * MEGABYTE,
}

const OPENAI_PDF: MediaLimits = {
  mimes: PDF,
  sources: ["base64", "url", "file-id"],
  max_bytes: 50 * MEGABYTE,
  implied_by: "image",
}

const RESPONSES: ApiLimits = {
  media: {
    image: OPENAI_IMAGE,
    pdf: OPENAI_PDF,
    office: {
      mimes: [
        WORD,
        SHEET,
        SLIDES,
        "application/msword",
        "application/vnd.ms-excel",
        "application/vnd.ms-powerpoint",
        "application/rtf",
        "text/csv",
        "text/tab-separated-values",
      ],
      sources: ["base64", "url", "file-id"],
      max_bytes: 50 * MEGABYTE,
      implied_by: "text",
    },
  },
  max_request_bytes: UNDOCUMENTED.request,
  tool_result_media: ["image", "pdf", "office"],
  system: "beside",
  synthetic_tool_call: "always",
}

const SPEECH = ["audio/wav", "audio/mpeg"]

const CHAT: ApiLimits = {
  media: {
    image: OPENAI_IMAGE,
    pdf: { ...OPENAI_PDF, sources: ["base64", "file-id"] },
    audio: { mimes: SPEECH, sources: ["base64"], max_bytes: UNDOCUMENTED.media },
  },
  max_request_bytes: UNDOCUMENTED.request,
  tool_result_media: [],
  system: "developer",
  synthetic_tool_call: "always",
}

function local(media: ApiLimits["media"]): ApiLimits {
  return { ...CHAT, media, system: "system" }
}

function small(mimes: readonly string[]): MediaLimits {
  return { mimes, sources: ["base64"], max_bytes: UNDOCUMENTED.media }
}

const GEMINI_INLINE = { sources: ["base64", "url", "file-id"], max_bytes: 70 * MEGABYTE } as const

const GEMINI: ApiLimits = {
  media: {
    image: {
      mimes: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"],
      ...GEMINI_INLINE,
      max_count: 3000,
    },
    pdf: { mimes: PDF, ...GEMINI_INLINE, max_bytes: 50 * MEGABYTE, max_pages: 1000 },
    office: {
      mimes: ["text/plain", "text/markdown", "text/html", "text/css", "text/csv", "text/xml"],
      ...GEMINI_INLINE,
      implied_by: "text",
    },
    audio: {
      mimes: [
        "audio/wav",
        "audio/mpeg",
        "audio/aiff",
        "audio/aac",
        "audio/flac",
        "audio/ogg",
        "audio/ogg; codecs=opus",
      ],
      ...GEMINI_INLINE,
    },
    video: {
      mimes: [
        "video/mp4",
        "video/mpeg",
        "video/quicktime",
        "video/webm",
        "video/vnd.avi",
        "video/x-flv",
        "video/3gpp",
      ],
      ...GEMINI_INLINE,
    },
  },
  max_request_bytes: 100 * MEGABYTE,
  tool_result_media: ["image", "pdf"],
  system: "beside",
  synthetic_tool_call: "always",
}

const BEDROCK_DOCUMENT = {
  sources: ["base64", "s3"],
  max_bytes: 4.5 * MEGABYTE,
  max_count: 5,
} as const

const BEDROCK: ApiLimits = {
  media: {
    image: {
      mimes: WEB_IMAGES,
      sources: ["base64", "s3"],
      max_bytes: 3.75 * MEGABYTE,
      max_side_pixels: 8000,
      max_count: 20,
    },
    pdf: { mimes: PDF, ...BEDROCK_DOCUMENT },
    office: {
      mimes: [
        WORD,
        SHEET,
        "application/msword",
        "application/vnd.ms-excel",
        "text/csv",
        "text/html",
        "text/markdown",
        "text/plain",
      ],
      ...BEDROCK_DOCUMENT,
      implied_by: "text",
    },
    audio: {
      mimes: [
        "audio/wav",
        "audio/mpeg",
        "audio/mp4",
        "audio/x-m4a",
        "audio/flac",
        "audio/ogg",
        "audio/ogg; codecs=opus",
        "audio/aac",
      ],
      sources: ["base64", "s3"],
      max_bytes: UNDOCUMENTED.media,
    },
    video: {
      mimes: [
        "video/mp4",
        "video/webm",
        "video/quicktime",
        "video/matroska",
        "video/x-flv",
        "video/mpeg",
        "video/3gpp",
      ],
      sources: ["base64", "s3"],
      max_bytes: UNDOCUMENTED.media,
    },
  },
  max_request_bytes: 25 * MEGABYTE,
  tool_result_media: ["image", "pdf", "office", "video"],
  system: "beside",
  synthetic_tool_call: "without-budget",
}

const MISTRAL: ApiLimits = {
  media: {
    image: {
      mimes: WEB_IMAGES,
      sources: ["base64", "url"],
      max_bytes: 10 * MEGABYTE,
      max_side_pixels: 10_000,
      max_count: 8,
    },
    pdf: {
      mimes: PDF,
      sources: ["base64", "url", "file-id"],
      max_bytes: UNDOCUMENTED.media,
      implied_by: "image",
    },
    audio: { mimes: SPEECH, sources: ["base64", "url"], max_bytes: UNDOCUMENTED.media },
  },
  max_request_bytes: UNDOCUMENTED.request,
  tool_result_media: ["image", "pdf", "audio"],
  system: "system",
  synthetic_tool_call: "always",
}

/** Types are named as `files/sniff.ts` names them; an encoder knows what its API calls them. Keyed by
 *  wire API, never by vendor; a dialect of Chat Completions stands behind a slash. Mirror
 *  and scripted accept what the Messages API accepts, so that they show the same blocks. */
export const API_LIMITS: Readonly<Record<string, ApiLimits>> = {
  "anthropic-messages": ANTHROPIC,
  mirror: ANTHROPIC,
  scripted: ANTHROPIC,
  "openai-responses": RESPONSES,
  "openai-chat": CHAT,
  "openai-chat/ollama": local({
    image: small(["image/png", "image/jpeg", "image/webp"]),
    audio: small(SPEECH),
  }),
  "openai-chat/llama-cpp": local({
    image: small(["image/png", "image/jpeg", "image/gif", "image/bmp"]),
    audio: small(SPEECH),
    video: small(["video/mp4", "video/webm", "video/quicktime"]),
  }),
  "openai-chat/vllm": local({
    image: small(WEB_IMAGES),
    audio: small(SPEECH),
    video: small(["video/mp4", "video/webm", "video/quicktime"]),
  }),
  "openai-chat/lm-studio": local({ image: small(["image/png", "image/jpeg", "image/webp"]) }),
  "openai-chat/plain": local({ image: small(["image/png", "image/jpeg"]) }),
  "gemini-generatecontent": GEMINI,
  "bedrock-converse": BEDROCK,
  "mistral-chat": MISTRAL,
}
