import { posix } from "node:path"
import { cappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { Flow } from "../flow.ts"
import { attribute, readXml } from "../read-xml.ts"
import { refuse } from "../refusal.ts"
import { writeHtml } from "../write-html.ts"
import { ZipPackage } from "../zip-package.ts"

const MAX_CHAPTERS = 5_000
const MAX_CHAPTER_BYTES = 16 * 1024 * 1024
const CONTAINER = "META-INF/container.xml"

/** A book, chapter after chapter in reading order. */
export async function readEpub(job: Job): Promise<ReaderAnswer> {
  const zip = await ZipPackage.open(job.file.path)
  const { title, chapters } = await spine(zip)
  return cappedText(job.limits.text_bytes, async (text) => {
    if (title !== "") text.line(`# ${title}`)
    const flow = new Flow(text)
    for (const chapter of chapters) {
      if (!zip.has(chapter)) continue
      const bytes = await zip.bytes(chapter, MAX_CHAPTER_BYTES)
      writeHtml(bytes.toString("utf8"), flow)
    }
    return `${chapters.length} chapters.`
  })
}

interface Spine {
  readonly title: string
  readonly chapters: readonly string[]
}

async function spine(zip: ZipPackage): Promise<Spine> {
  const file = await packageFile(zip)
  const folder = posix.dirname(file)
  const files = new Map<string, string>()
  const chapters: string[] = []
  let title = ""
  let inTitle = false
  await readXml(zip.chunks(file), {
    open: (name, attributes) => {
      inTitle = name === "title" && title === ""
      if (name === "item" && files.size < MAX_CHAPTERS)
        files.set(
          attribute(attributes, "id") ?? "",
          posix.join(folder, unescaped(attribute(attributes, "href") ?? "")),
        )
      const chapter =
        name === "itemref" ? files.get(attribute(attributes, "idref") ?? "") : undefined
      if (chapter && chapters.length < MAX_CHAPTERS) chapters.push(chapter)
    },
    text: (words) => {
      if (inTitle) title = (title + words).slice(0, 1000).trim()
    },
    close: () => {
      inTitle = false
    },
  })
  return { title, chapters }
}

async function packageFile(zip: ZipPackage): Promise<string> {
  let file = ""
  await readXml(zip.chunks(CONTAINER), {
    open: (name, attributes) => {
      if (name === "rootfile" && file === "") file = attribute(attributes, "full-path") ?? ""
    },
  })
  return file || refuse("It does not say where its table of contents is.")
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
