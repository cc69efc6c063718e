import { SaxesParser } from "saxes"
import type { ReaderAnswer, Job } from "../converted.ts"
import { wholeText } from "../decode-text.ts"
import { MadeFiles } from "../made-files.ts"
import { cutPicture, LONGEST_SIDE, loadSharp } from "../picture.ts"
import { refuse } from "../refusal.ts"
import { readText } from "./text.ts"

const MAX_SVG_BYTES = 8 * 1024 * 1024
const MAX_DEPTH = 256
/** Drawn elements; `use` of a group that holds `use` of a group multiplies them. */
const MAX_USES = 2_000
/** What runs, embeds another document, or never ends. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  "script foreignObject iframe embed object audio video handler animate animateMotion animateTransform set".split(
    " ",
  ),
)

/** A drawing as text, or as a picture without whatever in it points outside or acts. */
export async function readSvg(job: Job): Promise<ReaderAnswer> {
  if (job.to === "text") return readText(job)
  const svg = rewriteSvg(await wholeText(job.file, MAX_SVG_BYTES))
  const sharp = await loadSharp()
  const options = { limitInputPixels: job.limits.pixels, failOn: "error" } as const
  const { width, height } = await sharp(Buffer.from(svg), options).metadata()
  const scale = Math.min(LONGEST_SIDE / Math.max(width, height), 4)
  const size = { width: Math.ceil(width * scale), height: Math.ceil(height * scale) }
  const drawn = sharp(Buffer.from(svg), { ...options, density: Math.max(1, 72 * scale) })
  const fitted = await drawn.resize(size.width, size.height, { fit: "fill" }).png().toBuffer()
  const made = new MadeFiles(job)
  const picture = cutPicture(sharp(fitted), job, size)
  await made.add(".png", "image/png", await picture.png().toBuffer())
  return { type: "files", files: made.files }
}

/** The drawing written anew, from what we know to be harmless. */
function rewriteSvg(svg: string): string {
  const parser = new SaxesParser({ xmlns: false })
  const written: string[] = []
  let skipped = 0
  let depth = 0
  let uses = 0
  parser.on("error", (error) => refuse(`Its XML is damaged: ${error.message.slice(0, 200)}`))
  parser.on("doctype", (doctype) => {
    if (/<!ENTITY/i.test(doctype)) refuse("It defines entities, which a drawing does not need.")
  })
  parser.on("opentag", ({ name, attributes }) => {
    depth += 1
    if (depth > MAX_DEPTH) refuse(`Its XML is nested deeper than ${MAX_DEPTH} levels.`)
    if (name.endsWith("use")) uses += 1
    if (uses > MAX_USES) refuse(`It draws with more than ${MAX_USES} copies.`)
    if (LEFT_OUT.has(name.slice(name.indexOf(":") + 1)) || skipped > 0) skipped += 1
    else written.push(`<${name}${kept(attributes as Record<string, string>)}>`)
  })
  parser.on("text", (text) => {
    if (skipped === 0) written.push(escaped(text))
  })
  parser.on("cdata", (text) => {
    if (skipped === 0) written.push(escaped(text))
  })
  parser.on("closetag", ({ name }) => {
    depth -= 1
    if (skipped > 0) skipped -= 1
    else written.push(`</${name}>`)
  })
  parser.write(svg).close()
  return written.join("")
}

function kept(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .filter(([name, value]) => isHarmless(name, value))
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join("")
}

function isHarmless(name: string, value: string): boolean {
  if (/^on/i.test(name)) return false
  if (/(?:^|:)href$/i.test(name)) return /^\s*(?:#|data:image\/(?:png|jpeg|gif|webp);)/i.test(value)
  return !/url\(\s*["']?\s*(?!["'#\s])/i.test(value) && !/@import/i.test(value)
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}
