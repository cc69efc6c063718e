import { chipOf, openPart } from "../parts/table.ts"
import type { PartData } from "../parts/define-part.ts"
import { isObject, type JsonObject, without } from "../acp/json.ts"
import { loss, type Translated } from "./loss.ts"
import type { Message } from "./message.ts"
import {
  MARK,
  type ProviderMetadata,
  storedType,
  type UICall,
  type UIFile,
  type UIMessage,
  type UIPart,
  WHOLE_PART,
} from "./ui-message.ts"

interface ToUIOptions {
  /** Where a client can fetch an attachment that is not carried inline. */
  readonly urlOf?: (content_id: string) => string
}

/** Messages as an AI SDK client reads them. Text, reasoning, files and calls are the SDK's own
 *  parts, all others `data-<type>`; `fromUIMessages` gives back exactly what was given. */
export function toUIMessages(
  messages: readonly Message[],
  options: ToUIOptions = {},
): Translated<UIMessage[]> {
  const said = messages.map((message) => message.parts.length > 0 || message.role === "assistant")
  return {
    value: messages.filter((_, at) => said[at]).map((message) => toUIMessage(message, options)),
    losses: messages.flatMap(({ role }, at) =>
      said[at] ? [] : [loss(`/${at}`, `a ${role} message without parts is left out`)],
    ),
  }
}

function toUIMessage({ id, role, metadata, parts }: Message, options: ToUIOptions): UIMessage {
  return { id, role, metadata, parts: parts.map((part) => toUIPart(part, options)) }
}

function toUIPart(part: PartData, options: ToUIOptions): UIPart {
  const { type, text } = part
  if ((type === "text" || type === "reasoning") && typeof text === "string")
    return { type, text, ...marked(without(part, ["type", "text"])) }
  return fileOf(part, options) ?? callOf(part) ?? dataOf(part)
}

function marked(rest: JsonObject): { providerMetadata?: ProviderMetadata } {
  return Object.keys(rest).length === 0 ? {} : { providerMetadata: markOf(rest) }
}

function markOf(rest: JsonObject): ProviderMetadata {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it came from JSON
  return { [MARK]: rest as ProviderMetadata[string] }
}

/** An attachment that a client can show: its bytes are here, or have an address. */
function fileOf(part: PartData, options: ToUIOptions): UIFile | undefined {
  const opened = openPart(part)
  const [file] = chipOf(opened).file(opened)
  if (typeof file?.name !== "string" || typeof file.mime !== "string" || file.name === "")
    return undefined
  const { name, mime, data } = file
  const url = typeof data === "string" ? dataUrl(mime, data) : addressOf(part, options)
  if (url === undefined) return undefined
  const told =
    typeof data === "string" ? ["type", "name", "mime", "data"] : ["type", "name", "mime"]
  const rest = without(part, told)
  return { type: "file", mediaType: mime, filename: name, url, ...marked(rest) }
}

function dataUrl(mime: string, data: string): string {
  return `data:${PLAIN_MIME.test(mime) ? mime : "application/octet-stream"};base64,${data}`
}

// Anything else could end the head of a data URL early.
const PLAIN_MIME = /^[\w.+-]+\/[\w.+-]+$/

function addressOf({ content_id, url }: PartData, { urlOf }: ToUIOptions): string | undefined {
  if (typeof content_id === "string" && urlOf) return urlOf(content_id)
  return typeof url === "string" && URL.canParse(url) && !url.startsWith("data:") ? url : undefined
}

function callOf(part: PartData): UICall | undefined {
  const { type, tool_call_id: toolCallId } = part
  if (typeof toolCallId !== "string") return undefined
  const named = toolOf(part)
  if (!named) return undefined
  const { told, fields, more } = progressOf(part)
  const about = type === "dynamic-tool" ? ["tool_name"] : []
  const rest = without(part, ["type", "tool_call_id", ...about, ...told])
  return { ...named, toolCallId, ...fields, callProviderMetadata: markOf({ part: rest, ...more }) }
}

type Named = { type: `tool-${string}` } | { type: "dynamic-tool"; toolName: string }

function toolOf({ type, tool_name }: PartData): Named | undefined {
  if (type === "dynamic-tool" && typeof tool_name === "string") return { type, toolName: tool_name }
  return isToolType(type) ? { type } : undefined
}

function isToolType(type: string): type is `tool-${string}` {
  return type.startsWith("tool-")
}

type State =
  | { state: "input-streaming"; input?: unknown }
  | { state: "input-available"; input: unknown }
  | { state: "output-available"; input: unknown; output: unknown }
  | { state: "output-error"; input: unknown; errorText: string }

interface Progress {
  readonly fields: State
  /** Our fields that `fields` says. */
  readonly told: readonly string[]
  /** What else must be known to have them back. */
  readonly more?: JsonObject
}

/** A state that the SDK does not have is shown as the last one that was surely reached. */
function progressOf(part: PartData): Progress {
  const { state, input, output, error_text: errorText } = part
  const is = (wanted: string) => (state === wanted ? ["state"] : [])
  const given = "input" in part ? ["input"] : []
  if (state === "input-streaming")
    return { fields: { state, ...("input" in part ? { input } : {}) }, told: ["state", ...given] }
  // What the SDK wants and we do not have is null there, and `absent` tells it from a null of ours.
  const more = "input" in part ? {} : { absent: ["input"] }
  const asked = { input: input ?? null }
  if (typeof errorText === "string" && !("output" in part))
    return {
      fields: { state: "output-error", ...asked, errorText },
      told: [...is("output-error"), ...given, "error_text"],
      more,
    }
  if (!("output" in part) || "error_text" in part)
    return {
      fields: { state: "input-available", ...asked },
      told: [...is("input-available"), ...given],
      more,
    }
  const wrapped = isObject(output) && "data" in output
  return {
    fields: { state: "output-available", ...asked, output: wrapped ? output.data : output },
    told: [...is("output-available"), ...given, "output"],
    more: wrapped ? { ...more, output: without(output, ["data"]) } : more,
  }
}

function dataOf(part: PartData): UIPart {
  const { type } = part
  const projected = type.startsWith("data-")
    ? (`data-${type.slice("data-".length)}` as const)
    : (`data-${type}` as const)
  if (projected === WHOLE_PART || storedType(projected) !== type)
    return { type: WHOLE_PART, data: part }
  return { type: projected, data: without(part, ["type"]) }
}
