import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui"
import {
  escapeForTerminal as escapeForTerminalText,
  cleanForTerminal as cleanForTerminalText,
} from "compositor-core/message/terminal-text"

/** Fit for a terminal, and for counting its columns: a tab is as wide as it is counted. */
export function cleanForScreen(text: string): string {
  return cleanForTerminalText(text).replaceAll("\t", "  ")
}

/** The same for what a person says yes to: nothing is left out. */
export function escapeForScreen(text: string): string {
  return escapeForTerminalText(text).replaceAll("\t", "  ")
}

/** In lines no wider than this, each behind the indent. */
export function wrapText(text: string, width: number, indent = ""): string[] {
  const room = Math.max(1, width - visibleWidth(indent))
  return text
    .split("\n")
    .flatMap((line) => wrapTextWithAnsi(line, room))
    .map((line) => `${indent}${line}`)
}

/** One line of at most this width. */
export function oneLine(text: string, width: number): string {
  return truncateToWidth(cleanForScreen(text).replace(/\s+/g, " ").trim(), Math.max(0, width), "…")
}
