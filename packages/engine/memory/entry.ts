import { readMarkdown } from "compositor-core/catalog/read/front-matter"
import {
  type Author,
  MAX_DESCRIPTION_CHARACTERS,
  type MemoryScope,
  MemoryType,
} from "compositor-core/contract/memory"

/** A piece of text that is kept across sessions (UX-036). */
export interface MemoryEntry {
  readonly scope: MemoryScope
  readonly name: string
  /** One line: all that a session is told of it at its start (UX-037). */
  readonly description: string
  readonly type: string
  readonly body: string
  readonly author: Author
  readonly updated_at: number
}

/** What an entry's file says. A file that somebody wrote by hand needs no head. */
export function readMemoryEntry(
  text: string,
  at: { scope: MemoryScope; name: string },
): MemoryEntry {
  const { head, body } = readMarkdown(text, `${at.name}.md`)
  const kept = neutral(body)
  const description = head.text("description") ?? firstLine(kept)
  const type = MemoryType.safeParse(head.text("type"))
  return {
    ...at,
    description: asLine(description),
    type: type.success ? type.data : at.scope,
    body: kept,
    author: {
      by: head.text("author") === "agent" ? "agent" : "user",
      ...optional("session_id", head.text("session")),
      ...optional("message_id", head.text("message")),
      ...optional("via", head.text("via")),
    },
    updated_at: Date.parse(head.text("updated") ?? "") || 0,
  }
}

function optional<Key extends string>(key: Key, value: string | undefined) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed key forgets its name
  return (value === undefined ? {} : { [key]: asLine(value) }) as { [K in Key]?: string }
}

/** The entry as a file that a person can read and edit. */
export function printEntry(entry: MemoryEntry): string {
  const { session_id, message_id, via, by } = entry.author
  const head = [
    `description: ${JSON.stringify(entry.description)}`,
    `type: ${entry.type}`,
    `author: ${by}`,
    ...(session_id === undefined ? [] : [`session: ${session_id}`]),
    ...(message_id === undefined ? [] : [`message: ${message_id}`]),
    ...(via === undefined ? [] : [`via: ${asLine(via)}`]),
    `updated: ${new Date(entry.updated_at).toISOString()}`,
  ]
  return `---\n${head.join("\n")}\n---\n\n${entry.body}\n`
}

/** One line for the index, whatever was written: it must not look like anything but a line. */
export function asLine(text: string): string {
  const line = neutral(text).replace(/\s+/g, " ").trim()
  return line.length <= MAX_DESCRIPTION_CHARACTERS
    ? line
    : `${line.slice(0, MAX_DESCRIPTION_CHARACTERS - 1).toWellFormed()}…`
}

// A memory is text that a stranger may have had written: it must neither hide characters nor close
// or open a marker of ours.
// Joiners stay: emoji and several scripts are written with them.
const HIDDEN =
  /(?![\t\n])\p{Cc}|\p{Bidi_Control}|[\u200B\u2028\u2029\u2060-\u2064\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu
const MARKER =
  /<(\/?)(?=(?:editor_context|skill_content|system|system-reminder|memory|tool_result)\b)/gi

export function neutral(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, "\n").replace(HIDDEN, "").replace(MARKER, "\u2039$1")
}

export function firstLine(body: string): string {
  const line = body.split("\n").find((text) => text.trim() !== "") ?? ""
  return line.replace(/^[#>*\-\s]+/, "")
}
