import { isWords } from "compositor-core/parts/table"
import type { PartData } from "compositor-core/parts/define-part"
import type { Component } from "@earendil-works/pi-tui"
import type { SessionView } from "compositor-client/view"
import { showModelChoice } from "compositor-core/message/message"
import type { SessionStatus, StoredMessage } from "compositor-core/message/row"
import type { PendingAttachment } from "./attached.ts"
import { questionOf } from "./questions.ts"
import { escapeForScreen, oneLine, wrapText } from "./terminal-text.ts"
import type { TerminalTheme } from "./theme.ts"

/** Lines that are computed when they are drawn. */
export class ComputedLines implements Component {
  readonly #lines: (width: number) => string[]

  constructor(lines: (width: number) => string[]) {
    this.#lines = lines
  }

  render(width: number): string[] {
    return this.#lines(width)
  }

  invalidate() {}
}

/** What a turn waits for, where it is not being chosen. */
export function questionLines(
  view: SessionView | undefined,
  theme: TerminalTheme,
  width: number,
): string[] {
  const question = questionOf(view)
  if (!question) return []
  const { title, about } = question
  const said = about === "" ? title : `${title}\n${about}`
  return wrapText(escapeForScreen(said), width).map(theme.strong)
}

/** What waits, in the order in which it will fire. */
export function queueLines(
  queue: readonly StoredMessage[],
  { selected, theme, width }: { selected: number | null; theme: TerminalTheme; width: number },
): string[] {
  return queue.map((message, at) => {
    const mark = at === selected ? theme.accent("›") : " "
    const place = message.mode === "steer" ? `${at + 1} (steers)` : `${at + 1}`
    const state = message.state === "queued" ? place : message.state
    return `${mark} ${oneLine(`${state}. ${statusWords(message)}`, width - 2)}`
  })
}

/** What the server has not taken yet. */
export function unsentLines(
  unsent: readonly string[],
  theme: TerminalTheme,
  width: number,
): string[] {
  return unsent.map((source) => theme.quiet(oneLine(`  … sending: ${source}`, width)))
}

function statusWords({ metadata, parts }: StoredMessage): string {
  const { composer_input } = metadata as { composer_input?: { source?: string } }
  if (composer_input?.source !== undefined) return composer_input.source
  return parts.map(({ data, type }) => said(data.text) ?? said(data.raw) ?? `[${type}]`).join(" ")
}

function said(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

export function attachedLines(
  attached: readonly PendingAttachment[],
  theme: TerminalTheme,
  width: number,
) {
  if (attached.length === 0) return []
  const chips = attached.map(({ name, state }) => `[${name}${SIGNS[state]}]`).join(" ")
  const ways = isTypable(attached.at(-1)) ? `${REMOVES} · ^T edits it as text` : REMOVES
  return [oneLine(`${chips}  ${theme.quiet(ways)}`, width)]
}

/** Whether it can be edited as text: it is words. */
function isTypable(attached: PendingAttachment | undefined): boolean {
  return attached?.part !== undefined && isWords(attached.part)
}

const REMOVES = "backspace removes the last"
const SIGNS = { uploading: " …", ready: "", failed: " ✗" } as const

/** What an editor has selected, which goes along. */
export function ideLines(
  parts: readonly PartData[],
  theme: TerminalTheme,
  width: number,
): string[] {
  return parts.map((part) => {
    const { ref } = part as { ref?: { path?: string; range?: { start: number; end: number } } }
    const place = ref?.range ? `${ref.path}#L${ref.range.start}-${ref.range.end}` : part.type
    return oneLine(`[selection ${place}]  ${theme.quiet("backspace leaves it out")}`, width)
  })
}

export const STATES: Readonly<Record<SessionStatus["state"], string>> = {
  idle: "ready",
  busy: "answering",
  retrying: "trying again",
  waiting_on_approval: "waits for your approval",
  waiting_on_user_input: "waits for your answer",
  error: "errored",
}

/** One line: what it does, who answers, how much was said. */
export function statusLine(
  view: SessionView | undefined,
  { width, theme, connection, hint }: Status,
): string {
  if (!view) return theme.quiet(oneLine(connection, width))
  const { session, status, queue } = view
  const about = [
    connection === "open" ? STATES[status.state] : connection,
    session.metadata.ephemeral === true ? "sidecar" : undefined,
    showModelChoice(session.model),
    `${session.total_tokens} tokens`,
    session.cost_usd > 0 ? `$${session.cost_usd.toFixed(4)}` : undefined,
    queue.length > 0 ? `${queue.length} queued` : undefined,
    hint,
  ]
  return theme.quiet(oneLine(about.filter((words) => words !== undefined).join(" · "), width))
}

interface Status {
  readonly width: number
  readonly theme: TerminalTheme
  readonly connection: string
  readonly hint: string
}
