import { readFile } from "node:fs/promises"
import { inflateRawSync, zstdDecompressSync } from "node:zlib"
import { type CappedText, cappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { MadeFiles } from "../made-files.ts"
import { refuse } from "../refusal.ts"
import { ZipPackage } from "../zip-package.ts"
import { type DesignNode, readDesign } from "./fig-nodes.ts"

const MAX_CANVAS_BYTES = 64 * 1024 * 1024
const MAX_SCHEMA_BYTES = 4 * 1024 * 1024
const MAGIC = /^fig-(?:kiwi|jam\.|deck)/
const ZSTD = 0xfd2fb528
const MAX_DEPTH = 64

/** A Figma file: the tree of what was drawn with its texts, or the picture that it carries of itself. */
export async function readFig(job: Job): Promise<ReaderAnswer> {
  const bytes = await readFile(job.file.path)
  const zip =
    bytes.toString("latin1", 0, 2) === "PK" ? await ZipPackage.open(job.file.path) : undefined
  if (job.to === "png") return thumbnail(job, zip)
  const canvas = zip ? await zip.bytes("canvas.fig", MAX_CANVAS_BYTES) : bytes
  const { schema, message } = chunksOf(canvas, job.file.name)
  const nodes = await readDesign(schema, message)
  return cappedText(job.limits.text_bytes, (text) => {
    writeTree(nodes, text)
    return `${nodes.length} nodes.`
  })
}

async function thumbnail(job: Job, zip: ZipPackage | undefined): Promise<ReaderAnswer> {
  if (!zip?.has("thumbnail.png"))
    return refuse(
      `${job.file.name} carries no picture of itself; convert it to text for its nodes.`,
    )
  const made = new MadeFiles(job)
  await made.add(".png", "image/png", await zip.bytes("thumbnail.png", MAX_CANVAS_BYTES))
  return {
    type: "files",
    files: made.files,
    note: "This is the small picture that the file carries of itself, not a drawing of all its pages.",
  }
}

/** After the magic word and a version come two pieces, each with its length: schema and message. */
function chunksOf(canvas: Buffer, name: string): { schema: Buffer; message: Buffer } {
  if (canvas.length < 24 || !MAGIC.test(canvas.toString("latin1", 0, 8)))
    refuse(`${name} is not a Figma file.`)
  const schemaLength = canvas.readUInt32LE(12)
  const messageAt = 16 + schemaLength
  if (messageAt + 4 > canvas.length) refuse(`${name} is cut off.`)
  const messageLength = canvas.readUInt32LE(messageAt)
  if (messageAt + 4 + messageLength > canvas.length) refuse(`${name} is cut off.`)
  return {
    schema: unpacked(canvas.subarray(16, messageAt), MAX_SCHEMA_BYTES),
    message: unpacked(
      canvas.subarray(messageAt + 4, messageAt + 4 + messageLength),
      MAX_CANVAS_BYTES,
    ),
  }
}

function unpacked(bytes: Buffer, maxOutputLength: number): Buffer {
  const isZstd = bytes.length > 4 && bytes.readUInt32LE(0) === ZSTD
  return isZstd
    ? zstdDecompressSync(bytes, { maxOutputLength })
    : inflateRawSync(bytes, { maxOutputLength })
}

function writeTree(nodes: readonly DesignNode[], text: CappedText): void {
  const children = Map.groupBy(nodes, (node) => node.parent)
  const ids = new Set(nodes.map((node) => node.id))
  const roots = nodes.filter((node) => !ids.has(node.parent))
  const written = new Set<string>()
  const write = (node: DesignNode, depth: number) => {
    // A file may say that two nodes hold each other.
    if (depth > MAX_DEPTH || written.has(node.id)) return
    written.add(node.id)
    text.line(`${"  ".repeat(depth)}- ${described(node)}`)
    const inside = (children.get(node.id) ?? []).toSorted((a, b) =>
      a.position < b.position ? -1 : 1,
    )
    for (const child of inside) write(child, depth + 1)
  }
  for (const root of roots) write(root, 0)
}

function described({ type, name, size, text, visible }: DesignNode): string {
  const shown = [type.toLowerCase(), JSON.stringify(name.slice(0, 200))]
  if (size) shown.push(size)
  if (!visible) shown.push("hidden")
  const words = text === "" ? "" : `: ${JSON.stringify(text.slice(0, 5000))}`
  return `${shown.join(" ")}${words}`
}
