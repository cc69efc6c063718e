import { recordOf } from "compositor-core/message/untyped"
import { readPart } from "compositor-core/parts/read-part"
import { definitionOf } from "compositor-core/parts/table"
import { openJson } from "compositor-core/message/stored-json"
import type { RawMessage } from "../store/store.ts"

/** Characters that stay of what a tool was given and gave back, where outputs are pruned. */
const PRUNED_CHARACTERS = 400
const MAX_OUTPUT_CHARACTERS = 40_000

/** A conversation as words for whoever sums it up, one text for each message that says something.
 *  Media and files are named, thoughts left out. They come one by one: a conversation that has to be
 *  summed up may be longer than memory should hold twice. */
export function* writeTranscript(
  messages: readonly RawMessage[],
  pruned: boolean,
): Iterable<string> {
  const most = pruned ? PRUNED_CHARACTERS : MAX_OUTPUT_CHARACTERS
  for (const { role, parts } of messages) {
    const said = parts
      .map(({ data_json }) => wordsOf(openJson(data_json), most))
      .filter((words) => words.trim() !== "")
    if (said.length > 0) yield `[${role}]\n${said.join("\n")}`
  }
}

type Data = Readonly<Record<string, unknown>>

function wordsOf(data: Data, most: number): string {
  const type = String(data.type)
  if (LEFT_OUT.has(type)) return ""
  if (type.startsWith("tool-")) return callWords(data, type.slice("tool-".length), most)
  const part = readPart(data)
  return definitionOf(part).words(part)
}

/** What an answer holds besides words and calls. */
const LEFT_OUT: ReadonlySet<string> = new Set(["reasoning", "data-compaction"])

function callWords(data: Data, name: string, most: number): string {
  const input = cut(JSON.stringify(data.input) ?? "", most)
  return `[called ${name} with ${input}]\n[${name} gave] ${cut(outputOf(data), most)}`
}

function outputOf({ output, error_text }: Data): string {
  if (typeof error_text === "string") return error_text
  const { blocks, data } = (output ?? {}) as { blocks?: unknown; data?: unknown }
  if (!Array.isArray(blocks)) return typeof data === "string" ? data : (JSON.stringify(data) ?? "")
  return blocks
    .map(recordOf)
    .map(({ type, text }) => textOf(text) || `[${textOf(type)}]`)
    .join("\n")
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const half = most >> 1
  const left_out = text.length - 2 * half
  return `${text.slice(0, half)} […${left_out} characters…] ${text.slice(-half)}`.toWellFormed()
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed() : ""
}
