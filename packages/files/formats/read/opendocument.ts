import { cappedText, type CappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { Flow } from "../flow.ts"
import { type XmlAttributes, attribute, readXml, type XmlEvents } from "../read-xml.ts"
import { refuse } from "../refusal.ts"
import { ZipPackage } from "../zip-package.ts"
import { sheetEvents } from "./ods.ts"

const CONTENT = "content.xml"
const MANIFEST = "META-INF/manifest.xml"

/** Text documents, presentations and sheets of the OpenDocument family. */
export async function readOpenDocument(job: Job): Promise<ReaderAnswer> {
  const zip = await ZipPackage.open(job.file.path)
  if (await isEncrypted(zip)) refuse(`${job.file.name} is encrypted, and needs a password.`)
  return cappedText(job.limits.text_bytes, async (text) => {
    const events =
      /spreadsheet/.test(job.file.mime) || /\.f?ods$/i.test(job.file.name)
        ? sheetEvents(text, job)
        : textEvents(text, job)
    await readXml(zip.chunks(CONTENT), events)
    return events.note()
  })
}

async function isEncrypted(zip: ZipPackage): Promise<boolean> {
  if (!zip.has(MANIFEST)) return false
  let encrypted = false
  await readXml(zip.chunks(MANIFEST), {
    open: (name) => {
      encrypted ||= name === "encryption-data"
    },
  })
  return encrypted
}

export interface NotedEvents extends XmlEvents {
  /** What is to say when all is read; refuses when nothing of what was asked for came by. */
  readonly note: () => string | undefined
}

const MAX_LIST_DEPTH = 8
const MAX_SPACES = 100

function textEvents(text: CappedText, { fragment, file }: Job): NotedEvents {
  const pages = fragment?.unit === "page" ? fragment : undefined
  const targets: string[] = []
  let flow = new Flow(text)
  let page = 0
  let lists = 0
  let item = false
  let paragraphs = 0
  const wanted = () => pages === undefined || (page >= pages.start && page <= pages.end)
  const begin = (prefix: "text" | number) => {
    paragraphs += 1
    if (paragraphs > 1) return
    if (typeof prefix === "number") flow.heading(prefix)
    else if (lists > 0 && item) flow.begin(`${"  ".repeat(lists - 1)}- `, "item")
    else flow.begin()
    item = false
  }
  const startPage = (attributes: XmlAttributes) => {
    page += 1
    if (!wanted()) return
    flow.end()
    text.line(
      `${text.length > 0 ? "\n" : ""}## Slide ${page}: ${attribute(attributes, "name") ?? ""}\n`,
    )
    flow = new Flow(text)
  }
  return {
    open: (name, attributes) => {
      if (name === "page") return startPage(attributes)
      if (!wanted()) return
      if (name === "h") begin(Number(attribute(attributes, "outline-level")) || 1)
      else if (name === "p") begin("text")
      else if (name === "list") lists = Math.min(lists + 1, MAX_LIST_DEPTH)
      else if (name === "list-item") item = true
      else if (name === "table") flow.openTable()
      else if (name === "table-row") flow.openRow()
      else if (name === "table-cell") flow.openCell()
      else if (name === "s")
        flow.say(" ".repeat(Math.min(Number(attribute(attributes, "c") ?? 1), MAX_SPACES)))
      else if (name === "tab") flow.say("\t")
      else if (name === "line-break") flow.say("\n")
      else if (name === "a") targets.push(attribute(attributes, "href") ?? "")
    },
    text: (words) => {
      if (paragraphs > 0 && wanted()) flow.say(words.replace(/\s+/g, " "))
    },
    close: (name) => {
      if (!wanted()) return
      if (name === "h" || name === "p") {
        paragraphs = Math.max(0, paragraphs - 1)
        if (paragraphs === 0) flow.end()
      } else if (name === "list") lists = Math.max(0, lists - 1)
      else if (name === "table-row") flow.closeRow()
      else if (name === "table") flow.closeTable()
      else if (name === "a") {
        const target = targets.pop()
        if (target && /^(?:https?|mailto):/i.test(target)) flow.say(` (${target.slice(0, 500)})`)
      }
    },
    note: () => {
      if (pages && page < pages.start)
        refuse(`${file.name} has ${page} slides, and no slide ${pages.start}.`)
      return pages ? `Slides ${pages.start}-${Math.min(pages.end, page)} of ${page}.` : undefined
    },
  }
}
