import { cappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { wholeText } from "../decode-text.ts"
import { Flow } from "../flow.ts"
import { writeHtml } from "../write-html.ts"
import { readText } from "./text.ts"

const MAX_HTML_BYTES = 24 * 1024 * 1024

/** A page as someone reads it; lines of it are lines of its source. */
export async function readHtml(job: Job): Promise<ReaderAnswer> {
  if (job.fragment) return readText(job)
  const html = await wholeText(job.file, MAX_HTML_BYTES)
  return cappedText(job.limits.text_bytes, (text) => writeHtml(html, new Flow(text)))
}
