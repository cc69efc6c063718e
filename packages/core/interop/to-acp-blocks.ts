import {
  type CommandPart,
  type FileAttachmentPart,
  type FileReference,
  isKnown,
  type MentionPart,
  type Part,
  type UnknownPart,
} from "../message/part.ts"
import { printFragment } from "../message/file-location.ts"
import { type AcpBlock, SCHEME } from "./acp-block.ts"
import { utf8OfBase64 } from "./data-url.ts"
import { fileUri, readFileUri } from "./file-uri.ts"
import { type Loss, loss, type Translated } from "./loss.ts"

export interface ToAcpOptions {
  /** The folder that paths are relative to; without it they stay relative. */
  readonly root?: string | undefined
  /** Put each part into its block's `_meta`, so that nothing is lost between two of us. */
  readonly meta?: boolean
}

/** A message's parts as content blocks, one for each. With `meta` (the default) `fromAcpBlocks`
 *  gives back exactly what was given; without, what a block cannot say is told as a loss. */
export function toAcpBlocks(
  parts: readonly (Part | UnknownPart)[],
  options: ToAcpOptions = {},
): Translated<AcpBlock[]> {
  const meta = options.meta ?? true
  const shown = parts.map((part) => blockOf(part, options))
  return {
    value: shown.map(({ block }, at) => {
      const part = parts[at]
      return meta && part && !isPlainText(part) ? withPart(block, part) : block
    }),
    losses: meta ? [] : shown.flatMap(({ lost }, at) => lostAt(at, lost)),
  }
}

function isPlainText(part: Part | UnknownPart): boolean {
  return part.type === "text" && Object.keys(part).length === 2
}

function withPart(block: AcpBlock, part: Part | UnknownPart): AcpBlock {
  return { ...block, _meta: { compositor: { part } } }
}

function lostAt(at: number, lost: string | undefined): Loss[] {
  return lost === undefined ? [] : [loss(`/${at}`, lost)]
}

interface Shown {
  readonly block: AcpBlock
  /** What another program cannot tell from the block. */
  readonly lost?: string
}

function blockOf(part: Part | UnknownPart, options: ToAcpOptions): Shown {
  if (!isKnown(part)) return unknownBlock(part)
  switch (part.type) {
    case "text":
      return isPlainText(part)
        ? { block: words(part.text) }
        : { block: words(part.text), lost: "only the text of it is carried" }
    case "file-ref":
      return linkOf(part.ref, Object.keys(part).length > 2, options)
    case "file-attachment":
      return attachmentBlock(part)
    case "command":
      return { block: words(typedCommand(part)), lost: "a command is carried as it was typed" }
    case "mention":
      return mentionBlock(part, options)
    case "editor-context":
      return resource(`editor-context/${part.kind}`, JSON.stringify(part.payload), {
        mimeType: "application/json",
        lost: "editor context is carried as a resource without its time and source",
      })
    case "directory-ref":
      return {
        block: words(`[directory: ${part.ref.name}]`),
        lost: "the right to read a directory is not carried",
      }
    case "skill-content":
      return resource(`skill/${part.name}`, part.text, {
        mimeType: "text/markdown",
        lost: "a skill is carried as a resource",
      })
    case "quote":
      return { block: words(part.text), lost: "a quote is carried without its source" }
  }
}

function words(text: string): AcpBlock {
  return { type: "text", text }
}

/** A quote and whatever comes later: their text, if they have one. */
function unknownBlock(part: { readonly type: string; readonly text?: unknown }): Shown {
  const { type, text } = part
  if (typeof text === "string" && text !== "")
    return { block: words(text), lost: `only the text of a ${type} part is carried` }
  return { block: words(`[${type}]`), lost: `a ${type} part is only named` }
}

function resource(
  path: string,
  text: string,
  { mimeType, lost }: { readonly mimeType: string; readonly lost: string },
): Shown {
  const uri = `${SCHEME}:${path.split("/").map(encodeURIComponent).join("/")}`
  return { block: { type: "resource", resource: { uri, mimeType, text } }, lost }
}

