import { readFile } from "node:fs/promises"
import { errorMessage } from "compositor-core/message/untyped"
import type { PDFiumDocument, PDFiumLibrary, PDFiumPage } from "@hyzyla/pdfium"
import { cappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { MadeFiles } from "../made-files.ts"
import { LONGEST_SIDE, rawToPng } from "../picture.ts"
import { refuse } from "../refusal.ts"

const MAX_PDF_BYTES = 100 * 1024 * 1024
const HEADER_BYTES = 1024

/** A PDF: the text of its pages, or pictures of them. */
export async function readPdf(job: Job): Promise<ReaderAnswer> {
  const document = await opened(job)
  const pages = selected(job, document.getPageCount())
  if (job.to === "png") return { type: "files", ...(await pictures(job, document, pages)) }
  return texts(job, document, pages)
}

/** The pages that were asked for, as two numbers: those that there are. */
export async function countPages(job: Job): Promise<ReaderAnswer> {
  const document = await opened(job)
  const { first, last } = selected(job, document.getPageCount())
  return { type: "text", text: `${first} ${last}`, truncated: false }
}

async function opened(job: Job): Promise<PDFiumDocument> {
  const bytes = await pdfBytes(job)
  const { PDFiumLibrary } = await import("@hyzyla/pdfium")
  return loaded(await PDFiumLibrary.init(), bytes, job)
}

/** The PDF of the file; Illustrator's files have one behind a head of their own. */
async function pdfBytes({ file }: Job): Promise<Buffer> {
  if (file.size > MAX_PDF_BYTES) refuse(`${file.name} is larger than ${MAX_PDF_BYTES} bytes.`)
  const bytes = await readFile(file.path)
  const start = bytes.subarray(0, HEADER_BYTES).indexOf("%PDF-")
  return start >= 0 ? bytes.subarray(start) : refuse(`${file.name} is not a PDF.`)
}

async function loaded(
  library: PDFiumLibrary,
  bytes: Buffer,
  { file }: Job,
): Promise<PDFiumDocument> {
  try {
    return await library.loadDocument(bytes)
  } catch (error) {
    const message = errorMessage(error)
    if (/password|security/i.test(message))
      refuse(`${file.name} is encrypted, and needs a password.`)
    return refuse(`${file.name} is a damaged PDF: ${message.slice(0, 200)}`)
  }
}

interface Pages {
  readonly first: number
  readonly last: number
  readonly count: number
}

function selected({ fragment, file }: Job, count: number): Pages {
  if (count < 1) refuse(`${file.name} has no pages.`)
  if (fragment?.unit !== "page") return { first: 1, last: count, count }
  if (fragment.start > count)
    refuse(`${file.name} has ${count} pages, and no page ${fragment.start}.`)
  return { first: fragment.start, last: Math.min(fragment.end, count), count }
}

async function texts(job: Job, document: PDFiumDocument, pages: Pages): Promise<ReaderAnswer> {
  const empty: number[] = []
  const answer = await cappedText(job.limits.text_bytes, (text) => {
    for (let number = pages.first; number <= pages.last; number++) {
      const words = pageText(document.getPage(number - 1))
      if (words === "") empty.push(number)
      else text.line(`${text.length > 0 ? "\n" : ""}## Page ${number}\n\n${words}`)
    }
    return notes(pages, empty)
  })
  if (answer.text !== "") return answer
  const { files } = await pictures(job, document, pages)
  return { type: "scanned", files }
}

function pageText(page: PDFiumPage): string {
  // It marks a hyphen at the end of a line by a character that is none.
  return page
    .getText()
    .replaceAll("\ufffe", "-")
    .replaceAll("\0", "")
    .replaceAll("\r\n", "\n")
    .trim()
}

function notes({ first, last, count }: Pages, empty: readonly number[]): string {
  const part = first === 1 && last === count ? "" : `Pages ${first}-${last} of ${count}. `
  if (empty.length === 0) return part.trim()
  const numbers = empty.slice(0, 20).join(", ")
  return `${part}${empty.length} pages have no text (${numbers}); convert them to png to see them.`
}

async function pictures(job: Job, document: PDFiumDocument, { first, last, count }: Pages) {
  const made = new MadeFiles(job)
  const end = Math.min(last, first + job.limits.pages - 1)
  const digits = String(count).length
  for (let number = first; number <= end; number++) {
    const picture = await rendered(document.getPage(number - 1))
    const suffix = `-page-${String(number).padStart(digits, "0")}.png`
    await made.add(suffix, "image/png", await rawToPng(job, picture))
  }
  const cut = end < last ? { note: `Pages ${first}-${end} of ${count}; ask for the others.` } : {}
  return { files: made.files, ...cut }
}

async function rendered(page: PDFiumPage) {
  const { originalWidth, originalHeight } = page.getOriginalSize()
  const longest = Math.max(originalWidth, originalHeight, 1)
  // Never more pixels than the side allows, however large the page says it is.
  const scale = Math.min(LONGEST_SIDE / longest, 3)
  const width = Math.max(1, Math.floor(originalWidth * scale))
  const height = Math.max(1, Math.floor(originalHeight * scale))
  return page.render({ width, height, render: "bitmap", renderFormFields: true })
}
