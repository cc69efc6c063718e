import type { PartData } from "compositor-core/parts/define-part"
import { AnyPart } from "compositor-core/parts/read-part"
import { type Part, writePart } from "compositor-core/parts/table"
import type { FileAttachmentPart } from "compositor-core/parts/file-attachment"
import { partsOfInput } from "compositor-core/compose/bridge"
import type { ComposerInput } from "compositor-core/compose/composer-input"
import { parse } from "compositor-core/compose/parse"
import type { Vocabulary } from "compositor-core/compose/vocabulary"
import { Refusal } from "compositor-core/message/refusal"
import type { SentAttachment } from "compositor-core/contract/entities"
import { isObject, type SentPayload } from "./read-send.ts"

/** The parts that are persisted of what was sent (EA-041). */
export function partsOfSend(
  payload: SentPayload,
  vocabulary: Vocabulary,
  attachments: readonly SentAttachment[],
): Part[] {
  const said =
    payload.type === "input"
      ? partsOfComposerInput(payload.input, vocabulary)
      : partsOfPayload(payload.message_type, payload.payload)
  const parts = withAttachments(said, attachments)
  // Nothing was said, and that too is told.
  return parts.length === 0 ? [{ type: "text", text: "" }] : parts
}

/** Without nodes the handler gets the source alone; what is in it is looked for all the same, so that
 *  no command's literal reaches a model. */
function partsOfComposerInput({ source, nodes }: ComposerInput, vocabulary: Vocabulary): Part[] {
  const found = nodes ?? parse(source, vocabulary)
  return partsOfInput({ source, nodes: found }, vocabulary).map(checked)
}

// Nodes carry what a surface put into them: what becomes of them must be a part like any other.
function checked(part: PartData, at: number): Part {
  const parsed = AnyPart.safeParse(part)
  if (parsed.success) return parsed.data
  const message = `does not make a ${part.type} part`
  throw new Refusal("invalid", message, [{ path: `/payload/nodes/${at}`, message }])
}

function partsOfPayload(message_type: string, payload: unknown): Part[] {
  const text = textOf(payload)
  if (text !== undefined) return text === "" ? [] : [{ type: "text", text }]
  const value = isObject(payload) ? payload : { value: payload ?? null }
  return [
    {
      type: "editor-context",
      kind: message_type,
      source: "inbox",
      payload: value,
      emitted_at: 0,
    },
  ]
}

function textOf(payload: unknown): string | undefined {
  if (typeof payload === "string") return payload
  if (!isObject(payload)) return undefined
  const { text, ...rest } = payload
  return typeof text === "string" && Object.keys(rest).length === 0 ? text : undefined
}

/** Each where its node stands; those without one behind the rest. */
function withAttachments(parts: readonly Part[], attachments: readonly SentAttachment[]) {
  const left = new Map(attachments.map((attachment) => [attachment.id, attachment]))
  const placed = parts.map((part) => {
    const { node_kind, id } = writePart(part)
    const attachment = node_kind === "attachment" ? left.get(String(id)) : undefined
    if (!attachment) return part
    left.delete(attachment.id)
    return attachmentPart(attachment)
  })
  return [...placed, ...[...left.values()].map(attachmentPart)]
}

function attachmentPart({ id, content_id, name, mime, size }: SentAttachment): FileAttachmentPart {
  const about = size === undefined ? {} : { size }
  return { type: "file-attachment", attachment_id: id, content_id, name, mime, ...about }
}
