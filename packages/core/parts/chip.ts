/** How a surface shows a part: data and pure functions, so that a browser needs nothing else of it. */
export interface PartChip<Part> {
  /** What a page draws it as: words of the sentence, a quoted block, a card beside the message, a chip
   *  within the sentence, or a chip that says that nobody here knows the part. */
  readonly look: "words" | "quote" | "card" | "chip" | "unsupported"
  readonly tone: "accent" | "violet" | "info" | "warn" | "good" | "plain"
  readonly icon: "file" | "none"
  /** A few words for it, on a page. */
  label(part: Part): string
  /** What is shown when somebody points at it; empty where that is nothing. */
  title(part: Part): string
  /** How it is called in a draft: `[shot.png]`. */
  mark(part: Part): string
  /** One or more lines for it, in a terminal. */
  line(part: Part): string
  /** The file that a card shows. */
  file(part: Part): readonly [] | readonly [ShownFile]
  /** What a parser has to know to find it in a text again. */
  needs(part: Part): readonly KnownWord[]
}

/** A file on a card: its bytes are in it, in the blob store, or nowhere. */
export interface ShownFile {
  readonly name: string
  readonly mime: string
  readonly size?: number | undefined
  /** In base64. */
  readonly data?: string | undefined
  readonly content_id?: string | undefined
}

/** A word that makes something of what was typed: the name of a command, a kind of mention, a server. */
interface KnownWord {
  readonly of: "command" | "mention" | "server"
  readonly name: string
}

export function noTitle(): string {
  return ""
}

/** The first of some values that is text. */
export function firstText(values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === "string")
}
/** Says that a chip has nothing of what is asked for. */
export function nothing(): [] {
  return []
}
