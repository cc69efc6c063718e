import type { PartData } from "compositor-core/parts/define-part"
import { AnyPart } from "compositor-core/parts/read-part"
import { isWords, openPart, type Part, writePart } from "compositor-core/parts/table"
import { type ComposerInput, readComposerInput } from "compositor-core/compose/composer-input"
import { type SourceInsert, nodesOfTyped, partsOfTyped } from "compositor-core/compose/typed"
import type { Vocabulary } from "compositor-core/compose/vocabulary"
import type { EntityRegistry } from "compositor-engine/entities/entity-room"
import type { TypedIn } from "compositor-engine/entities/session-commands"
import { MAX_PARTS } from "compositor-core/message/limits"
import type { RefusalDetail } from "compositor-core/message/refusal"
import { attachmentParts, type NamedFile } from "./attachments.ts"
import { HttpError } from "./errors.ts"

/** A message in any of its forms: typed parts, a source with what was recognised in it and what is
 *  attached, or text with paths. */
export interface MessageInput {
  readonly parts?: readonly Part[] | undefined
  readonly source?: string | undefined
  readonly nodes?: readonly unknown[] | undefined
  /** Parts that stand in the source. */
  readonly inserts?: readonly SourceInsert[] | undefined
  /** Words of the source that are words, whatever they look like. */
  readonly literals?: readonly string[] | undefined
  readonly message?: string | undefined
  readonly attachments?: readonly NamedFile[] | undefined
  /** The source is to be sent with the secrets in it; a part says so for itself. */
  readonly allow_secrets?: boolean | undefined
}

interface MessageBody {
  readonly parts: readonly Part[]
  /** What was typed, with the nodes in it. */
  readonly input?: ComposerInput
  readonly metadata?: Record<string, unknown>
  readonly warnings: readonly RefusalDetail[]
}

/** The words that mean something where a message is typed. */
type Vocabularies = Pick<EntityRegistry, "vocabulary">

export async function readMessageBody(
  entities: Vocabularies,
  at: TypedIn,
  said: MessageInput,
): Promise<MessageBody> {
  if (said.message !== undefined && said.parts !== undefined)
    throw fault("/parts", "say parts or message, not both")
  const files = await attachmentParts(said.attachments ?? [], at.workspace_root)
  const rest = await withoutFiles(entities, at, said)
  const parts = [...rest.parts, ...files]
  if (parts.length === 0) throw fault(pathOf(said), "a message needs at least one part")
  if (parts.length > MAX_PARTS) throw fault(pathOf(said), `makes more than ${MAX_PARTS} parts`)
  return { ...rest, parts }
}

async function withoutFiles(
  entities: Vocabularies,
  at: TypedIn,
  said: MessageInput,
): Promise<MessageBody> {
  const { parts = [], source, message } = said
  if (source !== undefined) return fromSource(entities, at, said)
  if (said.inserts !== undefined) throw fault("/inserts", "stand in a source, and there is none")
  if (message === undefined) return { parts, warnings: [] }
  return { parts: message === "" ? [] : [{ type: "text", text: message }], warnings: [] }
}

/** What a fault of the whole message is told of. */
export function pathOf({ source, message }: MessageInput): string {
  if (source !== undefined) return "/source"
  return message === undefined ? "/parts" : "/message"
}

/** Read what was typed: with the nodes that came along, or by looking for them. */
export function readSource(
  said: Pick<MessageInput, "source" | "nodes" | "inserts" | "literals">,
  vocabulary: Vocabulary,
): Required<Pick<MessageBody, "input" | "warnings">> {
  const { source, nodes, inserts, literals } = said
  const read = readComposerInput({ source, ...(nodes === undefined ? {} : { nodes }) })
  if (read.type === "invalid")
    throw new HttpError(422, "validation_failed", "the composer input does not fit", read.faults)
  const { input, warnings } = read
  const typed = { source: input.source, inserts, literals }
  const found: ComposerInput = input.nodes
    ? input
    : { source: input.source, nodes: nodesOfTyped(typed, vocabulary) }
  return { input: found, warnings }
}

async function fromSource(
  entities: Vocabularies,
  at: TypedIn,
  said: MessageInput,
): Promise<MessageBody> {
  const { inserts = [] } = said
  requirePlaces(said.source ?? "", inserts)
  const vocabulary = await entities.vocabulary(at)
  const { input, warnings } = readSource(said, vocabulary)
  const typed = partsOfTyped({ ...input, inserts }, vocabulary).map(checked)
  const meant = said.allow_secrets === true ? typed.map(withSecrets) : typed
  const parts = [...meant, ...(said.parts ?? [])]
  return { parts, input, metadata: { composer_input: input }, warnings }
}

function requirePlaces(source: string, inserts: readonly SourceInsert[]) {
  let before = 0
  for (const [index, { at }] of inserts.entries()) {
    if (at > source.length) throw fault(`/inserts/${index}/at`, "is outside the source")
    if (at < before) throw fault(`/inserts/${index}/at`, "stands before the one before it")
    before = at
  }
}

// Nodes carry what a surface put into them: what becomes of them must be a part like any other.
function checked(part: PartData, at: number): Part {
  const parsed = AnyPart.safeParse(part)
  if (parsed.success) return parsed.data
  throw fault(`/nodes/${at}`, `does not make a ${part.type} part`)
}

function withSecrets(part: Part): Part {
  const data = writePart(part)
  return isWords(data) ? openPart({ ...data, allow_secrets: true }) : part
}

function fault(path: string, message: string): HttpError {
  return new HttpError(422, "validation_failed", `${path}: ${message}`, [{ path, message }])
}
