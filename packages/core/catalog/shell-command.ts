/** A command for `sh` that is put together from what the file says and what the user typed. */
type ShellCommand =
  | { readonly type: "command"; readonly command: string }
  | { readonly type: "refused"; readonly reason: string }

export type ShellPiece =
  /** Shell code, as the file has it. */
  | { readonly type: "code"; readonly text: string }
  /** Words the user typed: data, wherever they stand. */
  | { readonly type: "value"; readonly words: readonly string[]; readonly raw: string }

/** Put the values in so that `sh` reads each as data. Where the file itself opened a quote, the
 *  quote is closed before the value and opened again behind it; where no quoting would help (a
 *  comment, a here-document, a string that another shell will read), it is refused. */
export function shellCommand(pieces: readonly ShellPiece[]): ShellCommand {
  const reader = new CodeReader()
  let command = ""
  for (const piece of pieces) {
    if (piece.type === "code") {
      reader.read(piece.text)
      command += piece.text
      continue
    }
    const quoted = quotedFor(reader, piece.words)
    if (quoted === undefined)
      return refused(`${piece.raw} stands where sh would read it as code: ${reader.place}`)
    command += quoted
  }
  if (command.includes("\0")) return refused("the command holds a NUL character")
  return { type: "command", command }
}

function refused(reason: string): ShellCommand {
  return { type: "refused", reason }
}

function quotedFor(reader: CodeReader, words: readonly string[]): string | undefined {
  switch (reader.place) {
    case "code":
      return words.length === 0 ? "''" : words.map(quote).join(" ")
    case "double quotes":
      return `"${quote(words.join(" "))}"`
    case "single quotes":
      return `'${quote(words.join(" "))}'`
    case "after a backslash":
    case "a comment":
    case "a here-document":
    case "backticks":
    case "an expansion":
    case "a program for another interpreter":
      return undefined
  }
}

/** One word for `sh`, whatever is in it. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

type Place =
  | "code"
  | "double quotes"
  | "single quotes"
  | "after a backslash"
  | "a comment"
  | "a here-document"
  | "backticks"
  | "an expansion"
  | "a program for another interpreter"

/** Follows shell code character by character and knows how a value that came next would be read. */
class CodeReader {
  #quote: "none" | "double" | "single" = "none"
  #escaped = false
  #comment = false
  #lost: Place | undefined
  #before = ""
  #code = ""

  get place(): Place {
    if (this.#lost) return this.#lost
    if (this.#comment) return "a comment"
    if (this.#escaped) return "after a backslash"
    if (this.#isProgram()) return "a program for another interpreter"
    if (this.#quote === "none") return "code"
    return this.#quote === "double" ? "double quotes" : "single quotes"
  }

  read(text: string): void {
    this.#code += text
    for (const character of text.replace(CLOSED, masked)) {
      this.#step(character)
      this.#before = character
    }
  }

  #step(character: string): void {
    if (this.#comment) this.#comment = character !== "\n"
    else if (this.#escaped) this.#escaped = false
    else if (this.#quote === "single") this.#inSingle(character)
    else if (this.#quote === "double") this.#inDouble(character)
    else this.#inCode(character)
  }

  #inSingle(character: string): void {
    if (character === "'") this.#quote = "none"
  }

  #inDouble(character: string): void {
    if (character === "\\") this.#escaped = true
    else if (character === '"') this.#quote = "none"
    else this.#nested(character)
  }

  #inCode(character: string): void {
    if (character === "\\") this.#escaped = true
    else if (character === '"') this.#quote = "double"
    else if (character === "'" && this.#before === "$") this.#lost ??= "an expansion"
    else if (character === "'") this.#quote = "single"
    else if (character === "#" && /[\s;&|()]|^$/.test(this.#before)) this.#comment = true
    else if (character === "<" && this.#before === "<") this.#lost ??= "a here-document"
    else this.#nested(character)
  }

  // `$(…)`, `${…}`, `$[…]` and backticks start a grammar of their own. Beyond the simple ones we do
  // not follow them to their end, so no value is put behind their beginning.
  #nested(character: string): void {
    if (character === "`") this.#lost ??= "backticks"
    else if (this.#before === "$" && /[({[]/.test(character)) this.#lost ??= "an expansion"
  }

  #isProgram(): boolean {
    if (READS_CODE.test(this.#code)) return true
    return this.#quote !== "none" && READS_QUOTED_CODE.test(this.#code)
  }
}

/** Expansions without quotes or code in them: they end where they seem to. */
const CLOSED = /\$(?:\([\w \t./=:,+%@-]*\)|\{\w+\})/g

function masked(expansion: string): string {
  return "x".repeat(expansion.length)
}

/** What takes a string and runs it: quoting for `sh` does not reach the one behind it. */
const READS_CODE =
  /(?:^|[\s;&|(/])(?:eval|ssh|su|xargs|watch|(?:(?:ba|da|a|k|z|fi|c|tc)?sh|python[\d.]*|perl|ruby|node|php|lua)(?:\s+-\S+)*\s+-(?:\w{0,3}[ce]|[Erp]|-eval|-exec|-print))(?=[\s=]|$)/
const READS_QUOTED_CODE = /(?:^|[\s;&|(/])(?:[gm]?awk|sed|jq)(?=\s)/
