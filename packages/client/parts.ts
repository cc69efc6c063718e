import type { Range } from "compositor-core/message/file-reference"
import type { CommandPart } from "compositor-core/parts/command"
import type { EditorContextPart } from "compositor-core/parts/editor-context"
import type { FileAttachmentPart } from "compositor-core/parts/file-attachment"
import type { FileRefPart } from "compositor-core/parts/file-ref"
import type { MentionPart } from "compositor-core/parts/mention"
import type { TextPart } from "compositor-core/parts/text"

/** The parts of a message, each by one function: what is sent is plain data. */
export function text(words: string): TextPart {
  return { type: "text", text: words }
}

export interface FilePosition {
  /** From and to, counted from 1, both included. */
  readonly lines?: readonly [from: number, to: number]
  /** From and up to, counted from 0. */
  readonly bytes?: readonly [from: number, to: number]
  /** A file inside the archive. */
  readonly entry?: string
}

/** A file of the workspace; the server reads it when it is needed. */
export function file(path: string, { lines, bytes, entry }: FilePosition = {}): FileRefPart {
  const range = rangeOf(lines, bytes)
  const place = { ...(entry === undefined ? {} : { entry }), ...(range ? { range } : {}) }
  return { type: "file-ref", ref: { kind: "path", path, ...place } }
}

function rangeOf(lines: FilePosition["lines"], bytes: FilePosition["bytes"]): Range | undefined {
  if (lines) return { start: lines[0], end: lines[1] }
  return bytes && { start: bytes[0], end: bytes[1], unit: "byte" }
}

export function url(address: string): FileRefPart {
  return { type: "file-ref", ref: { kind: "url", url: address } }
}

/** Bytes that go along; larger ones are uploaded first, and `client.upload` gives their part. */
export function attachment(name: string, mime: string, bytes: Uint8Array): FileAttachmentPart {
  return { type: "file-attachment", name, mime, data: base64Of(bytes) }
}

// In pieces: a call with a million arguments is too much for every engine.
const PIECE = 0x8000

function base64Of(bytes: Uint8Array): string {
  let letters = ""
  for (let at = 0; at < bytes.length; at += PIECE)
    letters += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(letters)
}

/** `command("review", "src/a.ts")` is what `/review src/a.ts` comes to. */
export function command(name: string, typed = ""): CommandPart {
  return { type: "command", id: `/${name.replace(/^\//, "")}`, args: { raw: typed } }
}

export function mention(kind: string, target: Readonly<Record<string, unknown>>): MentionPart {
  return { type: "mention", target: { ...target, kind } }
}

export interface ContextSource {
  readonly source?: string
  /** When it was so; now, if left out. */
  readonly at?: number
}

/** What an editor or another host can tell of its state. */
export function context(
  kind: string,
  payload: Readonly<Record<string, unknown>>,
  { source, at = Date.now() }: ContextSource = {},
): EditorContextPart {
  const about = source === undefined ? {} : { source }
  return { type: "editor-context", kind, ...about, payload, emitted_at: at }
}
