import { type CappedText, cappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { Flow } from "../flow.ts"
import { mainPart, relationId, relationships } from "../office-package.ts"
import { attribute, readXml, type XmlEvents } from "../read-xml.ts"
import { refuse } from "../refusal.ts"
import { ZipPackage } from "../zip-package.ts"

const MAX_SLIDES = 10_000

/** The text of a presentation, slide by slide, with titles, lists, tables and notes. */
export async function readPptx(job: Job): Promise<ReaderAnswer> {
  const zip = await ZipPackage.open(job.file.path)
  const slides = await slidesOf(zip)
  const [first, last] = selected(job, slides.length)
  return cappedText(job.limits.text_bytes, async (text) => {
    for (let number = first; number <= last; number++)
      await writeSlide(zip, { part: slides[number - 1] ?? "", number }, text)
    const all = first === 1 && last === slides.length
    return all ? undefined : `Slides ${first}-${last} of ${slides.length}.`
  })
}

async function slidesOf(zip: ZipPackage): Promise<string[]> {
  const presentation = await mainPart(zip)
  const links = await relationships(zip, presentation)
  const slides: string[] = []
  await readXml(zip.chunks(presentation), {
    open: (name, attributes) => {
      const target = name === "sldId" ? links.get(relationId(attributes))?.target : undefined
      if (target && slides.length < MAX_SLIDES) slides.push(target)
    },
  })
  return slides
}

function selected({ fragment, file }: Job, count: number): [number, number] {
  if (fragment?.unit !== "page") return [1, count]
  if (fragment.start > count)
    refuse(`${file.name} has ${count} slides, and no slide ${fragment.start}.`)
  return [fragment.start, Math.min(fragment.end, count)]
}

async function writeSlide(
  zip: ZipPackage,
  { part, number }: { readonly part: string; readonly number: number },
  text: CappedText,
): Promise<void> {
  text.line(`${number > 1 && text.length > 0 ? "\n" : ""}## Slide ${number}`)
  const flow = new Flow(text)
  flow.end()
  text.line()
  await readXml(zip.chunks(part), slideEvents(flow))
  const links = await relationships(zip, part)
  const notes = links.values().find((link) => link.type === "notesSlide")?.target
  if (!notes || !zip.has(notes)) return
  text.line("\nNotes:")
  await readXml(zip.chunks(notes), slideEvents(new Flow(text)))
}

const TITLES: ReadonlySet<string> = new Set(["title", "ctrTitle"])
const FURNITURE: ReadonlySet<string> = new Set(["sldNum", "dt", "ftr", "sldImg", "hdr"])

function slideEvents(flow: Flow): XmlEvents {
  let shape = ""
  let depth = 0
  let begun = false
  let inText = false
  let skipped = 0
  const say = (words: string) => {
    if (FURNITURE.has(shape)) return
    if (!begun && TITLES.has(shape)) flow.heading(3)
    else if (!begun && depth > 0) flow.begin(`${"  ".repeat(depth - 1)}- `, "item")
    else if (!begun) flow.begin()
    begun = true
    flow.say(words)
  }
  return {
    open: (name, attributes) => {
      if (name === "Fallback" || skipped > 0) skipped += 1
      else if (name === "sp") shape = ""
      else if (name === "ph") shape = attribute(attributes, "type") ?? "body"
      else if (name === "p") begun = false
      else if (name === "pPr") depth = Math.min(Number(attribute(attributes, "lvl") ?? 0), 8)
      else if (name === "t") inText = true
      else if (name === "br") say(" ")
      else if (name === "tbl") flow.openTable()
      else if (name === "tr") flow.openRow()
      else if (name === "tc") flow.openCell()
      else if (name === "cNvPr" && attributes.descr) {
        begun = false
        say(`[image: ${attributes.descr.slice(0, 300)}]`)
        flow.end()
      }
    },
    text: (words) => {
      if (inText && skipped === 0) say(words)
    },
    close: (name) => {
      if (skipped > 0) skipped -= 1
      else if (name === "t") inText = false
      else if (name === "p") {
        flow.end()
        depth = 0
      } else if (name === "tr") flow.closeRow()
      else if (name === "tbl") flow.closeTable()
    },
  }
}
