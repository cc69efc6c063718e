import { readFile } from "node:fs/promises"
import type { NodeChild } from "@webtoon/psd"
import { type CappedText, cappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { MadeFiles } from "../made-files.ts"
import { checkPixels, rawToPng } from "../picture.ts"
import { flatPicture, type PsdHead, readPsdHead } from "./psd-image.ts"

const MAX_LAYERS = 5_000
const MAX_DEPTH = 64

/** A Photoshop file as one flat picture, or its layers with the text that they hold. */
export async function readPsd(job: Job): Promise<ReaderAnswer> {
  const bytes = await readFile(job.file.path)
  const head = readPsdHead(bytes, job.file.name)
  checkPixels(job, head.width, head.height)
  if (job.to === "text") return layersOf(job, bytes, head)
  const made = new MadeFiles(job)
  const picture = flatPicture(bytes, head, job.file.name)
  await made.add(".png", "image/png", await rawToPng(job, picture))
  return { type: "files", files: made.files }
}

async function layersOf(job: Job, bytes: Buffer, head: PsdHead): Promise<ReaderAnswer> {
  const { default: Psd } = await import("@webtoon/psd")
  const psd = parsed(() => Psd.parse(whole(bytes, head)))
  return cappedText(job.limits.text_bytes, (text) => {
    text.write(`${head.width} × ${head.height} pixels`)
    text.line(psd ? `, ${psd.layers.length} layers` : "")
    if (!psd) return "Its layers cannot be read; convert it to png to see it."
    writeLayers(psd.children, text, { depth: 0, left: MAX_LAYERS })
    return undefined
  })
}

/** What other programs write between the layers is not always what the library expects. */
function parsed<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** A buffer that is this file and nothing else, because Node's are often parts of a larger one. A
 *  flattened file has an empty section of layers, where the library expects one that counts none. */
function whole(bytes: Buffer, { layers, image, large }: PsdHead): ArrayBuffer {
  const flat = !large && image === layers + 4
  const parts = flat ? [bytes.subarray(0, layers), NO_LAYERS, bytes.subarray(image)] : [bytes]
  const copy = new Uint8Array(parts.reduce((total, part) => total + part.length, 0))
  let at = 0
  for (const part of parts) {
    copy.set(part, at)
    at += part.length
  }
  return copy.buffer
}

/** Its length; the length of what counts layers, a count of zero, and a mask of no length. */
const NO_LAYERS = Buffer.from("0000000c000000040000000000000000", "hex")

function writeLayers(
  layers: readonly NodeChild[],
  text: CappedText,
  at: { readonly depth: number; left: number },
): void {
  if (at.depth > MAX_DEPTH) return
  for (const layer of layers) {
    at.left -= 1
    if (at.left < 0) return text.line("…")
    text.line(`${"  ".repeat(at.depth)}- ${described(layer)}`)
    if (!layer.children) continue
    const inner = { depth: at.depth + 1, left: at.left }
    writeLayers(layer.children, text, inner)
    at.left = inner.left
  }
}

function described(layer: NodeChild): string {
  const name = layer.name.replace(/\s+/g, " ").slice(0, 200)
  if (layer.type !== "Layer") return `${name}/`
  const hidden = layer.isHidden ? ", hidden" : ""
  const words = layer.text === undefined ? "" : `: ${JSON.stringify(layer.text.slice(0, 5000))}`
  return `${name} (${layer.width} × ${layer.height} at ${layer.left},${layer.top}${hidden})${words}`
}
