export interface ScanRequest {
  readonly source: string
  readonly flags: string
  /** A word, and not an expression. */
  readonly plain: boolean
  readonly texts: readonly string[]
  readonly most: number
}

export interface LineMatch {
  /** Which of the texts. */
  readonly file: number
  /** From 1. */
  readonly line: number
  /** As much of it as is shown. */
  readonly text: string
}

export const SHOWN_CHARACTERS = 500
/** Of a longer line, only the beginning is searched. */
const MAX_LINE_CHARACTERS = 64 * 1024

/** The lines of some texts that match. */
export function matchLines({ source, flags, plain, texts, most }: ScanRequest): LineMatch[] {
  const expression = new RegExp(source, flags)
  const found: LineMatch[] = []
  for (const [file, text] of texts.entries()) {
    if (plain && !text.includes(source)) continue
    let line = 0
    for (const start of lineStarts(text)) {
      line += 1
      const end = lineEnd(text, start)
      const content = text.slice(start, Math.min(end, start + MAX_LINE_CHARACTERS))
      if (plain ? !content.includes(source) : !expression.test(content)) continue
      found.push({ file, line, text: content.slice(0, SHOWN_CHARACTERS) })
      if (found.length >= most) return found
    }
  }
  return found
}

function* lineStarts(text: string): Iterable<number> {
  for (let at = 0; at < text.length; ) {
    yield at
    const feed = text.indexOf("\n", at)
    if (feed < 0) return
    at = feed + 1
  }
}

function lineEnd(text: string, start: number): number {
  const feed = text.indexOf("\n", start)
  const end = feed < 0 ? text.length : feed
  return text[end - 1] === "\r" && end > start ? end - 1 : end
}
