import type { CappedText } from "./capped-text.ts"

type Kind = "paragraph" | "item"

/** Writes a document as it is read: headings, paragraphs, lists and tables in Markdown. Nothing is
 *  kept back, so a document of any length costs the same. */
export class Flow {
  readonly #text: CappedText
  readonly #tables: { row: number; cells: number }[] = []
  #prefix: string | undefined
  #kind: Kind = "paragraph"
  #last: Kind | "nothing" | "table" = "nothing"
  #open = false

  constructor(text: CappedText) {
    this.#text = text
  }

  /** The next words begin a paragraph with this before them. */
  begin(prefix = "", kind: Kind = "paragraph"): void {
    this.#prefix = prefix
    this.#kind = kind
  }

  heading(level: number): void {
    this.begin(`${"#".repeat(Math.min(Math.max(level, 1), 6))} `)
  }

  say(words: string): void {
    if (words === "") return
    if (this.#tables.length > 0) return this.#text.write(words.replace(/\s+|\|/g, inCell))
    if (!this.#open) this.#start()
    this.#text.write(words)
  }

  end(): void {
    this.#prefix = undefined
    if (this.#tables.length > 0) return this.#text.write(" ")
    if (!this.#open) return
    this.#text.write("\n")
    this.#open = false
    this.#last = this.#kind
    this.#kind = "paragraph"
  }

  openTable(): void {
    if (this.#tables.length === 0) {
      this.end()
      if (this.#last !== "nothing") this.#text.write("\n")
    }
    this.#tables.push({ row: 0, cells: 0 })
  }

  openRow(): void {
    const table = this.#tables.at(-1)
    if (table) table.cells = 0
  }

  openCell(): void {
    const table = this.#tables.at(-1)
    if (!table) return
    table.cells += 1
    this.#text.write(this.#tables.length === 1 ? "| " : " ")
  }

  closeRow(): void {
    const table = this.#tables.at(-1)
    if (!table) return
    // A table within a cell has no lines of its own.
    if (this.#tables.length > 1) return this.#text.write("; ")
    if (table.cells === 0) return
    this.#text.write("|\n")
    if (table.row === 0) this.#text.write(`${"| --- ".repeat(Math.min(table.cells, 200))}|\n`)
    table.row += 1
  }

  closeTable(): void {
    this.#tables.pop()
    if (this.#tables.length === 0) this.#last = "table"
  }

  #start(): void {
    const together = this.#last === "item" && this.#kind === "item"
    if (this.#last !== "nothing" && !together) this.#text.write("\n")
    this.#text.write(this.#prefix ?? "")
    this.#open = true
  }
}

function inCell(found: string): string {
  return found === "|" ? "\\|" : " "
}
