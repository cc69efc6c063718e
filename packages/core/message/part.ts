import { z } from "zod"
import { Fragment } from "./file-location.ts"
import {
  MAX_CONTEXT_CHARACTERS,
  MAX_INLINE_BASE64_CHARACTERS,
  MAX_MIME_CHARACTERS,
  MAX_NAME_CHARACTERS,
  MAX_PATH_CHARACTERS,
  MAX_TEXT_CHARACTERS,
  MAX_URL_CHARACTERS,
} from "./limits.ts"

/** The parts of a user message. Extra fields survive: a newer surface may say more than we know. */
const CONTENT_ID = /^sha256:[0-9a-f]{64}$/
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

const path = z
  .string()
  .min(1)
  .max(MAX_PATH_CHARACTERS)
  .refine((value) => !value.includes("\0"), "must not contain a NUL character")
const name = z.string().min(1).max(MAX_NAME_CHARACTERS)
const mime = z.string().min(1).max(MAX_MIME_CHARACTERS)

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

export const FileReference = z.discriminatedUnion("kind", [
  z.looseObject({
    kind: z.literal("path"),
    path,
    /** A file inside the archive that `path` names. */
    entry: path.optional(),
    /** Lines or bytes; any other place is a fragment (BEY-08). */
    range: Range.optional(),
    fragment: Fragment.optional(),
  }),
  z.looseObject({ kind: z.literal("url"), url: z.string().min(1).max(MAX_URL_CHARACTERS) }),
  z.looseObject({
    kind: z.literal("content"),
    content_id: ContentId,
    entry: path.optional(),
    range: Range.optional(),
    fragment: Fragment.optional(),
  }),
  z.looseObject({
    kind: z.literal("mcp"),
    server: name,
    uri: z.string().min(1).max(MAX_URL_CHARACTERS),
  }),
])
export type FileReference = z.infer<typeof FileReference>

export const TextPart = z.looseObject({
  type: z.literal("text"),
  text: z.string().max(MAX_TEXT_CHARACTERS),
})
export const FileRefPart = z.looseObject({ type: z.literal("file-ref"), ref: FileReference })
/** Bytes inline (`data`, base64), in the blob store (`content_id`), or neither: a descriptor. */
export const FileAttachmentPart = z.looseObject({
  type: z.literal("file-attachment"),
  name,
  mime,
  data: z
    .string()
    .max(MAX_INLINE_BASE64_CHARACTERS)
    .refine((value) => value.length % 4 === 0 && BASE64.test(value), "must be base64")
    .optional(),
  content_id: ContentId.optional(),
  url: z.string().max(MAX_URL_CHARACTERS).optional(),
  size: z.int().min(0).optional(),
})
export const CommandPart = z.looseObject({
  type: z.literal("command"),
  id: z
    .string()
    .regex(/^\/\S+$/, "must be / and a name")
    .max(MAX_NAME_CHARACTERS),
  args: z.record(z.string(), z.unknown()),
})
export const MentionPart = z.looseObject({
  type: z.literal("mention"),
  target: z.looseObject({ kind: name }),
})
export const EditorContextPart = z.looseObject({
  type: z.literal("editor-context"),
  kind: name,
  source: z.string().max(MAX_NAME_CHARACTERS).optional(),
  payload: z
    .record(z.string(), z.unknown())
    .refine(
      (value) => JSON.stringify(value).length <= MAX_CONTEXT_CHARACTERS,
      `must be at most ${MAX_CONTEXT_CHARACTERS} characters of JSON`,
    ),
  /** When the surface sampled it. One that does not say is stamped when its message is kept. */
  emitted_at: z.int().min(0).optional(),
})
/** A skill's body, as its `skill` call gave it out: recorded where the user named the skill, lowered by
 *  the one path that skills take (decision 7). */
export const SkillContentPart = z.looseObject({
  type: z.literal("skill-content"),
  name,
  arguments: z.string().max(MAX_TEXT_CHARACTERS).optional(),
  text: z.string().max(MAX_TEXT_CHARACTERS),
  initiator: z.enum(["user", "model", "handler"]),
})
/** Words of another conversation, and where they stand; the range is in UTF-16 units of what the message
 *  says (BEY-09). */
export const QuotePart = z.looseObject({
  type: z.literal("quote"),
  session_id: name,
  message_id: name,
  text: z.string().max(MAX_TEXT_CHARACTERS),
  range: z
    .object({ start: z.int().min(0), end: z.int().min(0) })
    .refine(({ start, end }) => end >= start, "must not end before it starts")
    .optional(),
})
/** A tree the user granted by a gesture. `id` is the authority, `name` is only shown (CMPH-001). */
export const DirectoryRefPart = z.looseObject({
  type: z.literal("directory-ref"),
  ref: z.looseObject({ kind: z.literal("scope"), id: z.string().regex(/^dir_\S+$/), name }),
})

export const Part = z.discriminatedUnion("type", [
  TextPart,
  FileRefPart,
  FileAttachmentPart,
  CommandPart,
  MentionPart,
  EditorContextPart,
  DirectoryRefPart,
  SkillContentPart,
  QuotePart,
])
export type Part = z.infer<typeof Part>
export type TextPart = z.infer<typeof TextPart>
export type FileRefPart = z.infer<typeof FileRefPart>
export type FileAttachmentPart = z.infer<typeof FileAttachmentPart>
export type CommandPart = z.infer<typeof CommandPart>
export type MentionPart = z.infer<typeof MentionPart>
export type EditorContextPart = z.infer<typeof EditorContextPart>
export type DirectoryRefPart = z.infer<typeof DirectoryRefPart>
export type SkillContentPart = z.infer<typeof SkillContentPart>
export type QuotePart = z.infer<typeof QuotePart>

/** A part that another version wrote: kept as it is, shown by its text if it has one (CMP-121). */
export const UnknownPart = z.looseObject({
  type: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,63}$/, "must be a lower-case name")
    .refine((type) => !isKnownType(type), "has a known type but not its shape"),
  text: z.string().max(MAX_TEXT_CHARACTERS).optional(),
})
export type UnknownPart = z.infer<typeof UnknownPart>

const KNOWN_TYPES: ReadonlySet<string> = new Set(
  Part.options.map((option) => option.shape.type.value),
)

export function isKnownType(type: string): type is Part["type"] {
  return KNOWN_TYPES.has(type)
}

export function isKnown(part: Part | UnknownPart): part is Part {
  return isKnownType(part.type)
}

/** What a surface may send: our parts, and parts we do not know yet. */
export const AnyPart = z.unknown().transform((value, context): Part | UnknownPart => {
  const type = (value as { type?: unknown } | null)?.type
  const schema = typeof type === "string" && !isKnownType(type) ? UnknownPart : Part
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues)
    context.addIssue({ code: "custom", path: issue.path, message: issue.message })
  return z.NEVER
})

/** Read a stored part. One that no longer fits its schema is unknown, not an error: a bad row must
 *  not break the session it is in. */
export function readPart(data: unknown): Part | UnknownPart {
  const parsed = AnyPart.safeParse(data)
  if (parsed.success) return parsed.data
  const record = typeof data === "object" && data !== null ? data : {}
  return { ...record, type: "unknown" } as UnknownPart
}

export function contentIdOf(part: Part | UnknownPart): string | undefined {
  if (part.type === "file-attachment") return (part as FileAttachmentPart).content_id
  if (part.type !== "file-ref") return undefined
  const { ref } = part as FileRefPart
  return ref.kind === "content" ? ref.content_id : undefined
}
