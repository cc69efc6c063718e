import { errorMessage } from "compositor-core/message/untyped"
import { printOffset, type StreamOffsetPosition } from "./offset.ts"

export const DEFAULT_CONTENT_TYPE = "application/octet-stream"

/** A content type as it is compared: `Text/Plain; charset=UTF-8` is `text/plain`. */
export function typeOnly(content_type: string): string {
  return (content_type.split(";")[0] ?? "").trim().toLowerCase()
}

export function isJson(content_type: string): boolean {
  return typeOnly(content_type) === "application/json"
}

/** Whether server-sent events can carry it as it is. */
export function isText(content_type: string): boolean {
  return typeOnly(content_type).startsWith("text/") || isJson(content_type)
}

type ReadMessages =
  | { readonly type: "messages"; readonly messages: readonly string[] }
  | { readonly type: "fault"; readonly message: string }

/** The messages of a JSON body, each as it was written: one level of an array is taken apart. */
export function readMessages(body: Uint8Array): ReadMessages {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body).trim()
    const value: unknown = JSON.parse(text)
    return { type: "messages", messages: Array.isArray(value) ? elementsOf(text) : [text] }
  } catch (error) {
    return { type: "fault", message: `the body is not JSON: ${errorMessage(error)}` }
  }
}

/** The elements of a JSON array, as they stand in it. The text is known to be JSON. */
export function elementsOf(array: string): string[] {
  const elements: string[] = []
  let depth = 0
  let start = 1
  for (let at = 0; at < array.length; at++) {
    const code = array.charCodeAt(at)
    if (code === QUOTE) at = stringEnd(array, at)
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) depth++
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--
    else if (code === COMMA && depth === 1) {
      elements.push(array.slice(start, at).trim())
      start = at + 1
    }
  }
  const last = array.slice(start, array.lastIndexOf("]")).trim()
  return last === "" ? elements : [...elements, last]
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

function stringEnd(text: string, from: number): number {
  for (let at = from + 1; ; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at
  }
}

/** An event of the State Protocol tells the offset behind it; any other message stays as it is. */
export function stamp(message: string, after: StreamOffsetPosition): string {
  if (!message.includes('"headers"')) return message
  const value = JSON.parse(message) as unknown
  if (!isObject(value) || !isObject(value.headers)) return message
  return JSON.stringify({ ...value, headers: { ...value.headers, offset: printOffset(after) } })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
