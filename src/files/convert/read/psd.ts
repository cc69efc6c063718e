import { readFile } from "node:fs/promises"
import type { NodeChild } from "@webtoon/psd"
import { type CappedText, cappedText } from "../capped-text.ts"
import type { Answer, Job } from "../converted.ts"
import { MadeFiles } from "../made-files.ts"
import { checkPixels, rawToPng } from "../picture.ts"
import { refuse } from "../refusal.ts"

const HEADER_BYTES = 26
const MAX_LAYERS = 5_000
const MAX_DEPTH = 64

/** A Photoshop file as one flat picture, or its layers with the text that they hold. */
export async function readPsd(job: Job): Promise<Answer> {
  const bytes = await readFile(job.file.path)
  const { width, height } = checkHeader(job, bytes)
  const { default: Psd } = await import("@webtoon/psd")
  const psd = Psd.parse(whole(bytes, job))
  if (job.to === "text")
    return cappedText(job.limits.text_bytes, (text) => {
      text.line(`${width} × ${height} pixels, ${psd.layers.length} layers`)
      writeLayers(psd.children, text, { depth: 0, left: MAX_LAYERS })
    })
  const data = await psd.composite()
  const made = new MadeFiles(job)
  await made.add(".png", "image/png", await rawToPng(job, { data, width, height }))
  return { type: "files", files: made.files }
}

function checkHeader(job: Job, bytes: Buffer): { readonly width: number; readonly height: number } {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "8BPS")
    refuse(`${job.file.name} is not a Photoshop file.`)
  const height = bytes.readUInt32BE(14)
  const width = bytes.readUInt32BE(18)
  checkPixels(job, width, height)
  return { width, height }
}

/** A buffer that is this file and nothing else, because Node's are often parts of a larger one. A
 *  flattened file has an empty section of layers, where the library expects one that counts none. */
function whole(bytes: Buffer, { file }: Job): ArrayBuffer {
  const colours = HEADER_BYTES
  const resources = colours + 4 + sectionLength(bytes, colours, file.name)
  const layers = resources + 4 + sectionLength(bytes, resources, file.name)
  const flat = bytes.readUInt16BE(4) === 1 && sectionLength(bytes, layers, file.name) === 0
  const parts = flat ? [bytes.subarray(0, layers), NO_LAYERS, bytes.subarray(layers + 4)] : [bytes]
  const length = parts.reduce((total, part) => total + part.length, 0)
  const copy = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    copy.set(part, at)
    at += part.length
  }
  return copy.buffer
}

/** Its length; the length of what counts layers, a count of zero, and a mask of no length. */
const NO_LAYERS = Buffer.from("0000000c000000040000000000000000", "hex")

function sectionLength(bytes: Buffer, at: number, name: string): number {
  if (at + 4 > bytes.length) refuse(`${name} is cut off.`)
  return bytes.readUInt32BE(at)
}

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