function linkOf(ref: FileReference, more: boolean, { root }: ToAcpOptions): Shown {
  const told = more ? { lost: "only the address of the reference is carried" } : {}
  switch (ref.kind) {
    case "path":
      return { block: pathLink(ref, root), ...told, ...lostOfPath(ref, root) }
    case "url":
      return { block: link(ref.url, ref.url), ...told, ...lostOfUrl(ref.url) }
    case "content":
      return {
        block: link(`${SCHEME}:content/${ref.content_id}`, ref.content_id),
        lost: "a content id means nothing elsewhere",
      }
    case "mcp":
      return {
        block: link(ref.uri, ref.uri),
        lost: `that it is a resource of ${ref.server} is not carried`,
      }
  }
}

function link(uri: string, name: string): AcpBlock {
  return { type: "resource_link", uri, name }
}

type PathReference = Extract<FileReference, { kind: "path" }>

function pathLink(ref: PathReference, root: string | undefined): AcpBlock {
  const uri = fileUri(ref.path, root)
  const entry = ref.entry === undefined ? "" : `!/${encodeURI(ref.entry)}`
  const place = placeOf(ref)
  return link(`${uri}${entry}${place === "" ? "" : `#${place}`}`, ref.path)
}

function placeOf({ range, fragment }: PathReference): string {
  if (fragment) return printFragment(fragment)
  if (!range) return ""
  const { start, end, unit = "line" } = range
  return printFragment({ unit, start, end })
}

function lostOfPath(ref: PathReference, root: string | undefined) {
  const known = ["kind", "path", "range"]
  if (root === undefined) return { lost: "a path is carried without the folder it is relative to" }
  if (readFileUri(fileUri(ref.path, root), root)?.path !== ref.path)
    return { lost: `the path ${ref.path} is carried in another form` }
  if (Object.keys(ref).some((name) => !known.includes(name)))
    return { lost: "only the address of the reference is carried" }
  return {}
}

function lostOfUrl(url: string) {
  return readFileUri(url, undefined) ? { lost: "the address of a file is read as its path" } : {}
}

function attachmentBlock(part: FileAttachmentPart): Shown {
  const { name, mime, data, content_id, size, url } = part
  const uri = url ?? `${SCHEME}:attachment/${encodeURIComponent(name.toWellFormed())}`
  if (data === undefined) {
    const address = content_id === undefined ? uri : `${SCHEME}:content/${content_id}`
    const about = { mimeType: mime, ...(size === undefined ? {} : { size }) }
    const block: AcpBlock = { type: "resource_link", uri: address, name, ...about }
    return { block, lost: "the bytes of the attachment are not carried" }
  }
  const more = Object.keys(part).length > 4
  const lost = more ? { lost: "only the name, the type and the bytes are carried" } : {}
  if (mime.startsWith("image/"))
    return { block: { type: "image", data, mimeType: mime, uri }, ...lost }
  if (mime.startsWith("audio/"))
    return {
      block: { type: "audio", data, mimeType: mime },
      lost: "a block of audio has no name",
    }
  const text = mime.startsWith("text/") ? utf8OfBase64(data) : undefined
  const content = text === undefined ? { blob: data } : { text }
  return { block: { type: "resource", resource: { uri, mimeType: mime, ...content } }, ...lost }
}

function typedCommand(part: CommandPart): string {
  if (typeof part.raw === "string") return part.raw
  const { raw } = part.args
  return typeof raw === "string" && raw !== "" ? `${part.id} ${raw}` : part.id
}

function mentionBlock(part: MentionPart, { root }: ToAcpOptions): Shown {
  const { kind, path, name, id } = part.target
  const lost = `a mention of a ${kind} is carried as it reads`
  if (kind === "file" && typeof path === "string")
    return { block: link(fileUri(path, root), path), lost }
  const label = [name, id].find((value) => typeof value === "string") ?? ""
  return { block: words(label === "" ? `@${kind}` : `@${kind}:${label}`), lost }
}
