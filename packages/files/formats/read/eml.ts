import { readFile } from "node:fs/promises"
import { type CappedText, cappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { decodeAs } from "../decode-text.ts"
import { Flow } from "../flow.ts"
import { refuse } from "../refusal.ts"
import { writeHtml } from "../write-html.ts"
import { type MimeEntity, partsOf, readEntity } from "./mime-entity.ts"

const MAX_MAIL_BYTES = 32 * 1024 * 1024
const SHOWN_HEADERS = ["from", "to", "cc", "date", "subject"] as const

/** A mail: who, when, what about, its text, and what is attached. */
export async function readEml({ file, limits }: Job): Promise<ReaderAnswer> {
  if (file.size > MAX_MAIL_BYTES) refuse(`${file.name} is larger than ${MAX_MAIL_BYTES} bytes.`)
  const mail = readEntity(await readFile(file.path))
  if (!SHOWN_HEADERS.some((name) => mail.headers.has(name)))
    refuse(`${file.name} has no header of a mail.`)
  return cappedText(limits.text_bytes, (text) => writeMail(mail, text))
}

function writeMail(mail: MimeEntity, text: CappedText): string | undefined {
  for (const name of SHOWN_HEADERS) {
    const value = mail.headers.get(name)
    if (value) text.line(`${name[0]?.toUpperCase()}${name.slice(1)}: ${value.slice(0, 2000)}`)
  }
  text.line()
  const attachments: string[] = []
  writeEntity(mail, text, { attachments, left: MAX_PARTS, depth: 0 })
  if (attachments.length === 0) return undefined
  text.line(`\nAttachments:\n${attachments.map((line) => `- ${line}`).join("\n")}`)
  return `${attachments.length} attachments are named at the end and not read.`
}

interface Walk {
  readonly attachments: string[]
  readonly depth: number
  left: number
}

const MAX_PARTS = 500
const MAX_DEPTH = 8

function writeEntity(entity: MimeEntity, text: CappedText, walk: Walk): void {
  walk.left -= 1
  if (walk.left < 0 || walk.depth > MAX_DEPTH) return
  const { type, name } = entity
  if (name !== undefined) return listed(entity, walk)
  const inner = { ...walk, depth: walk.depth + 1 }
  if (type === "multipart/alternative") {
    const parts = partsOf(entity)
    const best = parts.find((part) => part.type === "text/plain") ?? parts.at(-1)
    if (best) writeEntity(best, text, inner)
  } else if (type.startsWith("multipart/")) {
    for (const part of partsOf(entity)) {
      writeEntity(part, text, inner)
      walk.left = Math.min(walk.left, inner.left)
    }
  } else if (type === "message/rfc822") {
    text.line("--- Forwarded message ---")
    writeMail(readEntity(entity.content()), text)
  } else if (type === "text/html") {
    writeHtml(decodeAs(entity.content(), entity.charset), new Flow(text))
  } else if (type.startsWith("text/"))
    text.line(decodeAs(entity.content(), entity.charset).trimEnd())
  else listed(entity, walk)
}

function listed(entity: MimeEntity, { attachments }: Walk): void {
  const size = entity.content().length
  attachments.push(`${entity.name ?? "without a name"} (${entity.type}, ${size} bytes)`)
}
