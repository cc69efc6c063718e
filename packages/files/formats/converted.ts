import { z } from "zod"
import { FileFragment } from "compositor-core/message/file-location"

/** A file on disk and what its bytes said it is. */
export const ConvertFile = z.object({
  name: z.string(),
  mime: z.string(),
  kind: z.enum(["text", "image", "pdf", "audio", "video", "archive", "binary"]),
  size: z.number(),
  path: z.string(),
})
export type ConvertFile = Readonly<z.infer<typeof ConvertFile>>

export const TARGETS = ["text", "png", "pdf"] as const
export type ConvertTarget = (typeof TARGETS)[number]

export interface ConvertRequest {
  readonly to: ConvertTarget
  readonly place?: { readonly fragment?: FileFragment | undefined } | undefined
}

/** What one conversion may cost. */
export const ConvertLimits = z.object({
  milliseconds: z.number(),
  /** Resident memory of the child that reads the file. */
  memory_bytes: z.number(),
  /** Of the file; who reads one whole has a limit of its own. */
  input_bytes: z.number(),
  text_bytes: z.number(),
  /** Of all files that are made, together. */
  output_bytes: z.number(),
  /** Pages or frames that become pictures. */
  pages: z.number(),
  /** Of one picture, as its header states them. */
  pixels: z.number(),
})
export type ConvertLimits = Readonly<z.infer<typeof ConvertLimits>>

const MEGABYTE = 1024 * 1024

export const CONVERT_LIMITS: ConvertLimits = {
  milliseconds: 30_000,
  memory_bytes: 256 * MEGABYTE,
  input_bytes: 2048 * MEGABYTE,
  text_bytes: 1 * MEGABYTE,
  output_bytes: 100 * MEGABYTE,
  pages: 20,
  pixels: 50_000_000,
}

export const MadeFile = z.object({
  path: z.string(),
  name: z.string(),
  mime: z.string(),
  size: z.number(),
})
export type MadeFile = Readonly<z.infer<typeof MadeFile>>

const ConvertedText = z.object({
  type: z.literal("text"),
  text: z.string(),
  truncated: z.boolean(),
  note: z.string().optional(),
})
const ConvertedFiles = z.object({
  type: z.literal("files"),
  files: z.array(MadeFile).readonly(),
  note: z.string().optional(),
})
const Refused = z.object({
  type: z.literal("refused"),
  reason: z.string(),
  /** The package without which it cannot be done: Debian's, or for our own readers npm's. */
  install: z.string().optional(),
})
/** Pages without a letter on them: pictures for someone who reads pictures. */
const Scanned = z.object({ type: z.literal("scanned"), files: z.array(MadeFile).readonly() })
/** A reader whose package is not installed here. */
const Lacking = z.object({ type: z.literal("lacking"), package: z.string() })

export const Converted = z.discriminatedUnion("type", [ConvertedText, ConvertedFiles, Refused])
export type Converted = Readonly<z.infer<typeof Converted>>

/** What a reader in the child comes back with. */
export const ReaderAnswer = z.discriminatedUnion("type", [
  ConvertedText,
  ConvertedFiles,
  Refused,
  Scanned,
  Lacking,
])
export type ReaderAnswer = Readonly<z.infer<typeof ReaderAnswer>>

/** All that a reader is told. */
export const Job = z.object({
  reader: z.string(),
  file: ConvertFile,
  to: z.enum(TARGETS),
  fragment: FileFragment.optional(),
  /** The one folder it writes to. */
  scratch: z.string(),
  limits: ConvertLimits,
})
export type Job = Readonly<z.infer<typeof Job>>

export function refuseConversion(reason: string, install?: string): Converted {
  return { type: "refused", reason, ...(install === undefined ? {} : { install }) }
}
