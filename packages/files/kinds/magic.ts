/** What the first bytes of a file say, beyond what the package knows, and where it says too much. */

/** A type that only we know, by bytes; undefined where there is none. */
export function ownMagic(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, "fig-kiwi") || startsWith(bytes, "fig-jam.")) return FIGMA
  if (startsWith(bytes, "PK\x03\x04") && hasEntry(bytes, "canvas.fig")) return FIGMA
  if (isOldTar(bytes)) return "application/x-tar"
  return undefined
}

/** The type that the package names, if more than two bytes bear it out. */
export function confirmType(mime: string, bytes: Uint8Array): string | undefined {
  const check = WEAK[mime]
  return check === undefined || check(bytes) ? mime : undefined
}

/** What a compound file of old Office holds. */
export function compoundMime(bytes: Uint8Array): string {
  const names = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = COMPOUND.find(([name]) => names.includes(Buffer.from(name, "utf16le")))
  return found?.[1] ?? "application/x-cfb"
}

const FIGMA = "application/vnd.figma"

const COMPOUND: readonly (readonly [string, string])[] = [
  ["EncryptedPackage", "application/x-cfb"],
  ["WordDocument", "application/msword"],
  ["PowerPoint Document", "application/vnd.ms-powerpoint"],
  ["Workbook", "application/vnd.ms-excel"],
  ["__properties_version", "application/vnd.ms-outlook"],
]

export function startsWith(bytes: Uint8Array, ascii: string, from = 0): boolean {
  if (bytes.length < from + ascii.length) return false
  for (let at = 0; at < ascii.length; at++)
    if (bytes[from + at] !== ascii.charCodeAt(at)) return false
  return true
}

/** A PDF may begin with a mark or some spaces, and with nothing else. */
export function startsPdf(bytes: Uint8Array): boolean {
  let at = startsWith(bytes, "\xef\xbb\xbf") ? 3 : 0
  while (at < 1024 && isSpace(bytes[at])) at += 1
  return startsWith(bytes, "%PDF-", at)
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d)
}

function hasEntry(bytes: Uint8Array, name: string): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return head.includes(name)
}

const TAR_BLOCK = 512
const CHECKSUM = { start: 148, end: 156 }

/** A tape archive from before it had a mark: its first block adds up. */
function isOldTar(bytes: Uint8Array): boolean {
  if (bytes.length < TAR_BLOCK || bytes[0] === 0) return false
  const said = Buffer.from(bytes.subarray(CHECKSUM.start, CHECKSUM.end)).toString("latin1")
  if (!/^ *[0-7]{4,6}[ \0]*$/.test(said)) return false
  let sum = 8 * 0x20
  for (let at = 0; at < TAR_BLOCK; at++)
    if (at < CHECKSUM.start || at >= CHECKSUM.end) sum += bytes[at] ?? 0
  return sum === Number.parseInt(said, 8)
}

const WEAK: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  "image/bmp": isBitmap,
  "application/x-msdownload": isProgram,
  "audio/mpeg": isMpegAudio,
  "audio/aac": (bytes) => !hasOnlyAFrame(bytes),
  "image/jxl": (bytes) => startsWith(bytes, "\0\0\0\x0cJXL ") || bytes.length > 16,
}

const BITMAP_HEADERS = [12, 40, 52, 56, 64, 108, 124]

function isBitmap(bytes: Uint8Array): boolean {
  return bytes.length >= 26 && BITMAP_HEADERS.includes(viewOf(bytes).getUint32(14, true))
}

function isProgram(bytes: Uint8Array): boolean {
  if (bytes.length < 64) return false
  return startsWith(bytes, "PE\0\0", viewOf(bytes).getUint32(60, true))
}

/** A tag, or two frames that follow each other as the first one says. */
function isMpegAudio(bytes: Uint8Array): boolean {
  if (startsWith(bytes, "ID3")) return true
  const length = mpegFrameLength(bytes, 0)
  if (length === undefined) return false
  return length >= bytes.length || mpegFrameLength(bytes, length) !== undefined
}

const BIT_RATES: Readonly<Record<string, readonly number[]>> = {
  "1/1": [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  "1/2": [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  "1/3": [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  "2/1": [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  "2/2": [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
const SAMPLE_RATES = [44_100, 48_000, 32_000]

/** How long the frame is that begins here; undefined where none does. */
function mpegFrameLength(bytes: Uint8Array, at: number): number | undefined {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3)
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined
  const version = (second >> 3) & 3
  const layer = 4 - ((second >> 1) & 3)
  const rate = SAMPLE_RATES[(third >> 2) & 3]
  if (version === 1 || layer === 4 || rate === undefined) return undefined
  const generation = version === 3 ? "1" : "2"
  const table = BIT_RATES[`${generation}/${generation === "2" && layer === 3 ? 2 : layer}`]
  const kilobits = table?.[third >> 4]
  if (!kilobits) return undefined
  const samples = rate / (version === 3 ? 1 : version === 2 ? 2 : 4)
  const padding = (third >> 1) & 1
  if (layer === 1) return (Math.floor((12 * kilobits * 1000) / samples) + padding) * 4
  const factor = layer === 3 && generation === "2" ? 72 : 144
  return Math.floor((factor * kilobits * 1000) / samples) + padding
}

/** An ADTS frame says how long it is; what follows must be another. */
function hasOnlyAFrame(bytes: Uint8Array): boolean {
  if (bytes.length < 7 || !isAdts(bytes, 0)) return true
  const length = ((bytes[3] ?? 0) & 3) * 2048 + (bytes[4] ?? 0) * 8 + ((bytes[5] ?? 0) >> 5)
  return length < 7 || (length + 1 < bytes.length && !isAdts(bytes, length))
}

function isAdts(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xf6) === 0xf0
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
