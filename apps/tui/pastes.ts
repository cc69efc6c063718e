/** Pasted text that an editor would change or that would fill the screen stands there as a mark, and is
 *  itself again when the message is sent. */
export class Pastes {
  readonly #texts = new Map<string, string>()
  #count = 0

  /** What to put into the editor in its place; the text itself where that is as good. */
  markFor(text: string): string {
    const lines = text.split("\n").length
    if (lines <= MAX_SHOWN_LINES && !text.includes("\t")) return text
    const mark = `[pasted ${lines} line${lines === 1 ? "" : "s"} #${++this.#count}]`
    this.#texts.set(mark, text)
    return mark
  }

  /** A source as the editor can show it and give it back: lines that it would change stand as marks. */
  shown(source: string): string {
    return source.replace(TABBED, (lines) => this.markFor(lines))
  }

  /** The source with every mark that is still there replaced by what it stands for, once. */
  expand(source: string): string {
    if (this.#texts.size === 0) return source
    return source.replace(MARK, (mark) => this.#texts.get(mark) ?? mark)
  }

  clear() {
    this.#texts.clear()
  }
}

const MAX_SHOWN_LINES = 10
const TABBED = /^.*\t.*(?:\n.*\t.*)*$/gm
const MARK = /\[pasted \d+ lines? #\d+\]/g

const OPEN = "\u001b[200~"
const CLOSE = "\u001b[201~"

/** What was pasted, if this is a paste; a terminal sends the ends of lines as returns. */
export function pastedText(data: string): string | undefined {
  if (!data.startsWith(OPEN) || !data.endsWith(CLOSE)) return undefined
  return data.slice(OPEN.length, -CLOSE.length).replace(/\r\n?/g, "\n")
}
