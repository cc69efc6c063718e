import type { z } from "zod"
import { SCHEME, type AcpBlock } from "../acp/acp-block.ts"
import { fileUri, readFileUri } from "../acp/file-uri.ts"
import { lowerFile } from "../file/lower-file.ts"
import { showName } from "../file/name.ts"
import { normaliseLocation } from "../file/slice.ts"
import { verdict } from "../file/verdict.ts"
import { printFragment } from "../message/file-location.ts"
import type { FileReference } from "../message/file-reference.ts"
import { nothing, type PartChip } from "./chip.ts"
import {
  type AcpForm,
  type AtMostOne,
  asItCame,
  definePart,
  type FileRequest,
  type NamedThing,
  none,
  type SourcePiece,
} from "./define-part.ts"
import type { Schemas } from "./schemas.ts"

const schema = ({ z, fileReference }: Schemas) =>
  z.looseObject({ type: z.literal("file-ref"), ref: fileReference })
export type FileRefPart = z.infer<ReturnType<typeof schema>>

export const fileRefChip: PartChip<FileRefPart> = {
  look: "chip",
  tone: "accent",
  icon: "file",
  label: ({ ref }) => {
    const range = rangeOf(ref)
    return labelOf(ref) + (range ? `:${span(range)}` : "")
  },
  title: ({ ref }) => {
    const range = rangeOf(ref)
    return range ? `${labelOf(ref)} ${lineWords(range)}` : labelOf(ref)
  },
  mark: ({ ref }) => {
    if (ref.kind === "path") return `@${ref.path}${placeMark(ref)}`
    if (ref.kind === "mcp") return `@${ref.server}:${ref.uri}`
    return ref.kind === "url" ? ref.url : `file ${ref.content_id.slice(0, 15)}`
  },
  line: ({ ref }) => {
    const range = rangeOf(ref)
    const lines = range === undefined ? "" : `#L${span(range)}`
    return `@${addressOf(ref)}${lines}`
  },
  file: nothing,
  needs: ({ ref }) => (ref.kind === "mcp" ? [{ of: "server", name: ref.server }] : []),
}

/** A file that is named where it is: in the workspace, in the blob store, on the web, on a server. */
export const fileRefPart = /* @__PURE__ */ definePart({
  type: "file-ref",
  schema,
  texts: { "ref.**": "ref" },
  blobs: ({ ref }) => (ref.kind === "content" ? [ref.content_id] : []),
  handles: ({ ref }) => {
    const name = typeof ref.name === "string" ? ref.name : "file"
    return [{ name, ...(ref.kind === "content" ? { content_id: ref.content_id } : {}) }]
  },
  load: ({ ref }) => requestOf(ref),
  origin: "ref",
  lower: (part, at, file) =>
    part.attached === true && part.ref.kind === "mcp"
      ? verdict("resolved-out", "MCP-001", { reason: "What it names was attached on submit." })
      : lowerFile(file, "ref", at),
  voice: () => "file",
  words: ({ ref }) => `[file ${addressOf(ref).toWellFormed()}]`,
  acp: (part, root) => linkTo(part, root),
  keep: asItCame,
  source: ({ ref }) => piecesOf(ref),
  names: ({ ref }) => namesIn(ref),
  chip: fileRefChip,
  example: {
    type: "file-ref",
    ref: { kind: "content", content_id: `sha256:${"b".repeat(64)}`, name: "notes.md" },
  },
})

function addressOf(ref: FileReference): string {
  switch (ref.kind) {
    case "path":
      return ref.path
    case "url":
      return ref.url
    case "mcp":
      return ref.uri
    case "content":
      return ref.content_id
  }
}

function labelOf(ref: FileReference): string {
  return ref.kind === "content" ? `${ref.content_id.slice(0, 15)}…` : addressOf(ref)
}

type Lines = { readonly start: number; readonly end: number }

function rangeOf(ref: FileReference): Lines | undefined {
  return ref.kind === "path" || ref.kind === "content" ? ref.range : undefined
}

function span({ start, end }: Lines): string {
  return start === end ? String(start) : `${start}-${end}`
}

function lineWords({ start, end }: Lines): string {
  return start === end ? `line ${start}` : `lines ${start} to ${end}`
}

function placeMark({ range, entry }: PathReference): string {
  const inside = entry === undefined ? "" : `!/${entry}`
  if (!range) return inside
  const unit = range.unit === "byte" ? "bytes " : ""
  return `${inside}:${unit}${range.start}-${range.end}`
}

// Reading

function requestOf(ref: FileReference): AtMostOne<FileRequest> {
  switch (ref.kind) {
    case "path": {
      const selected = typeof ref.selected === "string" ? ref.selected : undefined
      return [{ from: "workspace", path: ref.path, place: normaliseLocation(ref), selected }]
    }
    case "content": {
      const { content_id } = ref
      const name = typeof ref.name === "string" ? ref.name : content_id
      return [{ from: "blob", content_id, name, place: normaliseLocation(ref) }]
    }
    // What lies elsewhere is named; fetching it is a tool's work.
    case "url":
      return [{ from: "elsewhere", address: showName(ref.url) }]
    case "mcp":
      return [{ from: "elsewhere", address: showName(`${ref.server} ${ref.uri}`) }]
  }
}

// Writing

function piecesOf(ref: FileReference): SourcePiece[] {
  const { kind: _kind, ...fields } = ref
  if (ref.kind === "path") return [{ ...fields, kind: "file" }]
  if (ref.kind === "mcp") return [{ ...fields, kind: "resource" }]
  return none()
}

function namesIn(ref: FileReference): NamedThing[] {
  if (ref.kind === "path") return [{ kind: "file", path: ref.path }]
  return ref.kind === "mcp" ? [{ kind: "resource", name: `${ref.server}:${ref.uri}` }] : []
}

// The Agent Client Protocol

function linkTo(part: FileRefPart, root: string | undefined): AcpForm {
  const { ref } = part
  const told =
    Object.keys(part).length > 2 ? { lost: "only the address of the reference is carried" } : {}
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
  const place = placeIn(ref)
  return link(`${uri}${entry}${place === "" ? "" : `#${place}`}`, ref.path)
}

function placeIn({ range, fragment }: PathReference): string {
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
