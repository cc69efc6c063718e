import type { ApiLimits } from "../model/capabilities.ts"
import { PDF, SHEET, WEB_IMAGES, DOCX } from "../model/media-types.ts"
import { MEGABYTE, UNDOCUMENTED } from "./define-wire.ts"

const BEDROCK_DOCUMENT = {
  sources: ["base64", "s3"],
  max_bytes: 4.5 * MEGABYTE,
  max_count: 5,
} as const

export const BEDROCK_LIMITS: ApiLimits = {
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
        DOCX,
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
  keeps_thoughts: true,
  one_string: false,
}

/** What the API calls the types that it takes. */
export const BEDROCK_FORMATS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
  "application/pdf": "pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/msword": "doc",
  "application/vnd.ms-excel": "xls",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "text/plain": "txt",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp4": "mp4",
  "audio/x-m4a": "m4a",
  "audio/flac": "flac",
  "audio/ogg": "ogg",
  "audio/ogg; codecs=opus": "opus",
  "audio/aac": "aac",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov",
  "video/matroska": "mkv",
  "video/x-flv": "flv",
  "video/mpeg": "mpeg",
  "video/3gpp": "three_gp",
}
