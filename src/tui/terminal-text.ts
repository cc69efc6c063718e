import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui"

/** Text that a model or a file said, fit for a terminal: no character of it moves the cursor, colours
 *  the screen or talks to the terminal. */
export function plain(text: string): string {
  return text
    .replace(ESCAPES, "")
    .replaceAll("\t", "  ")
    .replace(/\r\n?/g, "\n")
    .replace(UNSEEN, (mark) => `\\u${mark.codePointAt(0)?.toString(16).padStart(4, "0")}`)
}

// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.?)/g
// Controls, and the marks that turn the direction of what follows.
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** In lines no wider than this, each behind the indent. */
export function wrapped(text: string, width: number, indent = ""): string[] {
  const room = Math.max(1, width - visibleWidth(indent))
  return text
    .split("\n")
    .flatMap((line) => wrapTextWithAnsi(line, room))
    .map((line) => `${indent}${line}`)
}

/** One line of at most this width. */
export function oneLine(text: string, width: number): string {
  return truncateToWidth(plain(text).replace(/\s+/g, " ").trim(), Math.max(0, width), "…")
}
