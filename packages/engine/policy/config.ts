import { z } from "zod"
import { IGNORE_FILES } from "./deny-rules.ts"
import { MAX_PATTERN_CHARACTERS } from "./read-glob.ts"

/** The ways in. What comes by any of them is judged before it is persisted or shown to a model. */
export const IngressOrigin = z.enum([
  "ref",
  "attachment",
  "paste",
  "editor-context",
  "mcp",
  "command-output",
  "web",
  "memory",
])
export type IngressOrigin = z.infer<typeof IngressOrigin>

const KILOBYTE = 1024
const MEGABYTE = 1024 * KILOBYTE

/** The most that may come by each way at once. */
export const MAX_BYTES: Readonly<Record<IngressOrigin, number>> = {
  ref: 1024 * MEGABYTE,
  attachment: 1024 * MEGABYTE,
  paste: 16 * MEGABYTE,
  "editor-context": 4 * MEGABYTE,
  mcp: 64 * MEGABYTE,
  "command-output": 16 * MEGABYTE,
  web: 64 * MEGABYTE,
  memory: MEGABYTE,
}

const MAX_DENY_RULES = 1000
const MAX_IGNORE_FILES = 32

const pattern = z.string().min(1).max(MAX_PATTERN_CHARACTERS)
const ignoreFile = z
  .string()
  .min(1)
  .max(255)
  .refine((name) => !/[/\\\0]/.test(name), "must be a file's name, not a path")

/** What the user says about the ingress policy. A repository has no say in it. */
export const PolicyConfig = z.strictObject({
  /** More deny rules, in the manner of an ignore file: `!name` takes a default away. */
  deny: z.array(pattern).max(MAX_DENY_RULES).default([]),
  ignore_files: z
    .array(ignoreFile)
    .max(MAX_IGNORE_FILES)
    .default([...IGNORE_FILES]),
  /** What becomes of a text with a secret in it. */
  secrets: z.enum(["redact", "deny", "allow"]).default("redact"),
  /** Someone who typed a secret may say that it is to be sent all the same. */
  allow_typed_secrets: z.boolean().default(true),
  max_bytes: z.partialRecord(IngressOrigin, z.int().min(0)).default({}),
  denied_origins: z.array(IngressOrigin).default([]),
})
export type PolicyConfig = z.input<typeof PolicyConfig>
export type PolicySettings = z.output<typeof PolicyConfig>
