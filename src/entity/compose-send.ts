import { entityCommands } from "../catalog/foreign.ts"
import { partsOfInput } from "../compose/bridge.ts"
import type { ComposerInput } from "../compose/composer-input.ts"
import { parse } from "../compose/parse.ts"
import { DEFAULT_CONTEXTS, type Vocabulary } from "../compose/vocabulary.ts"
import {
  type CommandPart,
  type FileAttachmentPart,
  Part,
  type TextPart,
  UnknownPart,
} from "../message/part.ts"
import { Refusal } from "../message/refusal.ts"
import type { SlashCommandRow } from "../store/store.ts"
import type { SubmitRooms } from "../submit/submit.ts"
import type { AnyDefinition } from "./definition.ts"
import type { Payload, SentAttachment } from "./read-send.ts"

type AnyPart = Part | UnknownPart

/** The parts that are persisted of what was sent (EA-041). */
export function partsOfSend(
  payload: Payload,
  vocabulary: Vocabulary,
  attachments: readonly SentAttachment[],
): AnyPart[] {
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
function partsOfComposerInput({ source, nodes }: ComposerInput, vocabulary: Vocabulary): AnyPart[] {
  const found = nodes ?? parse(source, vocabulary)
  const parts = partsOfInput({ source, nodes: found }, vocabulary)
  return parts.flatMap((part, at) => withArguments(checked(part, at), vocabulary))
}

// Nodes carry what a surface put into them: what becomes of them must be a part like any other.
function checked(part: AnyPart, at: number): AnyPart {
  if (Part.safeParse(part).success || UnknownPart.safeParse(part).success) return part
  const message = `does not make a ${part.type} part`
  throw new Refusal("invalid", message, [{ path: `/payload/nodes/${at}`, message }])
}

/** What a handler's command takes is said to the model too: only its name is dropped. */
function withArguments(part: AnyPart, { commands }: Vocabulary): AnyPart[] {
  if (part.type !== "command") return [part]
  const { id, args } = part as CommandPart
  const text = typeof args.text === "string" ? args.text : args.raw
  if (commands.get(id.slice(1)) !== "entity" || typeof text !== "string" || text.trim() === "")
    return [part]
  const words: TextPart = { type: "text", text, argument_of: id }
  return [part, words]
}

function partsOfPayload(message_type: string, payload: unknown): AnyPart[] {
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Each where its node stands; those without one behind the rest. */
function withAttachments(parts: readonly AnyPart[], attachments: readonly SentAttachment[]) {
  const left = new Map(attachments.map((attachment) => [attachment.id, attachment]))
  const placed = parts.map((part) => {
    const { node_kind, id } = part as { node_kind?: unknown; id?: unknown }
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

/** Commands that skills brought are skills where the house resolves them itself. */
export const SKILLS_OWNER = "skills"

interface Known {
  readonly definition: AnyDefinition
  readonly rows: readonly SlashCommandRow[]
}

/** The words that mean something to this entity (decision 15). */
export function entityVocabulary(
  known: Known,
  workspace: Pick<Vocabulary, "commands" | "servers">,
): Vocabulary {
  const own = ownRows(known).map(({ name }) => [name, "entity"] as const)
  const others = known.definition.resolve === "handler" ? [] : workspace.commands
  const commands = new Map([...others, ...own])
  return { commands, mentions: [], contexts: DEFAULT_CONTEXTS, servers: workspace.servers }
}

type Catalog = Awaited<ReturnType<SubmitRooms["catalog"]>>

/** The catalog that resolves what is sent to it: its own commands before those of the workspace. */
export function entityCatalog(known: Known, workspace: Catalog): Catalog {
  const own = new Map(
    entityCommands(known.definition.type, ownRows(known)).map((command) => [command.name, command]),
  )
  const isHandler = known.definition.resolve === "handler"
  return {
    get: (name) => own.get(name) ?? (isHandler ? undefined : workspace.get(name)),
    list: () => workspace.list(),
  }
}

function ownRows({ definition, rows }: Known): readonly SlashCommandRow[] {
  if (definition.resolve === "handler") return rows
  return rows.filter(({ owner }) => owner !== SKILLS_OWNER)
}
