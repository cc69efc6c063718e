import type { z } from "zod"
import { SCHEME, type AcpBlock } from "../acp/acp-block.ts"
import { utf8OfBase64 } from "../acp/data-url.ts"
import { lowerFile } from "../file/lower-file.ts"
import {
  MAX_INLINE_BASE64_CHARACTERS,
  MAX_MIME_CHARACTERS,
  MAX_URL_CHARACTERS,
} from "../message/limits.ts"
import { nothing, noTitle, type PartChip } from "./chip.ts"
import { type AcpForm, definePart, none, type StoredBytes } from "./define-part.ts"
import type { Schemas } from "./schemas.ts"

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

const schema = ({ z, shortName, contentId }: Schemas) =>
  z.looseObject({
    type: z.literal("file-attachment"),
    name: shortName,
    mime: z.string().min(1).max(MAX_MIME_CHARACTERS),
    data: z
      .string()
      .max(MAX_INLINE_BASE64_CHARACTERS)
      .refine((value) => value.length % 4 === 0 && BASE64.test(value), "must be base64")
      .optional(),
    content_id: contentId.optional(),
    url: z.string().max(MAX_URL_CHARACTERS).optional(),
    size: z.int().min(0).optional(),
  })
export type FileAttachmentPart = z.infer<ReturnType<typeof schema>>

export const fileAttachmentChip: PartChip<FileAttachmentPart> = {
  look: "card",
  tone: "plain",
  icon: "file",
  label: ({ name }) => name,
  title: noTitle,
  mark: ({ name }) => name,
  line: ({ name, mime }) => `[${name} · ${mime}]`,
  file: ({ name, mime, size, data, content_id }) => [{ name, mime, size, data, content_id }],
  needs: nothing,
}

/** Bytes that came along: inline (`data`, base64), in the blob store (`content_id`), or neither, which is
 *  only a description of them. */
export const fileAttachmentPart = /* @__PURE__ */ definePart({
  type: "file-attachment",
  schema,
  texts: { data: "base64 attachment", "**": "attachment" },
  blobs: ({ content_id }) => (content_id === undefined ? [] : [content_id]),
  handles: ({ name, content_id }) => [{ name, content_id }],
  load: ({ name, mime, data, content_id, size = null }) => {
    if (data !== undefined) return [{ from: "part", data, name }]
    if (content_id === undefined) return [{ from: "nowhere", name, mime, size }]
    return [{ from: "blob", content_id, name, place: {} }]
  },
  origin: "attachment",
  lower: (_, at, file) => lowerFile(file, "attachment", at),
  voice: () => "file",
  words: ({ name, mime }) => `[attachment ${name.toWellFormed()}, ${mime.toWellFormed()}]`,
  acp: blockOf,
  keep: (part, { bytes }) => (bytes ? withBytes(part, bytes) : part),
  source: none,
  names: none,
  chip: fileAttachmentChip,
  example: {
    type: "file-attachment",
    name: "numbers.csv",
    mime: "text/csv",
    size: 12,
    content_id: `sha256:${"a".repeat(64)}`,
  },
})

/** What is wrong with a file stands in its part; whatever a surface says of it does not. */
function withBytes(part: FileAttachmentPart, bytes: StoredBytes): FileAttachmentPart {
  const { data: _data, condition: _condition, ...rest } = part
  const { content_id, mime, size, data, condition } = bytes
  return {
    ...rest,
    mime,
    size,
    content_id,
    ...(data === undefined ? {} : { data }),
    ...(condition === undefined ? {} : { condition }),
  }
}

function blockOf(part: FileAttachmentPart): AcpForm {
  const { name, mime, data, content_id, size, url } = part
  const uri = url ?? `${SCHEME}:attachment/${encodeURIComponent(name.toWellFormed())}`
  if (data === undefined) {
    const address = content_id === undefined ? uri : `${SCHEME}:content/${content_id}`
    const about = { mimeType: mime, ...(size === undefined ? {} : { size }) }
    const block: AcpBlock = { type: "resource_link", uri: address, name, ...about }
    return { block, lost: "the bytes of the attachment are not carried" }
  }
  const more = Object.keys(part).length > 4
  const lost = more ? { lost: "only the name, the type and the bytes are carried" } : {}
  if (mime.startsWith("image/"))
    return { block: { type: "image", data, mimeType: mime, uri }, ...lost }
  if (mime.startsWith("audio/"))
    return {
      block: { type: "audio", data, mimeType: mime },
      lost: "a block of audio has no name",
    }
  const text = mime.startsWith("text/") ? utf8OfBase64(data) : undefined
  const content = text === undefined ? { blob: data } : { text }
  return { block: { type: "resource", resource: { uri, mimeType: mime, ...content } }, ...lost }
}
