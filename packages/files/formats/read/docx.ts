import { cappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { Flow } from "../flow.ts"
import { mainPart, type Relationship, relationId, relationships } from "../office-package.ts"
import { type XmlAttributes, attribute, readXml, type XmlEvents } from "../read-xml.ts"
import { ZipPackage } from "../zip-package.ts"
import { type DocxStyles, readNumbering, readStyles } from "./docx-styles.ts"

/** The text of a Word document with its headings, lists, tables, links and notes. */
export async function readDocx(job: Job): Promise<ReaderAnswer> {
  const zip = await ZipPackage.open(job.file.path)
  const part = await mainPart(zip)
  const links = await relationships(zip, part)
  const styles = await stylesOf(zip, links)
  return cappedText(job.limits.text_bytes, async (text) => {
    const flow = new Flow(text)
    await readXml(zip.chunks(part), bodyEvents(flow, styles, links))
    for (const { type, title } of NOTES) {
      const notes = partOf(links, type)
      if (!notes || !zip.has(notes)) continue
      flow.begin("## ")
      flow.say(title)
      flow.end()
      await readXml(zip.chunks(notes), bodyEvents(flow, styles, links))
    }
  })
}

const NOTES = [
  { type: "footnotes", title: "Footnotes" },
  { type: "endnotes", title: "Endnotes" },
  { type: "comments", title: "Comments" },
] as const

async function stylesOf(
  zip: ZipPackage,
  links: ReadonlyMap<string, Relationship>,
): Promise<DocxStyles> {
  const styles = partOf(links, "styles")
  const numbering = partOf(links, "numbering")
  return {
    levels: styles && zip.has(styles) ? await readStyles(zip.chunks(styles)) : new Map(),
    ordered:
      numbering && zip.has(numbering) ? await readNumbering(zip.chunks(numbering)) : new Set(),
  }
}

function partOf(links: ReadonlyMap<string, Relationship>, type: string): string | undefined {
  return links.values().find((link) => link.type === type)?.target
}

interface Paragraph {
  level?: number | undefined
  list?: string | undefined
  depth: number
}

/** What one part of a document means, element by element. Several parts have the same grammar. */
function bodyEvents(
  flow: Flow,
  { levels, ordered }: DocxStyles,
  links: ReadonlyMap<string, Relationship>,
): XmlEvents {
  const counters = new Map<string, number>()
  const targets: string[] = []
  let paragraph: Paragraph = { depth: 0 }
  let begun = false
  let inRun = false
  let inText = false
  // The older form of what was said already: each text box has one.
  let skipped = 0
  const say = (words: string) => {
    if (!begun) beginParagraph(flow, paragraph, { ordered, counters })
    begun = true
    flow.say(words)
  }
  const opened: Readonly<Record<string, (attributes: XmlAttributes) => void>> = {
    p: () => {
      paragraph = { depth: 0 }
      begun = false
    },
    pStyle: (attributes) => {
      paragraph.level ??= levels.get(attribute(attributes, "val") ?? "")
    },
    outlineLvl: (attributes) => {
      const level = Number(attribute(attributes, "val")) + 1
      if (level <= 6) paragraph.level = level
    },
    ilvl: (attributes) => {
      paragraph.depth = Math.min(Number(attribute(attributes, "val")) || 0, 8)
    },
    numId: (attributes) => {
      paragraph.list = attribute(attributes, "val")
    },
    r: () => {
      inRun = true
    },
    t: () => {
      inText = true
    },
    tab: () => {
      if (inRun) say("\t")
    },
    br: () => say("\n"),
    cr: () => say("\n"),
    noBreakHyphen: () => say("-"),
    docPr: (attributes) => {
      const description = attribute(attributes, "descr") || attribute(attributes, "name")
      say(`[image${description ? `: ${description.slice(0, 300)}` : ""}]`)
    },
    footnoteReference: (attributes) => say(`[^${attribute(attributes, "id") ?? ""}]`),
    endnoteReference: (attributes) => say(`[^e${attribute(attributes, "id") ?? ""}]`),
    hyperlink: (attributes) => {
      targets.push(links.get(relationId(attributes))?.target ?? "")
    },
    tbl: () => flow.openTable(),
    tr: () => flow.openRow(),
    tc: () => flow.openCell(),
  }
  const closed: Readonly<Record<string, () => void>> = {
    p: () => flow.end(),
    r: () => {
      inRun = false
    },
    t: () => {
      inText = false
    },
    hyperlink: () => {
      const target = targets.pop()
      if (target) say(` (${target.slice(0, 500)})`)
    },
    tr: () => flow.closeRow(),
    tbl: () => flow.closeTable(),
  }
  return {
    open: (name, attributes) => {
      if (name === "Fallback" || skipped > 0) skipped += 1
      else if (Object.hasOwn(opened, name)) opened[name]?.(attributes)
    },
    text: (words) => {
      if (inText && skipped === 0) say(words)
    },
    close: (name) => {
      if (skipped > 0) skipped -= 1
      else if (Object.hasOwn(closed, name)) closed[name]?.()
    },
  }
}

function beginParagraph(
  flow: Flow,
  { level, list, depth }: Paragraph,
  lists: { readonly ordered: ReadonlySet<string>; readonly counters: Map<string, number> },
): void {
  if (level !== undefined) return flow.heading(level)
  // Zero takes a paragraph out of the list that its style would put it in.
  if (list === undefined || list === "0") return flow.begin()
  const key = `${list}:${depth}`
  const count = (lists.counters.get(key) ?? 0) + 1
  if (lists.counters.size < MAX_LISTS) lists.counters.set(key, count)
  flow.begin(`${"  ".repeat(depth)}${lists.ordered.has(key) ? `${count}.` : "-"} `, "item")
}

const MAX_LISTS = 10_000
