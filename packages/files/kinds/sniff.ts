import type { FileKind } from "compositor-core/file/loaded-file"
import { compoundMime, confirmType, ownMagic, startsPdf, startsWith } from "./magic.ts"
import { createRequire } from "node:module"

/** How much of a file says how its letters are written. */
const SAMPLE_BYTES = 8 * 1024
/** Fewer bytes than this, and almost anything could be letters. */
const MIN_LEGACY_BYTES = 8
const MIN_CONFIDENCE = 12
/** Of a text in a Latin script, the share of bytes that are not ASCII. */
const MAX_ACCENTS = 0.4

/** The encoding of a text, as a TextDecoder names it; undefined for bytes that are no text. It looks
 *  for what no text holds before it guesses: a guesser finds some language in anything. */
export function charsetOf(bytes: Uint8Array, complete: boolean): string | undefined {
  const marked = markedCharset(bytes)
  if (marked) return isText(decodeCharset(bytes, marked, complete)) ? marked : undefined
  const plain = decodeCharset(bytes, "utf-8", complete)
  if (isText(plain)) return JIS_ESCAPE.test(plain) ? "iso-2022-jp" : "utf-8"
  return wideCharset(bytes, complete) ?? legacyCharset(bytes, complete)
}

/** The text, if the bytes are one in this encoding. */
export function decodeCharset(
  bytes: Uint8Array,
  charset: string,
  complete: boolean,
): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: !complete })
  } catch {
    return undefined
  }
}

// No text holds these; tab, line breaks, form feed and the escape of a terminal log may occur.
// oxlint-disable-next-line no-control-regex
const BINARY_CHARACTER = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/
// oxlint-disable-next-line no-control-regex
const JIS_ESCAPE = /\x1b\$[@B][^]*\x1b\([BJ]/
// oxlint-disable-next-line no-control-regex
const SECOND_CONTROLS = /[\x80-\x84\x86-\x9f\uFFFD\uE000-\uF8FF]/

function isText(text: string | undefined): text is string {
  return text !== undefined && !BINARY_CHARACTER.test(text)
}

function markedCharset(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  return undefined
}

/** UTF-16 without its mark: every other byte of most texts is a zero. */
function wideCharset(bytes: Uint8Array, complete: boolean): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  if (sample.length < MIN_LEGACY_BYTES || (complete && bytes.length % 2 === 1)) return undefined
  const zeros = [0, 0]
  for (const [at, byte] of sample.entries())
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const enough = sample.length * 0.15
  const charset =
    odd > enough && even === 0 ? "utf-16le" : even > enough && odd === 0 ? "utf-16be" : ""
  return charset !== "" && isText(decodeCharset(bytes, charset, complete)) ? charset : undefined
}

const require = createRequire(import.meta.url)

/** What people wrote before UTF-8. */
function legacyCharset(bytes: Uint8Array, complete: boolean): string | undefined {
  if (bytes.length < MIN_LEGACY_BYTES || hasControls(bytes)) return undefined
  const { analyse }: typeof import("chardet") = require("chardet")
  const guesses = analyse(bytes.subarray(0, SAMPLE_BYTES))
  const accents = shareOfAccents(bytes)
  for (const { name, confidence } of guesses) {
    if (confidence < MIN_CONFIDENCE || NOT_LEGACY.test(name)) continue
    if (LATIN.test(name) && accents > MAX_ACCENTS) continue
    const text = decodeCharset(bytes, name, complete)
    if (isText(text) && !SECOND_CONTROLS.test(text)) return name.toLowerCase()
  }
  return undefined
}

const NOT_LEGACY = /^(UTF-|ISO-2022|ASCII)/i
const LATIN = /^(ISO-8859-(1|2|9|15)|windows-125[0247])$/i

function hasControls(bytes: Uint8Array): boolean {
  for (const byte of bytes)
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d) return true
  return false
}

function shareOfAccents(bytes: Uint8Array): number {
  let high = 0
  for (const byte of bytes) if (byte >= 0x80) high += 1
  return high / bytes.length
}

/** The type of a text by its name. */
function textMime(name: string): string {
  const dot = name.lastIndexOf(".")
  const extension = dot < 0 ? "" : name.slice(dot + 1).toLowerCase()
  return TEXT_MIMES.get(extension) ?? "text/plain"
}

