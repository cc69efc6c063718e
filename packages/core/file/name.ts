import { escapeMarkers } from "../model/marker.ts"

const MAX_NAME_CHARACTERS = 240

/** A name as a model or a person may be shown it: one line, and not too long. */
export function showName(name: string): string {
  const plain = escapeMarkers(oneLine(name))
  if (plain === "") return "unnamed"
  if (plain.length <= MAX_NAME_CHARACTERS) return plain
  const half = MAX_NAME_CHARACTERS / 2
  return `${plain.slice(0, half)}…${plain.slice(-half)}`.toWellFormed()
}

/** Text from strangers inside a sentence of ours: what would break the line, hide or turn around
 *  the text beside it is taken out. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(HIDDEN, " ").replace(/\s+/g, " ").trim()
}

// Control characters, line and paragraph separators, invisible and bidirectional marks, tags.
// oxlint-disable-next-line no-control-regex
const HIDDEN =
  /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** A number of bytes as a person reads it. */
export function showBytes(bytes: number | null): string {
  if (bytes === null) return "size unknown"
  return `${bytes.toLocaleString("en-US")} ${bytes === 1 ? "byte" : "bytes"}`
}
