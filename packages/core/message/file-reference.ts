import { z } from "zod"
import { FileFragment } from "./file-location.ts"
import { MAX_NAME_CHARACTERS, MAX_PATH_CHARACTERS, MAX_URL_CHARACTERS } from "./limits.ts"

const CONTENT_ID = /^sha256:[0-9a-f]{64}$/

export const ContentId = z.string().regex(CONTENT_ID, "must be sha256: and 64 hexadecimal digits")

/** Lines are 1-based and inclusive; bytes are 0-based and half-open (decision 4). */
export const Range = z
  .object({
    start: z.int().min(0),
    end: z.int().min(0),
    unit: z.enum(["line", "byte"]).optional(),
  })
  .superRefine((range, context) => {
    const bytes = range.unit === "byte"
    if (!bytes && range.start < 1)
      context.addIssue({ code: "custom", path: ["start"], message: "lines start at 1" })
    if (range.end < range.start)
      context.addIssue({ code: "custom", path: ["end"], message: "must not be before start" })
  })
export type Range = z.infer<typeof Range>

export const filePath = z
  .string()
  .min(1)
  .max(MAX_PATH_CHARACTERS)
  .refine((value) => !value.includes("\0"), "must not contain a NUL character")
export const shortName = z.string().min(1).max(MAX_NAME_CHARACTERS)

/** Where a file is that a part names. */
export const FileReference = z.discriminatedUnion("kind", [
  z.looseObject({
    kind: z.literal("path"),
    path: filePath,
    /** A file inside the archive that `path` names. */
    entry: filePath.optional(),
    /** Lines or bytes; any other place is a fragment (BEY-08). */
    range: Range.optional(),
    fragment: FileFragment.optional(),
  }),
  z.looseObject({ kind: z.literal("url"), url: z.string().min(1).max(MAX_URL_CHARACTERS) }),
  z.looseObject({
    kind: z.literal("content"),
    content_id: ContentId,
    entry: filePath.optional(),
    range: Range.optional(),
    fragment: FileFragment.optional(),
  }),
  z.looseObject({
    kind: z.literal("mcp"),
    server: shortName,
    uri: z.string().min(1).max(MAX_URL_CHARACTERS),
  }),
])
export type FileReference = z.infer<typeof FileReference>
