import { type Component, visibleWidth } from "@earendil-works/pi-tui"
import { partOf } from "compositor-core/compose/keep-parts"
import type { StoredMessage, StoredPart } from "compositor-core/message/row"
import { chipOf, openPart } from "compositor-core/parts/table"
import { readToolPart, type ToolPart, toolNameOf } from "compositor-core/message/tool-part"
import { oneLine, cleanForScreen, wrapText } from "./terminal-text.ts"
import type { TerminalTheme } from "./theme.ts"

export interface Note {
  /** An x-ray is open until it is closed; the others stay until something is sent. */
  readonly kind: "shown" | "xray" | "notice" | "error"
  readonly text: string
}

interface Drawn {
  readonly message: StoredMessage
  readonly width: number
  readonly lines: readonly string[]
}

/** What was said, oldest first, and below it what only this terminal was told. A message is drawn again
 *  only when it changed. */
export class LogView implements Component {
  readonly #theme: TerminalTheme
  readonly #drawn = new Map<string, Drawn>()
  #messages: readonly StoredMessage[] = []
  #notes: readonly Note[] = []
  #isWhole = true

  constructor(theme: TerminalTheme) {
    this.#theme = theme
  }

  show(messages: readonly StoredMessage[], notes: readonly Note[], isWhole = true) {
    this.#isWhole = isWhole
    if (messages !== this.#messages) {
      const shown = new Set(messages.map(({ id }) => id))
      for (const id of this.#drawn.keys()) if (!shown.has(id)) this.#drawn.delete(id)
    }
    this.#messages = messages
    this.#notes = notes
  }

  invalidate() {
    this.#drawn.clear()
  }

  render(width: number): string[] {
    const said = this.#messages.flatMap((message) => this.#draw(message, width))
    const older = this.#isWhole ? [] : [this.#theme.quiet(oneLine(OLDER, width)), ""]
    return [...older, ...said, ...this.#notes.flatMap((note) => [...this.#note(note, width), ""])]
  }

  #draw(message: StoredMessage, width: number): readonly string[] {
    const known = this.#drawn.get(message.id)
    if (known?.message === message && known.width === width) return known.lines
    const lines = [...this.#message(message, width)]
    this.#drawn.set(message.id, { message, width, lines })
    return lines
  }

  #message({ role, parts, metadata }: StoredMessage, width: number): string[] {
    const { accent, bad, quiet } = this.#theme
    if (metadata.boundary === true) return [quiet(oneLine(BOUNDARY, width)), ""]
    if (role === "user") {
      const lines = parts.filter(isShown).flatMap((part) => wrapText(said(part), width - 2))
      if (lines.length === 0) return []
      return [...lines.map((line, at) => `${at === 0 ? accent(">") : " "} ${line}`), ""]
    }
    const lines = parts.flatMap((part) => this.#part(part, width))
    const { error, finish } = metadata as { error?: { message?: string }; finish?: string }
    if (error?.message) lines.push(...wrapText(bad(`✗ ${cleanForScreen(error.message)}`), width))
    const cut = finish === undefined ? undefined : CUT.get(finish)
    if (cut !== undefined) lines.push(quiet(oneLine(cut, width)))
    return lines.length === 0 ? [] : [...lines, ""]
  }

  #part(part: StoredPart, width: number): string[] {
    const { type, data } = part
    const { text } = data as { text?: unknown }
    const isText = typeof text === "string"
    if (type === "reasoning" && isText)
      return wrapText(this.#theme.quiet(cleanForScreen(text)), width)
    if (toolNameOf(type) !== undefined) return this.#call(data, width)
    if (!isText) return [this.#theme.quiet(`[${type}]`)]
    return wrapText(this.#marked(cleanForScreen(text.trimEnd())), width)
  }

  /** One line, or a second one for what came of it. */
  #call(data: unknown, width: number): string[] {
    const { good, bad, quiet } = this.#theme
    const call = readToolPart(data)
    if (!call) return [quiet("[call]")]
    const { state, input, error_text, output } = call
    const sign = { "output-available": good("✓"), "output-error": bad("✗") }[state as string] ?? "…"
    const about = error_text ?? resultOf(output)
    const words = `${toolNameOf(call.type)} ${input === undefined ? "" : JSON.stringify(input)}`
    const result = about === "" ? "" : ` → ${about}`
    const room = width - 2
    if (visibleWidth(cleanForScreen(`${words}${result}`)) <= room || result === "")
      return [`${sign} ${oneLine(`${words}${result}`, room)}`]
    return [`${sign} ${oneLine(words, room)}`, `  ${oneLine(result, room)}`]
  }

  /** Headings and what is marked as strong or as code stand out; nothing else is changed, and nothing at
   *  all between fences. */
  #marked(text: string): string {
    const { quiet } = this.#theme
    let fence: string | undefined
    const lines = text.split("\n").map((line) => {
      const [mark] = FENCE.exec(line) ?? []
      if (fence === undefined && mark === undefined) return this.#prose(line)
      if (mark === undefined || (fence !== undefined && !closes(line, fence))) return line
      fence = fence === undefined ? mark.trim() : undefined
      return quiet(line)
    })
    return lines.join("\n")
  }

  #prose(line: string): string {
    const { strong, accent } = this.#theme
    return line
      .replace(/^#{1,6} .*$/, (heading) => strong(heading))
      .replace(/\*\*[^*\n]+\*\*/g, (words) => strong(words))
      .replace(/`[^`\n]+`/g, (code) => accent(code))
  }

  #note({ kind, text }: Note, width: number): string[] {
    const { quiet, bad } = this.#theme
    const lines = wrapText(cleanForScreen(kind === "error" ? `✗ ${text}` : text), width)
    if (kind === "shown" || kind === "xray") return lines
    return lines.map((line) => (kind === "error" ? bad(line) : quiet(line)))
  }
}

/** How an answer ended that is not whole. */
const CUT: ReadonlyMap<string, string> = new Map([
  ["abort", "■ stopped"],
  ["interrupted", "■ cut off by a crash"],
])
const OLDER = "… what was said before is not shown here: the page shows it, or compositor inspect"
const BOUNDARY = "── a sidecar: what is said here stays here, unless /bring takes it back ──"
const FENCE = /^ {0,3}(?:`{3,}|~{3,})/

// By its own sign, as long as it was or longer, and alone.
function closes(line: string, fence: string): boolean {
  const words = line.trim()
  return words.startsWith(fence) && words.replaceAll(fence[0] ?? "", "") === ""
}

/** What a tool answered: its data, and the text that stands beside them. */
function resultOf(output: ToolPart["output"]): string {
  const texts = (output?.blocks ?? []).map(({ text }) => (typeof text === "string" ? text : ""))
  const data = output?.data === undefined ? "" : JSON.stringify(output.data)
  return [data, ...texts].filter((piece) => piece !== "").join(" ")
}

function isShown({ data }: StoredPart): boolean {
  return !("derived_from" in data) && !("argument_of" in data)
}

/** A part of what a person said, as one would write it. */
function said(row: StoredPart): string {
  const part = openPart(partOf(row))
  return cleanForScreen(chipOf(part).line(part))
}
