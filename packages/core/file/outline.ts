const HEAD_LINES = 30
const TAIL_LINES = 10
/** A file may be one long line: an outline is short all the same. */
const HEAD_CHARACTERS = 2400
const TAIL_CHARACTERS = 800

/** The beginning and the end of a text, and how much lies between; the text itself when it is not
 *  longer. */
export function outline(text: string): string {
  const head = headOf(text)
  const tail = tailOf(text)
  if (head.length + tail.length >= text.length) return text
  const between = text.slice(head.length, text.length - tail.length)
  return `${head}${gap(between, head)}${tail}`.toWellFormed()
}

function headOf(text: string): string {
  let end = 0
  for (let line = 0; line < HEAD_LINES; line++) {
    const feed = text.indexOf("\n", end)
    if (feed < 0) return text.slice(0, HEAD_CHARACTERS)
    end = feed + 1
  }
  return text.slice(0, Math.min(end, HEAD_CHARACTERS))
}

function tailOf(text: string): string {
  let start = text.endsWith("\n") ? text.length - 1 : text.length
  for (let line = 0; line < TAIL_LINES && start > 0; line++)
    start = text.lastIndexOf("\n", start - 1)
  return text.slice(Math.max(start + 1, text.length - TAIL_CHARACTERS))
}

function gap(between: string, head: string): string {
  const lines = between.split("\n").length - 1
  const what = lines > 1 ? `${lines} lines` : `${between.length} characters`
  return `${head.endsWith("\n") ? "" : "\n"}[${what} left out]\n`
}

/** As much of the beginning as fits, by whole lines where there are any. */
export function beginning(text: string, bytes: number): string {
  const head = new TextDecoder("utf-8", { ignoreBOM: true })
    .decode(new TextEncoder().encode(text).subarray(0, bytes))
    .replace(/\ufffd$/, "")
  const feed = head.lastIndexOf("\n")
  return feed > 0 ? head.slice(0, feed + 1) : head
}
