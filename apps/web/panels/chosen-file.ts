import type { AnyPart } from "compositor-client/client"
import type { CarriedFile, FilePlaced, FolderEntry } from "compositor-client/client"

/** A file that somebody looks at, and what a message would carry of it. */
export interface ChosenFile {
  readonly name: string
  readonly size: number | undefined
  readonly part: AnyPart
  /** Where its bytes are to be had; nowhere for an address of the web, say. */
  readonly place: FileChoice | undefined
}

/** A path is looked for in the open session's folder, which whoever asks knows. */
export type FileChoice = { readonly path: string } | Extract<FilePlaced, { content_id: string }>

export function chosenPath({ path, size }: FolderEntry): ChosenFile {
  const part = { type: "file-ref" as const, ref: { kind: "path" as const, path } }
  return { name: path, size: size ?? undefined, part, place: { path } }
}

export function chosenCarried(file: CarriedFile, session: string): ChosenFile {
  const { message_id: _message, part_id: _part, role: _role, ...part } = file
  const { name = file.type, size, content_id } = file
  const path = file.ref?.kind === "path" ? file.ref.path : undefined
  if (typeof path === "string") return { name: path, size, part, place: { path } }
  const place = content_id === undefined ? undefined : { session, content_id, name }
  return { name, size, part, place }
}

const ARCHIVE = /\.(zip|tar|tgz|gz|bz2|xz|zst|7z|rar|jar|whl)$/i
const DOCUMENT = /\.(pdf|docx|xlsx|pptx|odt|ods|odp|epub|rtf|eml|html?|psd|fig|csv|ipynb)$/i
const PICTURES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
}

export function isArchive(name: string): boolean {
  return ARCHIVE.test(name)
}

export function isDocument(name: string): boolean {
  return DOCUMENT.test(name)
}

export type Preview =
  | { readonly type: "text"; readonly text: string; readonly isCut: boolean }
  | { readonly type: "picture"; readonly blob: Blob }
  | { readonly type: "none" }

const SHOWN_CHARACTERS = 64 * 1024

/** What can be shown of bytes: a picture that every browser draws, or text. */
export function previewOf(name: string, bytes: ArrayBuffer): Preview {
  const mime = PICTURES[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ""]
  if (mime) return { type: "picture", blob: new Blob([bytes], { type: mime }) }
  const text = textOf(bytes)
  if (text === undefined) return { type: "none" }
  const isCut = text.length > SHOWN_CHARACTERS
  return { type: "text", text: text.slice(0, SHOWN_CHARACTERS), isCut }
}

function textOf(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined // Not text, or text that nobody can tell from bytes.
  }
}
