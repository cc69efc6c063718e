import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui"
import { exact as exactText, plain as plainText } from "compositor-core/message/terminal-text"

/** Fit for a terminal, and for counting its columns: a tab is as wide as it is counted. */
export function plain(text: string): string {
  return plainText(text).replaceAll("\t", "  ")
}

/** The same for what a person says yes to: nothing is left out. */
export function exact(text: string): string {
  return exactText(text).replaceAll("\t", "  ")
}

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
