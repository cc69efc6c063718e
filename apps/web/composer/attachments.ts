import { chipOf, openPart } from "compositor-core/parts/table"
import { type AnyPart, ApiError, type Client, type Upload } from "compositor-client/client"
import { labelOf } from "compositor-core/compose/marks"

/** Something that goes with a draft: a file on its way up, or a part that is there already. */
export interface ComposerAttachment {
  readonly key: string
  readonly name: string
  readonly size: number | undefined
  readonly mime: string
  readonly state: "uploading" | "ready" | "failed"
  /** 0 to 1. */
  readonly progress: number
  readonly error?: string
  readonly part?: AnyPart
  /** A small picture of it, as a data address: it is kept with the draft. */
  readonly thumbnail?: string
  /** What is still to be uploaded, or tried again; it does not outlive the page. */
  readonly file?: File
}

/** So many bytes of files may wait for the server, in all drafts of the page together (CMPH-016). */
export const MAX_WAITING_BYTES = 1024 * 1024 * 1024

/** Once the server has a file, the page lets go of it. */
export function settleAttachment(attachment: ComposerAttachment): ComposerAttachment {
  if (attachment.state !== "ready") return attachment
  const { file: _, ...rest } = attachment
  return rest
}

export function attachmentOfFile(file: File, name: string): ComposerAttachment {
  return {
    key: crypto.randomUUID(),
    name: name || nameless(file.type),
    size: file.size,
    mime: file.type || "application/octet-stream",
    state: "uploading",
    progress: 0,
    file,
  }
}

/** A part that was in the message already: an upload, or something this page cannot type. */
export function attachmentOfPart(part: AnyPart): ComposerAttachment {
  const opened = openPart(part)
  const [known] = chipOf(opened).file(opened)
  const image = known?.data && isPicture(known.mime) && known.data.length < 90_000
  return {
    key: crypto.randomUUID(),
    name: known?.name ?? labelOf(part),
    size: known?.size,
    mime: known?.mime ?? "",
    state: "ready",
    progress: 1,
    part,
    ...(image ? { thumbnail: `data:${known.mime};base64,${known.data}` } : {}),
  }
}

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

/** Pictures every browser draws, and that cannot carry a script. */
export function isPicture(mime: string): boolean {
  return PICTURES.has(mime)
}

function nameless(mime: string): string {
  const kind = /^image\/(png|jpeg|gif|webp)$/.exec(mime)?.[1]
  return kind ? `pasted.${kind === "jpeg" ? "jpg" : kind}` : "pasted"
}

/** Send the bytes up. `fetch` cannot say how far it got, so this is the older way. */
export function upload(
  client: Client,
  file: File,
  { name, progress }: { name: string; progress: (part: number) => void },
): Promise<Upload> {
  const { url, headers } = client.uploadRequest(name)
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open("POST", url)
    for (const [header, value] of Object.entries(headers)) request.setRequestHeader(header, value)
    request.responseType = "json"
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      progress(total ? loaded / total : 0),
    )
    request.addEventListener("error", () =>
      reject(new ApiError(0, "unreachable", `the server at ${client.url} does not answer`)),
    )
    request.addEventListener("load", () => {
      if (request.status < 300) resolve(request.response as Upload)
      else reject(refusal(request))
    })
    request.send(file)
  })
}

function refusal(request: XMLHttpRequest): ApiError {
  const body = request.response as { error?: { code: string; message: string } } | null
  const { code = "unexpected", message = `the server answered ${request.status}` } =
    body?.error ?? {}
  return new ApiError(request.status, code, message)
}

const THUMBNAIL = 112

/** A picture small enough to keep with the draft; undefined for what cannot be drawn. */
export async function thumbnailOf(file: Blob): Promise<string | undefined> {
  if (!isPicture(file.type)) return undefined
  try {
    const image = await createImageBitmap(file)
    const scale = Math.min(1, THUMBNAIL / Math.min(image.width, image.height))
    const canvas = document.createElement("canvas")
    canvas.width = Math.max(1, Math.min(Math.round(image.width * scale), 4 * THUMBNAIL))
    canvas.height = Math.max(1, Math.min(Math.round(image.height * scale), 4 * THUMBNAIL))
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height)
    image.close()
    return canvas.toDataURL("image/webp", 0.8)
  } catch {
    return undefined // It says it is a picture, and is not: the server will say what it is.
  }
}

interface Dropped {
  readonly files: readonly { readonly file: File; readonly name: string }[]
  /** How many files of folders were too many. */
  readonly left: number
}

export const MAX_FOLDER_FILES = 200
const MAX_FOLDER_DEPTH = 12

/** The files of a paste or a drop; those of a folder are named by their path in it. */
export async function filesIn(transfer: DataTransfer): Promise<Dropped> {
  // The items are gone once we wait for something.
  const entries = [...transfer.items].map((item) =>
    item.kind === "file" ? item.webkitGetAsEntry() : null,
  )
  const folders = entries.filter((entry) => entry?.isDirectory === true)
  const names = new Set(folders.map((folder) => folder?.name))
  const files = [...transfer.files]
    .filter((file) => !names.has(file.name))
    .map((file) => ({ file, name: file.name }))
  const found: FileSystemFileEntry[] = []
  for (const folder of folders)
    if (folder) await walk(folder as FileSystemDirectoryEntry, found, MAX_FOLDER_DEPTH)
  const taken = found.slice(0, MAX_FOLDER_FILES)
  const inside = await Promise.all(
    taken.map(async (entry) => ({ file: await fileOf(entry), name: entry.fullPath.slice(1) })),
  )
  return { files: [...files, ...inside], left: found.length - taken.length }
}

async function walk(folder: FileSystemDirectoryEntry, found: FileSystemFileEntry[], depth: number) {
  const reader = folder.createReader()
  // A reader gives a hundred at a time.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return
    for (const entry of some) {
      if (entry.isFile) found.push(entry as FileSystemFileEntry)
      else if (depth > 0 && !entry.name.startsWith("."))
        await walk(entry as FileSystemDirectoryEntry, found, depth - 1)
      if (found.length > 10 * MAX_FOLDER_FILES) return
    }
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** What a program that knows us puts on the clipboard for one of its things (CMP-078). */
export const ENTITY = "application/vnd.compositor.entity+json"
const MAX_ENTITY_CHARACTERS = 64 * 1024

/** A thing of another program, as a reference to it: its id and not its body. */
export function entityIn(transfer: DataTransfer): AnyPart | undefined {
  const text = transfer.getData(ENTITY)
  if (text === "" || text.length > MAX_ENTITY_CHARACTERS) return undefined
  try {
    const { source, ...payload } = JSON.parse(text) as { id: string; source?: unknown }
    if (typeof payload.id !== "string") return undefined
    return {
      type: "editor-context",
      kind: "ref",
      source: typeof source === "string" ? source : "clipboard",
      payload,
      emitted_at: Date.now(),
    }
  } catch {
    return undefined
  }
}

/** A copied table is text and a picture of it at once: the text was meant. A copied file is itself
 *  and its name as text. */
export function meansText(transfer: DataTransfer): boolean {
  const text = transfer.getData("text/plain").trim()
  const names = [...transfer.files].map((file) => file.name)
  return text !== "" && !text.split("\n").every((line) => names.some((name) => line.endsWith(name)))
}