const TEXT_MIMES: ReadonlyMap<string, string> = new Map([
  ["asm", "text/x-asm"],
  ["bash", "text/x-shellscript"],
  ["bat", "text/x-batch"],
  ["c", "text/x-c"],
  ["cc", "text/x-c++"],
  ["cfg", "text/x-ini"],
  ["clj", "text/x-clojure"],
  ["cpp", "text/x-c++"],
  ["cs", "text/x-csharp"],
  ["css", "text/css"],
  ["csv", "text/csv"],
  ["cts", "text/typescript"],
  ["dart", "text/x-dart"],
  ["diff", "text/x-diff"],
  ["eml", "message/rfc822"],
  ["ex", "text/x-elixir"],
  ["geojson", "application/geo+json"],
  ["go", "text/x-go"],
  ["graphql", "application/graphql"],
  ["h", "text/x-c"],
  ["hpp", "text/x-c++"],
  ["hs", "text/x-haskell"],
  ["htm", "text/html"],
  ["html", "text/html"],
  ["ics", "text/calendar"],
  ["ini", "text/x-ini"],
  ["ipynb", "application/x-ipynb+json"],
  ["java", "text/x-java"],
  ["jl", "text/x-julia"],
  ["js", "text/javascript"],
  ["json", "application/json"],
  ["json5", "application/json5"],
  ["jsonc", "application/json"],
  ["jsonl", "application/jsonl"],
  ["jsx", "text/javascript"],
  ["kt", "text/x-kotlin"],
  ["less", "text/x-less"],
  ["log", "text/plain"],
  ["lua", "text/x-lua"],
  ["map", "application/json"],
  ["markdown", "text/markdown"],
  ["md", "text/markdown"],
  ["mdx", "text/markdown"],
  ["mjs", "text/javascript"],
  ["mts", "text/typescript"],
  ["ndjson", "application/jsonl"],
  ["patch", "text/x-diff"],
  ["php", "text/x-php"],
  ["pl", "text/x-perl"],
  ["proto", "text/x-protobuf"],
  ["ps1", "text/x-powershell"],
  ["py", "text/x-python"],
  ["r", "text/x-r"],
  ["rb", "text/x-ruby"],
  ["rs", "text/x-rust"],
  ["rst", "text/x-rst"],
  ["rtf", "application/rtf"],
  ["scala", "text/x-scala"],
  ["scss", "text/x-scss"],
  ["sh", "text/x-shellscript"],
  ["sql", "application/sql"],
  ["srt", "application/x-subrip"],
  ["svelte", "text/x-svelte"],
  ["svg", "image/svg+xml"],
  ["swift", "text/x-swift"],
  ["tex", "text/x-tex"],
  ["toml", "application/toml"],
  ["ts", "text/typescript"],
  ["tsv", "text/tab-separated-values"],
  ["tsx", "text/typescript"],
  ["txt", "text/plain"],
  ["vcf", "text/vcard"],
  ["vtt", "text/vtt"],
  ["vue", "text/x-vue"],
  ["xhtml", "application/xhtml+xml"],
  ["xml", "application/xml"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["zig", "text/x-zig"],
  ["zsh", "text/x-shellscript"],
])

export interface Sniffed {
  readonly mime: string
  readonly kind: FileKind
  /** Of a text that is not UTF-8, how its letters are written. */
  readonly charset?: string
}

/** As much of a file as sniffing wants to see. */
export const SNIFF_BYTES = 64 * 1024

/** What a file is. Its bytes decide; its name only chooses among text types, because text carries
 *  no mark of its own. `complete` says that `bytes` is the whole file and not only its head. */
export async function sniff(bytes: Uint8Array, name: string, complete: boolean): Promise<Sniffed> {
  if (startsPdf(bytes)) return { mime: "application/pdf", kind: "pdf" }
  if (startsWith(bytes, "%!PS")) return { mime: "application/postscript", kind: "binary" }
  const own = ownMagic(bytes)
  if (own) return { mime: own, kind: binaryKind(own) }
  const marked = NO_TEXT_BEGINS.some((mark) => startsWith(bytes, mark))
  const told = marked ? await magicMime(bytes) : UNKNOWN
  if (TELLING.has(told)) return { mime: told, kind: binaryKind(told) }
  // Before the magic numbers: "BM" and "MZ" begin a bitmap and a program, and also a sentence.
  const charset = charsetOf(bytes, complete)
  if (charset === "utf-8") return { mime: textMime(name), kind: "text" }
  const found = await magicMime(bytes)
  if (charset !== undefined && !TELLING.has(found))
    return { mime: textMime(name), kind: "text", charset }
  return { mime: found, kind: binaryKind(found) }
}

/** The kind that a type stands for, where there are no bytes to ask. */
export function kindOfMime(mime: string): FileKind {
  if (mime === "application/pdf") return "pdf"
  return mime.startsWith("text/") || TEXT_TYPES.has(mime) ? "text" : binaryKind(mime)
}

/** The text of a file in the encoding that it is said to have, or that its bytes show; undefined when
 *  they show none. */
export function decodeText(bytes: Uint8Array, complete = true, said?: string): string | undefined {
  const claimed = said === undefined ? undefined : decodeCharset(bytes, said, complete)
  if (claimed !== undefined) return claimed
  // Most files are UTF-8, and asking for more takes longer.
  const plain = decodeCharset(bytes, "utf-8", complete)
  if (plain !== undefined && !plain.includes("\0") && !plain.includes("\x1b$")) return plain
  const charset = charsetOf(bytes, complete)
  return charset === undefined ? plain : decodeCharset(bytes, charset, complete)
}

const UNKNOWN = "application/octet-stream"

/** Marks with a byte that UTF-8 has not: letters are not looked for behind them. */
const NO_TEXT_BEGINS = [
  "\x89PNG\r\n\x1a\n",
  "\xff\xd8\xff",
  "(\xb5/\xfd",
  "7z\xbc\xaf",
  "\xfd7zXZ\0",
]

// Kept: to import what is loaded already takes longer than to ask it.
let knower: Promise<typeof import("file-type")> | undefined

async function magicMime(bytes: Uint8Array): Promise<string> {
  knower ??= import("file-type")
  const { fileTypeFromBuffer } = await knower
  try {
    const found = await fileTypeFromBuffer(bytes)
    if (!found) return UNKNOWN
    if (found.mime === "application/x-cfb") return compoundMime(bytes)
    return confirmType(SAME_AS[found.mime] ?? found.mime, bytes) ?? UNKNOWN
  } catch {
    // A damaged header is no type.
    return UNKNOWN
  }
}

/** Types whose marks no text of an old encoding begins with by chance. */
const TELLING: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "application/zip",
  "application/zstd",
  "application/x-7z-compressed",
  "application/x-xz",
])

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
  "application/lzip",
  "application/x-compress",
  "application/java-archive",
  "application/vnd.ms-cab-compressed",
])

const TEXT_TYPES: ReadonlySet<string> = new Set(TEXT_MIMES.values())
