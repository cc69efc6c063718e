export type FileKind = "text" | "image" | "pdf" | "audio" | "video" | "archive" | "binary"

export interface Sniffed {
  readonly mime: string
  readonly kind: FileKind
}

/** As much of a file as sniffing wants to see. */
export const SNIFF_BYTES = 64 * 1024

/** What a file is. Its bytes decide; its name only chooses among text types, because text carries
 *  no mark of its own. `complete` says that `bytes` is the whole file and not only its head. */
export async function sniff(bytes: Uint8Array, name: string, complete: boolean): Promise<Sniffed> {
  if (startsWith(bytes, "%PDF-")) return { mime: "application/pdf", kind: "pdf" }
  // Before the magic numbers: "BM" and "MZ" begin a bitmap and a program, and also a sentence.
  if (looksLikeText(bytes, complete)) return { mime: textMime(name), kind: "text" }
  const mime = await magicMime(bytes)
  return { mime, kind: binaryKind(mime) }
}

/** The kind that a type stands for, where there are no bytes to ask. */
export function kindOfMime(mime: string): FileKind {
  if (mime === "application/pdf") return "pdf"
  return mime.startsWith("text/") || TEXT_TYPES.has(mime) ? "text" : binaryKind(mime)
}

/** The text of a UTF-8 file, or of a UTF-16 file that says so; undefined when it is neither. */
export function decodeText(bytes: Uint8Array, complete = true): string | undefined {
  const decoder = new TextDecoder(encodingOf(bytes), { fatal: true })
  try {
    return decoder.decode(bytes, { stream: !complete })
  } catch {
    return undefined
  }
}

function looksLikeText(bytes: Uint8Array, complete: boolean): boolean {
  const text = decodeText(bytes, complete)
  return text !== undefined && !BINARY_CHARACTER.test(text)
}

// No text holds these; tab, line breaks, form feed and the escape of a terminal log may occur.
// oxlint-disable-next-line no-control-regex
const BINARY_CHARACTER = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/

function encodingOf(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  return "utf-8"
}

function startsWith(bytes: Uint8Array, ascii: string): boolean {
  if (bytes.length < ascii.length) return false
  for (let at = 0; at < ascii.length; at++) if (bytes[at] !== ascii.charCodeAt(at)) return false
  return true
}

const UNKNOWN = "application/octet-stream"

async function magicMime(bytes: Uint8Array): Promise<string> {
  const { fileTypeFromBuffer } = await import("file-type")
  try {
    const found = await fileTypeFromBuffer(bytes)
    return found ? (SAME_AS[found.mime] ?? found.mime) : UNKNOWN
  } catch {
    // A damaged header is no type.
    return UNKNOWN
  }
}

/** An animated PNG is a PNG to every reader that does not animate. */
const SAME_AS: Readonly<Record<string, string>> = { "image/apng": "image/png" }

function binaryKind(mime: string): FileKind {
  if (IMAGES.has(mime)) return "image"
  if (ARCHIVES.has(mime)) return "archive"
  if (mime.startsWith("audio/")) return "audio"
  if (mime.startsWith("video/")) return "video"
  return "binary"
}

const IMAGES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/heic",
  "image/heif",
  "image/avif",
  "image/bmp",
  "image/tiff",
])

const ARCHIVES: ReadonlySet<string> = new Set([
  "application/zip",
  "application/gzip",
  "application/x-gzip",
  "application/x-tar",
  "application/x-7z-compressed",
  "application/x-bzip2",
  "application/x-xz",
  "application/x-rar-compressed",
  "application/vnd.rar",
  "application/zstd",
  "application/x-lzip",
  "application/x-compress",
  "application/java-archive",
  "application/vnd.ms-cab-compressed",
])

function textMime(name: string): string {
  const dot = name.lastIndexOf(".")
  const extension = dot < 0 ? "" : name.slice(dot + 1).toLowerCase()
  return TEXT_MIMES.get(extension) ?? "text/plain"
}

const TEXT_MIMES: ReadonlyMap<string, string> = new Map([
  ["c", "text/x-c"],
  ["cc", "text/x-c++"],
  ["cpp", "text/x-c++"],
  ["cs", "text/x-csharp"],
  ["css", "text/css"],
  ["csv", "text/csv"],
  ["diff", "text/x-diff"],
  ["go", "text/x-go"],
  ["h", "text/x-c"],
  ["hpp", "text/x-c++"],
  ["htm", "text/html"],
  ["html", "text/html"],
  ["ini", "text/x-ini"],
  ["java", "text/x-java"],
  ["js", "text/javascript"],
  ["json", "application/json"],
  ["jsonl", "application/jsonl"],
  ["jsx", "text/javascript"],
  ["kt", "text/x-kotlin"],
  ["lua", "text/x-lua"],
  ["markdown", "text/markdown"],
  ["md", "text/markdown"],
  ["mjs", "text/javascript"],
  ["patch", "text/x-diff"],
  ["php", "text/x-php"],
  ["py", "text/x-python"],
  ["rb", "text/x-ruby"],
  ["rs", "text/x-rust"],
  ["rtf", "application/rtf"],
  ["sh", "text/x-shellscript"],
  ["sql", "application/sql"],
  ["svg", "image/svg+xml"],
  ["swift", "text/x-swift"],
  ["toml", "application/toml"],
  ["ts", "text/typescript"],
  ["tsv", "text/tab-separated-values"],
  ["tsx", "text/typescript"],
  ["xml", "application/xml"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
])

const TEXT_TYPES: ReadonlySet<string> = new Set(TEXT_MIMES.values())
