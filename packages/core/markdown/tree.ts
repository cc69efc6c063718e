/** A part of a Markdown text that stands on lines of its own. Plain data: what draws it decides what
 *  it looks like, and nothing in it is markup to be inserted. */
export type MarkdownBlock =
  | { readonly type: "heading"; readonly level: number; readonly children: MarkdownInlines }
  | { readonly type: "paragraph"; readonly children: MarkdownInlines }
  /** Fenced or indented code, without its last line break. */
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "quote"; readonly blocks: readonly MarkdownBlock[] }
  | {
      readonly type: "list"
      /** The first number; a list of bullets has none. */
      readonly start: number | null
      /** Its items are lines rather than paragraphs. */
      readonly tight: boolean
      readonly items: readonly MarkdownListItem[]
    }
  | {
      readonly type: "table"
      readonly align: readonly MarkdownAlign[]
      readonly head: readonly MarkdownInlines[]
      readonly rows: readonly (readonly MarkdownInlines[])[]
    }
  | { readonly type: "rule" }
  /** Raw HTML: it is shown as the text it is. */
  | { readonly type: "html"; readonly text: string }
  /** Says where the links that name its label lead to. It is not drawn. */
  | { readonly type: "definition"; readonly label: string }

/** `checked` is null for an item that is no task. */
export interface MarkdownListItem {
  readonly checked: boolean | null
  readonly blocks: readonly MarkdownBlock[]
}

export type MarkdownAlign = "left" | "center" | "right" | null

/** A part of a line. */
export type MarkdownInline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "code"; readonly text: string }
  /** A line break; a hard one was asked for by two spaces or a backslash. */
  | { readonly type: "break"; readonly hard: boolean }
  | { readonly type: "strong" | "emphasis" | "deleted"; readonly children: MarkdownInlines }
  | (MarkdownTarget & { readonly type: "link"; readonly children: MarkdownInlines })
  | (MarkdownTarget & { readonly type: "image"; readonly alt: string })
  | { readonly type: "html"; readonly text: string }

export type MarkdownInlines = readonly MarkdownInline[]

export interface MarkdownTarget {
  /** The address as it was written, whatever it is: to be shown, not to be opened. */
  readonly destination: string
  /** The same address if a click may open it: the web or a mail, never a script or a file. */
  readonly opens: string | null
  readonly title: string
}
