import { isWords } from "compositor-core/parts/table"
import type { PartData } from "compositor-core/parts/define-part"
import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk"
import type { Client, Fault, SendBody } from "compositor-client/client"
import { fromAcpBlocks } from "compositor-core/interop/from-acp-blocks"
import { MAX_PARTS } from "compositor-core/message/limits"
import { type NamedAttachment, readAttachments } from "./attachments.ts"

interface Prompted {
  readonly sessionId: string
  readonly prompt: readonly ContentBlock[]
  readonly _meta?: { readonly [name: string]: unknown } | null
}

interface PromptBody {
  readonly body: Pick<SendBody, "source" | "parts" | "attachments">
  /** What a block could not say here. */
  readonly warnings: readonly Fault[]
}

/** A prompt as our server takes it: what was typed, then the other blocks as parts, in order, and then
 *  what is attached by path (ATT-002, ACP-002). Throws a JSON-RPC error that names what does not fit. */
export async function promptBody(
  client: Client,
  { sessionId, prompt, _meta }: Prompted,
  root: string | null,
): Promise<PromptBody> {
  const read = readAttachments(_meta)
  if (read.type === "invalid")
    throw RequestError.invalidParams({ item: read.item, reason: read.message }, read.message)
  if (prompt.length > MAX_PARTS)
    throw RequestError.invalidParams({ item: MAX_PARTS }, `prompt: at most ${MAX_PARTS} blocks`)
  const { value: parts, losses } = fromAcpBlocks(prompt, root === null ? {} : { root })
  const refused = losses.find(({ path }) => /^\/\d+$/.test(path))
  if (refused) throw invalidBlock(refused)
  const attached = read.attachments.length > 0 ? { attachments: optional(read.attachments) } : {}
  const said = await saidOf(client, sessionId, parts)
  return { body: { ...said, ...attached }, warnings: losses }
}

function invalidBlock({ path, message }: Fault): RequestError {
  const sentence = `prompt${path}: ${message}`
  return RequestError.invalidParams({ item: Number(path.slice(1)), reason: sentence }, sentence)
}

function optional(attachments: readonly NamedAttachment[]) {
  return attachments.map(({ path, mime, filename }) => ({
    path,
    ...(mime === undefined ? {} : { mime }),
    ...(filename === undefined ? {} : { filename }),
  }))
}

/** Text that comes first and alone is what was typed, as on every other surface; text between other
 *  blocks is read where it stands. */
async function saidOf(
  client: Client,
  session: string,
  parts: readonly PartData[],
): Promise<Pick<SendBody, "source" | "parts">> {
  const [first, ...rest] = parts
  if (first === undefined) return {}
  if (isTyped(first) && !rest.some(isTyped))
    return { source: first.text, ...(rest.length > 0 ? { parts: rest } : {}) }
  const read = parts.map(async (part, at) =>
    isTyped(part) ? partsOfText(client, { session, source: part.text, leads: at === 0 }) : [part],
  )
  return { parts: (await Promise.all(read)).flat() }
}

function isTyped(part: PartData): part is { type: "text"; text: string } {
  return isWords(part) && Object.keys(part).length === 2
}

interface TypedText {
  readonly session: string
  readonly source: string
  /** Whether it begins the message, so that a command in front of it is meant (decision 5). */
  readonly leads: boolean
}

async function partsOfText(client: Client, typed: TypedText): Promise<readonly PartData[]> {
  const { session, source, leads } = typed
  const { nodes, parts } = await client.commands.parse({ session, source })
  const begins = source.length - source.trimStart().length
  const isLead = (node: { readonly [name: string]: unknown }) =>
    node.kind === "slash_command" && Number(node.start) <= begins
  if (leads || !nodes.some(isLead)) return parts
  const kept = nodes.filter((node) => !isLead(node))
  return (await client.commands.parse({ session, source, nodes: kept })).parts
}
