import type { FileKind, HereFile, OpaqueFile } from "./loaded-file.ts"
import { type MediaKind, resolveNative } from "../model/capabilities.ts"
import { attachmentPath } from "./attachment-path.ts"
import { oneLine, showBytes, showName } from "./name.ts"
import type { Circumstances } from "./policy.ts"
import { type Handle, type FileRoute, type RouteWords, routeWords } from "./route.ts"
import { type LoweredPart, verdict } from "./verdict.ts"

export type FileOrigin = "ref" | "attachment"

/** One line in place of a file: what it is, why it is not shown, and who reads it (BIN-001). */
export function describe(
  file: HereFile,
  origin: FileOrigin,
  { why, rule }: { readonly why: string; readonly rule?: string | undefined },
): LoweredPart {
  const label = origin === "ref" ? "file" : "attached file"
  const facts = [file.name, file.mime, showBytes(file.size), ...detailsOf(file)].join(", ")
  const words = pointerOf(file, origin)
  const because = oneLine(why)
  const state = file.condition ? ` It is ${file.condition}.` : ""
  return verdict("descriptor", rule ?? words.rule ?? classRule(file, origin), {
    reason: `Only its name, type and size are shown: ${because}.${state}${words.trace}`,
    text: `[${label}: ${facts}. Not shown: ${because}.${words.hint}]`,
    content_id: file.content_id,
  })
}

function detailsOf(file: HereFile): string[] {
  const { condition } = file
  // That a medium is cut off is a guess by its end, and is told to people: a lock is certain.
  const told = condition === "encrypted" || file.type === "opaque" ? condition : undefined
  return [...measuresOf(file), ...(told ? [told] : [])]
}

function measuresOf(file: HereFile): string[] {
  const place = file.place ? [file.place] : []
  if (file.type === "media" && file.width !== undefined)
    return [...place, `${file.width}x${file.height} pixels`]
  if (file.entries !== undefined)
    return [...place, `archive with ${counted(file.entries, "entry", "entries")}`]
  if (file.pages !== undefined) return [...place, counted(file.pages, "page", "pages")]
  const total = file.lines?.total
  return total === undefined ? place : [...place, `${total} lines`]
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

function pointerOf(file: HereFile, origin: FileOrigin): RouteWords {
  const route = namedRoute(file.route) ?? usualRoute(file, origin)
  return route ? routeWords(route, handleOf(file, origin)) : NO_WORDS
}

function handleOf({ content_id, name }: HereFile, origin: FileOrigin): Handle {
  if (origin === "ref") return { tool: "this path" }
  if (content_id === null) return { tool: "it" }
  return { tool: content_id, shell: `$SCRATCH/${showName(attachmentPath(content_id, name))}` }
}

const NO_WORDS: RouteWords = { rule: undefined, hint: "", trace: "" }

function namedRoute(route: FileRoute | undefined): FileRoute | undefined {
  if (route?.type !== "skill" && route?.type !== "tool") return route
  return { ...route, name: showName(route.name) }
}

/** Where nobody was asked for a route, a file of the workspace is read by the tools for it. */
function usualRoute(file: HereFile, origin: FileOrigin): FileRoute | undefined {
  if (origin === "attachment") return undefined
  return { type: "tool", name: file.kind === "image" ? "read_image" : "read" }
}

export function opaqueReason(file: OpaqueFile, at: Circumstances): string {
  switch (file.kind) {
    case "text":
    case "image":
    case "pdf":
      return "it is too large"
    case "audio":
    case "video":
      return mediaReason(file.kind, file, at)
    case "archive":
      return file.route?.type === "none" ? NOBODY_EXTRACTS : "an archive is not opened here"
    case "binary":
      return "models do not read this format"
  }
}

// Said at once, so that no task fails in the middle (BIN-061).
const NOBODY_EXTRACTS = "the agent cannot extract it in this environment"

function mediaReason(kind: MediaKind, file: OpaqueFile, at: Circumstances): string {
  const answer = resolveNative(at.capabilities, { kind, mime: file.mime, size: file.size ?? 0 })
  return answer.native ? "it is too large" : answer.sentence
}

/** The requirement that says what becomes of a file of this kind. */
export function classRule({ kind }: HereFile, origin: FileOrigin): string {
  return origin === "ref" ? "CMP-104" : CLASS_RULES[kind]
}

const CLASS_RULES: Readonly<Record<FileKind | MediaKind, string>> = {
  text: "CMP-091",
  image: "CMP-092",
  pdf: "CMP-093",
  office: "BIN-013",
  audio: "CMP-094",
  video: "CMP-095",
  archive: "CMP-096",
  binary: "CMP-096",
}
