import { z } from "zod"
import {
  MAX_MIME_CHARACTERS,
  MAX_NAME_CHARACTERS,
  MAX_PATH_CHARACTERS,
} from "compositor-core/message/limits"
import { isObject } from "./json-rpc.ts"

/** The name under which a prompt's `_meta` carries files by their paths, beside the prompt. */
export const EXTENSION = "sandboxagent.dev"
export const MAX_ATTACHMENTS = 100

export const NamedAttachment = z.object({
  path: z
    .string("is missing")
    .min(1, "is empty")
    .max(MAX_PATH_CHARACTERS)
    .refine((path) => !path.includes("\0"), "must not contain a NUL character"),
  mime: z.string().min(1).max(MAX_MIME_CHARACTERS).optional(),
  filename: z.string().min(1).max(MAX_NAME_CHARACTERS).optional(),
})
export type NamedAttachment = z.infer<typeof NamedAttachment>

type ReadAttachments =
  | { readonly type: "attachments"; readonly attachments: readonly NamedAttachment[] }
  /** `item` is the number of the attachment that does not fit. */
  | { readonly type: "invalid"; readonly message: string; readonly item: number | null }

/** What a prompt attaches by `_meta["sandboxagent.dev"].attachments` (ATT-001). */
export function readAttachments(meta: unknown): ReadAttachments {
  const extension = isObject(meta) ? meta[EXTENSION] : undefined
  const given = isObject(extension) ? extension.attachments : undefined
  if (given === undefined || given === null) return { type: "attachments", attachments: [] }
  if (!Array.isArray(given)) return invalid(null, "attachments: must be a list")
  if (given.length > MAX_ATTACHMENTS) {
    const many = `attachments/${MAX_ATTACHMENTS}: a prompt has at most ${MAX_ATTACHMENTS} attachments, not ${given.length}`
    return invalid(MAX_ATTACHMENTS, many)
  }
  const attachments: NamedAttachment[] = []
  for (const [at, item] of given.entries()) {
    const read = NamedAttachment.safeParse(item)
    if (!read.success) return invalid(at, `attachments/${at}: ${faultOf(read.error)}`)
    attachments.push(read.data)
  }
  return { type: "attachments", attachments }
}

function invalid(item: number | null, message: string): ReadAttachments {
  return { type: "invalid", item, message }
}

function faultOf(error: z.ZodError): string {
  const [issue] = error.issues
  return [issue?.path.map(String).join("/"), issue?.message].filter(Boolean).join(" ")
}
