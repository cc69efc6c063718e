import { type AnyPart, ApiError, type Client, type Upload } from "../client/client.ts"
import type { FileAttachmentPart } from "../message/part.ts"

/** Something that goes with a draft: a file on its way up, or a part that is there already. */
export interface Attachment {
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
  /** For another try; it does not outlive the page. */
  readonly file?: File
}

export function attachmentOfFile(file: File): Attachment {
  return {
    key: crypto.randomUUID(),
    name: file.name || nameless(file.type),
    size: file.size,
    mime: file.type || "application/octet-stream",
    state: "uploading",
    progress: 0,
    file,
  }
}

/** A part that was in the message already: an upload, or something this page cannot type. */
export function attachmentOfPart(part: AnyPart): Attachment {
  const known = part.type === "file-attachment" ? (part as FileAttachmentPart) : undefined
  const image = known?.data && isPicture(known.mime) && known.data.length < 90_000
  return {
    key: crypto.randomUUID(),
    name: known?.name ?? part.type,
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

export interface Dropped {
  readonly files: readonly File[]
  readonly folders: readonly string[]
}

/** The files of a paste or a drop. */
export function filesIn(transfer: DataTransfer): Dropped {
  const folders = new Set<string>()
  for (const item of transfer.items) {
    const entry = item.kind === "file" ? item.webkitGetAsEntry() : null
    if (entry?.isDirectory) folders.add(entry.name)
  }
  const files = [...transfer.files].filter((file) => !folders.has(file.name))
  return { files, folders: [...folders] }
}

/** A copied table is text and a picture of it at once: the text was meant. A copied file is itself
 *  and its name as text. */
export function meansText(transfer: DataTransfer): boolean {
  const text = transfer.getData("text/plain").trim()
  const names = [...transfer.files].map((file) => file.name)
  return text !== "" && !text.split("\n").every((line) => names.some((name) => line.endsWith(name)))
}
