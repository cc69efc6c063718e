import type { NamedAttachment } from "./attachments.ts"

/** The message with its attachments named below it, byte for byte what the documents say (ATT-004). */
export function textForm(message: string, attachments: readonly NamedAttachment[]): string {
  if (attachments.length === 0) return message
  const lines = attachments.map(({ path }) => `- ${path}\n`)
  return `${message}\n\nAttachments:\n${lines.join("")}`
}

export interface OpencodeFile {
  readonly type: "file"
  readonly mime: string
  readonly url: string
  readonly filename?: string
}

/** An attachment as OpenCode's own HTTP API takes it (ATT-005). */
export function opencodeForm({ path, mime, filename }: NamedAttachment): OpencodeFile {
  const name = filename ?? lastStep(formPath(path))
  return {
    type: "file",
    mime: mime ?? "application/octet-stream",
    url: path.startsWith(FILE) ? path : `${FILE}${path}`,
    ...(name === undefined ? {} : { filename: name }),
  }
}

export type CodexItem =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "localImage"; readonly path: string }
  | { readonly type: "mention"; readonly name: string; readonly path: string }

/** A message as Codex's own API takes it; its older requests know only text (ATT-006). */
export function codexForm(
  message: string,
  attachments: readonly NamedAttachment[],
  form: "items" | "text" = "items",
): CodexItem[] {
  if (form === "text") return [{ type: "text", text: textForm(message, attachments) }]
  return [{ type: "text", text: message }, ...attachments.map(codexItem)]
}

function codexItem(attachment: NamedAttachment): CodexItem {
  const path = formPath(attachment.path)
  if (isImage(attachment)) return { type: "localImage", path }
  return { type: "mention", name: attachment.filename ?? lastStep(path) ?? path, path }
}

const FILE = "file://"

export function formPath(path: string): string {
  return path.startsWith(FILE) ? path.slice(FILE.length) : path
}

export function lastStep(path: string): string | undefined {
  const step = path.replace(/\/+$/, "").split("/").at(-1)
  return step === "" || step === "." || step === ".." ? undefined : step
}

const IMAGE_MIMES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
}

export function isImage(attachment: NamedAttachment): boolean {
  return imageMime(attachment) !== undefined
}

/** What is said of it, or else what its name says. */
export function imageMime({ path, mime }: NamedAttachment): string | undefined {
  if (mime !== undefined) return mime.startsWith("image/") ? mime : undefined
  return IMAGE_MIMES[/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ""]
}
