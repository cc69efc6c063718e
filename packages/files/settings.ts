import { isAbsolute } from "node:path"
import { z } from "zod"
import { INLINE_ATTACHMENT_BYTES } from "compositor-core/message/limits"

const MEGABYTE = 1024 * 1024
/** However a host is set up, no part carries more of its bytes than this, and no session more than
 *  that: all else lies in the blob store (CMP-098). */
export const MAX_INLINE_BYTES = MEGABYTE
export const MAX_SESSION_INLINE_BYTES = 20 * MEGABYTE

/** Who turns speech into text, as it is written down: the key itself stands in the environment. */
export const TranscriberSettings = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("server"),
    /** The whole address, which ends in `/audio/transcriptions`. */
    url: z.url({ protocol: /^https?$/ }),
    model: z.string().min(1).max(255),
    /** The variable of the environment that holds its key. */
    key_variable: z.string().min(1).max(255).optional(),
  }),
  z.strictObject({
    type: z.literal("program"),
    /** The model that whisper.cpp is given. */
    model_path: z.string().min(1).refine(isAbsolute, "must be an absolute path"),
  }),
])
export type TranscriberSettings = z.output<typeof TranscriberSettings>

/** What the user says about files, as `files` in `config.json`. */
export const FileSettings = z.strictObject({
  /** A part carries the bytes of a readable file up to here. */
  inline_bytes: z.int().min(0).max(MAX_INLINE_BYTES).default(INLINE_ATTACHMENT_BYTES),
  /** All parts of a session together. */
  session_inline_bytes: z
    .int()
    .min(0)
    .max(MAX_SESSION_INLINE_BYTES)
    .default(MAX_SESSION_INLINE_BYTES),
  transcriber: TranscriberSettings.optional(),
})
export type FileSettings = z.output<typeof FileSettings>
