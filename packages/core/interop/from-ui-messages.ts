import type { PartData } from "../parts/define-part.ts"
import { AnyPart } from "../parts/read-part.ts"
import { MAX_PARTS } from "../message/limits.ts"
import { base64OfUrl } from "../acp/data-url.ts"
import { isObject, type JsonObject } from "../acp/json.ts"
import { type TranslationLoss, loss, type Translated } from "./loss.ts"
import type { Message } from "./message.ts"
import { MARK, storedType, WHOLE_PART } from "./ui-message.ts"

const MAX_MESSAGES = 100_000

/** Messages of an AI SDK client as ours. What it does not know how to keep is told as a loss, and
 *  so is a part of a user's message that is no part of ours; nothing throws. */
export function fromUIMessages(messages: readonly unknown[]): Translated<Message[]> {
  const losses: TranslationLoss[] = []
  if (messages.length > MAX_MESSAGES)
    losses.push(loss("", `only the first ${MAX_MESSAGES} of ${messages.length} messages are read`))
  const value = messages.slice(0, MAX_MESSAGES).flatMap((message, at) => {
    const read = readMessage(message, `/${at}`, losses)
    return read ? [read] : []
  })
  return { value, losses }
}

const ROLES = ["user", "assistant", "system"] as const

function readMessage(given: unknown, path: string, losses: TranslationLoss[]): Message | undefined {
  const message = isObject(given) ? given : {}
  const { id, metadata = {}, parts } = message
  const role = ROLES.find((known) => known === message.role)
  if (typeof id !== "string" || !role || !Array.isArray(parts)) {
    losses.push(loss(path, "is no message: it needs an id, a role and parts"))
    return undefined
  }
  if (!isObject(metadata)) losses.push(loss(`${path}/metadata`, "is no object and is left out"))
  const kept = readParts(parts, { role, path: `${path}/parts` }, losses)
  return { id, role, metadata: isObject(metadata) ? metadata : {}, parts: kept }
}

interface Place {
  readonly role: Message["role"]
  readonly path: string
}

function readParts(
  parts: readonly unknown[],
  { role, path }: Place,
  losses: TranslationLoss[],
): PartData[] {
  if (role === "user" && parts.length > MAX_PARTS)
    losses.push(loss(path, `only the first ${MAX_PARTS} of ${parts.length} parts are read`))
  const readable = role === "user" ? parts.slice(0, MAX_PARTS) : parts
  return readable.flatMap((given, at) => {
    const here = `${path}/${at}`
    const { part, lost } = readPart(given)
    for (const name of lost) losses.push(loss(`${here}/${name}`, "has no place here"))
    const fault = part ? faultOf(part, role) : "is no part that can be kept"
    if (fault) losses.push(loss(here, fault))
    return part && !fault ? [part] : []
  })
}

/** A user's parts come from outside and must be parts; what an answer holds is only shown. */
function faultOf(part: PartData, role: Message["role"]): string | undefined {
  if (role !== "user") return undefined
  const [issue] = AnyPart.safeParse(part).error?.issues ?? []
  return issue && `is left out: ${issue.path.map(String).join(".") || part.type} ${issue.message}`
}

interface Read {
  readonly part: PartData | undefined
  /** Fields of the SDK's part that ours has no place for. */
  readonly lost: readonly string[]
}

const NOTHING: Read = { part: undefined, lost: [] }

function readPart(given: unknown): Read {
  if (!isObject(given) || typeof given.type !== "string") return NOTHING
  const { type } = given
  if (type === "text" || type === "reasoning") return readWords(type, given)
  if (type === "file") return readFile(given)
  if (type === "dynamic-tool" || type.startsWith("tool-")) return readCall(type, given)
  if (type.startsWith("data-")) return readData(type, given)
  // Each step of a turn is a message of its own here.
  if (type === "step-start") return { part: undefined, lost: [] }
  return { part: { ...given, type }, lost: [] }
}

