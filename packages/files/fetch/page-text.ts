import { cappedText } from "../formats/capped-text.ts"
import { Flow } from "../formats/flow.ts"
import { writeHtml } from "../formats/write-html.ts"

const MAX_TEXT_BYTES = 4 * 1024 * 1024

/** What a reader of a page sees, without its scripts and its looks. */
export async function pageText(html: string): Promise<string> {
  const read = await cappedText(MAX_TEXT_BYTES, (text) => writeHtml(html, new Flow(text)))
  return read.type === "text" ? read.text : html
}
