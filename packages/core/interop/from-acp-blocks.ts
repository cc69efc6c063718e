import type { PartData } from "../parts/define-part.ts"
import { AnyPartData } from "../parts/read-part.ts"
import { parseFragment } from "../message/file-location.ts"
import { MAX_PARTS } from "../message/limits.ts"
import { base64OfUtf8 } from "../acp/data-url.ts"
import { type FileAddress, readFileUri } from "../acp/file-uri.ts"
import { isObject, type JsonObject } from "../acp/json.ts"
import { type TranslationLoss, loss, type Translated } from "./loss.ts"

interface FromAcpOptions {
  /** A file in this folder becomes a path that is relative to it. */
  readonly root?: string | undefined
}

/** The parts that a prompt's content blocks are. A block that carries one of our parts is that part;
 *  what cannot be kept is told as a loss, and nothing throws. */
export function fromAcpBlocks(
  blocks: readonly unknown[],
  options: FromAcpOptions = {},
): Translated<PartData[]> {
  const losses: TranslationLoss[] = []
  if (blocks.length > MAX_PARTS)
    losses.push(loss("", `only the first ${MAX_PARTS} of ${blocks.length} blocks are read`))
  const value = blocks.slice(0, MAX_PARTS).flatMap((block, at) => {
    const { part, lost } = readBlock(block, options)
    for (const name of lost) losses.push(loss(`/${at}/${name}`, "has no place here"))
    const parsed = AnyPartData.safeParse(part)
    if (parsed.success) return [parsed.data]
    const [issue] = parsed.error.issues
    losses.push(loss(`/${at}`, `is left out: ${part ? issue?.message : "it is no block we know"}`))
    return []
  })
  return { value, losses }
}

interface Read {
  readonly part: JsonObject | undefined
  /** Fields that were not kept. */
  readonly lost: readonly string[]
}

function readBlock(block: unknown, options: FromAcpOptions): Read {
  if (!isObject(block)) return { part: undefined, lost: [] }
  const ours = partIn(block._meta)
  if (ours) return { part: ours, lost: [] }
  switch (block.type) {
    case "text":
      return { part: { type: "text", text: block.text }, lost: beside(block, ["text"]) }
    case "image":
    case "audio":
      return readMedia(block, block.type)
    case "resource_link":
      return readLink(block, options)
    case "resource":
      return readResource(block)
    default:
      return { part: undefined, lost: [] }
  }
}

function partIn(meta: unknown): JsonObject | undefined {
  const mark = isObject(meta) ? meta.compositor : undefined
  const part = isObject(mark) ? mark.part : undefined
  return isObject(part) ? part : undefined
}

function beside(block: JsonObject, names: readonly string[]): string[] {
  const told = ["type", ...names]
  return Object.keys(block).filter((name) => block[name] !== undefined && !told.includes(name))
}

function readMedia(block: JsonObject, kind: "image" | "audio"): Read {
  const { data, mimeType: mime, uri } = block
  const name = nameOf(uri) ?? `${kind}.${extensionOf(mime)}`
  const lost = beside(block, ["data", "mimeType", "uri"])
  return { part: { type: "file-attachment", name, mime, data }, lost }
}

function extensionOf(mime: unknown): string {
  const [, subtype = ""] = typeof mime === "string" ? mime.split("/", 2) : []
  return subtype.replace(/^x-/, "").replace(/\+.*$/, "") || "bin"
}

/** The last step of an address. */
function nameOf(uri: unknown): string | undefined {
  if (typeof uri !== "string") return undefined
  const path = uri.replace(/[?#].*$/s, "").replace(/\/+$/, "")
  const last = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf(":")) + 1)
  try {
    return decodeURIComponent(last) || undefined
  } catch {
    return last || undefined
  }
}

function readLink(block: JsonObject, { root }: FromAcpOptions): Read {
  const { uri, name, mimeType, size } = block
  if (typeof uri !== "string") return { part: undefined, lost: [] }
  const lost = beside(block, ["uri", "name", "mimeType", "size"])
  const file = readFileUri(uri, root)
  if (!file) return { part: { type: "file-ref", ref: { kind: "url", url: uri } }, lost }
  const place = placeOf(file.fragment)
  const { path, entry } = file
  const ref = { kind: "path", path, ...(entry === undefined ? {} : { entry }), ...place.where }
  // A name or size that the path does not tell is not kept: the file itself will.
  const untold = [...(name === path ? [] : nameUntold(name, file)), ...sizes({ mimeType, size })]
  return { part: { type: "file-ref", ref }, lost: [...lost, ...place.lost, ...untold] }
}

function nameUntold(name: unknown, { path }: FileAddress): string[] {
  return typeof name === "string" && path.endsWith(name) ? [] : ["name"]
}

function sizes(about: JsonObject): string[] {
  return Object.keys(about).filter((name) => about[name] !== undefined && about[name] !== null)
}

interface Place {
  readonly where: JsonObject
  readonly lost: readonly string[]
}

/** Lines and bytes are a range; any other place is a fragment (BEY-08). */
function placeOf(text: string | undefined): Place {
  if (text === undefined) return { where: {}, lost: [] }
  const read = parseFragment(text)
  if (read?.type !== "fragment") return { where: {}, lost: ["uri"] }
  const { fragment } = read
  if (fragment.unit === "line")
    return { where: { range: { start: fragment.start, end: fragment.end } }, lost: [] }
  if (fragment.unit === "byte") return { where: { range: { ...fragment } }, lost: [] }
  return { where: { fragment }, lost: [] }
}

/** Content that came along: it is attached, and its address is kept beside it. */
function readResource(block: JsonObject): Read {
  const { resource } = block
  if (!isObject(resource)) return { part: undefined, lost: [] }
  const { uri, mimeType, text, blob } = resource
  const data = typeof text === "string" ? base64OfUtf8(text) : blob
  const mime = typeof mimeType === "string" && mimeType !== "" ? mimeType : mimeOf(text)
  const name = nameOf(uri) ?? "resource"
  const lost = [
    ...beside(block, ["resource"]),
    ...beside(resource, ["uri", "mimeType", "text", "blob"]).map((field) => `resource/${field}`),
  ]
  return { part: { type: "file-attachment", name, mime, data, uri }, lost }
}

function mimeOf(text: unknown): string {
  return typeof text === "string" ? "text/plain" : "application/octet-stream"
}