function readWords(type: "text" | "reasoning", given: JsonObject): Read {
  const { text, providerMetadata } = given
  if (typeof text !== "string") return NOTHING
  const lost = [
    ...fieldsBeside(given, ["type", "text", "providerMetadata"]),
    ...foreignMarks("providerMetadata", providerMetadata),
  ]
  return { part: { ...markIn(providerMetadata), type, text }, lost }
}

function markIn(metadata: unknown): JsonObject {
  const mark = isObject(metadata) ? metadata[MARK] : undefined
  return isObject(mark) ? mark : {}
}

function foreignMarks(field: string, metadata: unknown): string[] {
  if (metadata === undefined) return []
  if (!isObject(metadata)) return [field]
  return fieldsBeside(metadata, [MARK]).map((name) => `${field}/${name}`)
}

function fieldsBeside(value: JsonObject, names: readonly string[]): string[] {
  return Object.keys(value).filter((name) => value[name] !== undefined && !names.includes(name))
}

const UNNAMED = "file"

function readFile(given: JsonObject): Read {
  const { mediaType, filename, url, providerMetadata } = given
  if (typeof mediaType !== "string" || typeof url !== "string") return NOTHING
  const name = filename || UNNAMED
  const mark = markIn(providerMetadata)
  const lost = [
    ...fieldsBeside(given, ["type", "mediaType", "filename", "url", "providerMetadata"]),
    ...foreignMarks("providerMetadata", providerMetadata),
  ]
  const content = contentOf(url, mark)
  if (!content) return { part: undefined, lost }
  return { part: { ...mark, type: "file-attachment", name, mime: mediaType, ...content }, lost }
}

/** Bytes that are in the URL, or where they are; ours says that by itself. */
function contentOf(url: string, mark: JsonObject): JsonObject | undefined {
  if (!url.startsWith("data:")) return "content_id" in mark || "url" in mark ? {} : { url }
  const data = base64OfUrl(url)
  return data === undefined ? undefined : { data }
}

function readCall(type: string, given: JsonObject): Read {
  const { toolCallId, toolName, state, input, output, errorText, callProviderMetadata } = given
  if (typeof toolCallId !== "string") return NOTHING
  const mark = markIn(callProviderMetadata)
  const rest = isObject(mark.part) ? mark.part : {}
  const absent = Array.isArray(mark.absent) && mark.absent.includes("input")
  const beside = isObject(mark.part) ? mark.output : {}
  const part = {
    ...rest,
    type,
    tool_call_id: toolCallId,
    ...(type === "dynamic-tool" ? { tool_name: toolName } : {}),
    state: rest.state ?? state,
    ...(input === undefined || absent ? {} : { input }),
    ...(output === undefined ? {} : { output: outputOf(output, beside) }),
    ...(errorText === undefined ? {} : { error_text: errorText }),
  }
  const lost = [
    ...fieldsBeside(given, CALL_FIELDS),
    ...foreignMarks("callProviderMetadata", callProviderMetadata),
  ]
  return { part, lost }
}

const CALL_FIELDS = [
  "type",
  "toolCallId",
  "toolName",
  "state",
  "input",
  "output",
  "errorText",
  "callProviderMetadata",
]

/** Ours is `{ data, … }`; beside the data stands what the mark says. */
function outputOf(output: unknown, beside: unknown): unknown {
  return isObject(beside) ? { ...beside, data: output } : output
}

function readData(type: string, given: JsonObject): Read {
  const { data } = given
  const lost = fieldsBeside(given, ["type", "data"])
  if (type === WHOLE_PART && isObject(data) && typeof data.type === "string")
    return { part: { ...data, type: data.type }, lost }
  if (!isObject(data)) return { part: { data, type: storedType(type) }, lost }
  const shadowed = "type" in data ? ["data/type"] : []
  return { part: { ...data, type: storedType(type) }, lost: [...lost, ...shadowed] }
}
