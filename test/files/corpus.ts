import type { FileKind } from "../../packages/core/file/loaded-file.ts"
import { brotliCompressSync, crc32, deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib"
import { bytes, gif, jpeg, png, webp } from "../build.ts"

/** A file as someone might attach it, and what it is. */
export interface Sample {
  readonly name: string
  readonly bytes: Buffer
  readonly mime: string
  readonly kind: FileKind
}

const UNKNOWN = "application/octet-stream"

function sample(name: string, content: Buffer | string, mime: string, kind: FileKind): Sample {
  return { name, bytes: Buffer.from(content), mime, kind }
}

/** Real files of many kinds, and files that are not what they are called. */
export function corpus(): Sample[] {
  return [
    ...texts(),
    ...encodings(),
    ...images(),
    ...media(),
    ...archives(),
    ...documents(),
    ...lies(),
  ]
}

const CODE = "export function a(b) {\n  return b + 1 // grüße 日本\n}\n"

const TEXT_NAMES: Readonly<Record<string, string>> = {
  "a.txt": "text/plain",
  "a.md": "text/markdown",
  README: "text/plain",
  Makefile: "text/plain",
  "a.ts": "text/typescript",
  "a.tsx": "text/typescript",
  "a.mts": "text/typescript",
  "a.js": "text/javascript",
  "a.mjs": "text/javascript",
  "a.py": "text/x-python",
  "a.rs": "text/x-rust",
  "a.go": "text/x-go",
  "a.c": "text/x-c",
  "a.h": "text/x-c",
  "a.cpp": "text/x-c++",
  "a.java": "text/x-java",
  "a.kt": "text/x-kotlin",
  "a.rb": "text/x-ruby",
  "a.php": "text/x-php",
  "a.sh": "text/x-shellscript",
  "a.sql": "application/sql",
  "a.css": "text/css",
  "a.html": "text/html",
  "a.xml": "application/xml",
  "a.svg": "image/svg+xml",
  "a.json": "application/json",
  "a.jsonl": "application/jsonl",
  "a.ndjson": "application/jsonl",
  "a.yaml": "application/yaml",
  "a.toml": "application/toml",
  "a.ini": "text/x-ini",
  "a.csv": "text/csv",
  "a.tsv": "text/tab-separated-values",
  "a.ipynb": "application/x-ipynb+json",
  "a.eml": "message/rfc822",
  "a.ics": "text/calendar",
  "a.vcf": "text/vcard",
  "a.tex": "text/x-tex",
  "a.srt": "application/x-subrip",
  "a.diff": "text/x-diff",
  "a.rtf": "application/rtf",
  "a.log": "text/plain",
  "a.fig": "text/plain",
  "a.vue": "text/x-vue",
}

function texts(): Sample[] {
  const plain = Object.entries(TEXT_NAMES).map(([name, mime]) => sample(name, CODE, mime, "text"))
  return [
    ...plain,
    sample("empty.ts", "", "text/typescript", "text"),
    sample("bom.json", "\uFEFF{}", "application/json", "text"),
    sample("log.txt", "\x1b[31mred\x1b[0m\n", "text/plain", "text"),
    sample("BMW.txt", "BMW builds cars", "text/plain", "text"),
    sample("MZ.txt", "MZ is short for Mark", "text/plain", "text"),
    sample("G.ts", `G${"x".repeat(187)}G${"x".repeat(187)}G`, "text/typescript", "text"),
    sample("gif.txt", "GIF89a is a format", "text/plain", "text"),
    sample("ID3.txt", "ID3 tags are for music", "text/plain", "text"),
    sample("pk.txt", "PK is a country", "text/plain", "text"),
    sample("ustar.txt", `${"a".repeat(257)}ustar`, "text/plain", "text"),
    sample("long.csv", "a,b,c\n".repeat(5000), "text/csv", "text"),
    sample("emoji.md", "👩‍👩‍👧‍👦 ".repeat(100), "text/markdown", "text"),
  ]
}

const GERMAN =
  "Schöne Grüße aus Köln, wo die Straßen über den Fluss führen. Wir hören später mehr. "
const FRENCH = "L'été dernier, nous avons mangé des crêpes près de la forêt où naît la rivière. "
const RUSSIAN =
  "Съешь же ещё этих мягких французских булок, да выпей чаю. Это обычный русский текст. "
const JAPANESE =
  "これは日本語の文章です。今日は天気がよいので、散歩に行きました。とても楽しかったです。"
const KOREAN = "이것은 한국어 문장입니다. 오늘은 날씨가 좋아서 산책을 했습니다. 정말 즐거웠습니다. "
const CHINESE = "这是一个中文句子。今天天气很好，所以我去散步了。我们都很高兴，明天还会再来。"
const GREEK =
  "Αυτό είναι ένα ελληνικό κείμενο για να δούμε αν το σύστημα καταλαβαίνει τη γλώσσα μας. "

const WRITTEN: readonly (readonly [charset: string, text: string])[] = [
  ["windows-1252", GERMAN],
  ["windows-1252", FRENCH],
  ["windows-1251", RUSSIAN],
  ["koi8-r", RUSSIAN],
  ["iso-8859-7", GREEK],
  ["shift_jis", JAPANESE],
  ["euc-jp", JAPANESE],
  ["euc-kr", KOREAN],
  ["gb18030", CHINESE],
  ["big5", CHINESE.replaceAll("这", "這").replaceAll("个", "個").replaceAll("气", "氣")],
]

function encodings(): Sample[] {
  const legacy = WRITTEN.map(([charset, text], at) =>
    sample(`${charset}-${at}.txt`, encode(text.repeat(4), charset), "text/plain", "text"),
  )
  const wide = Buffer.from(`${GERMAN}${RUSSIAN}`, "utf16le")
  return [
    ...legacy,
    sample("utf16le.txt", bytes([0xff, 0xfe], wide), "text/plain", "text"),
    sample("utf16be.txt", bytes([0xfe, 0xff], Buffer.from(wide).swap16()), "text/plain", "text"),
    sample("utf16-unmarked.csv", Buffer.from(GERMAN, "utf16le"), "text/csv", "text"),
    sample("utf16be-unmarked.csv", Buffer.from(GERMAN, "utf16le").swap16(), "text/csv", "text"),
    sample("iso-2022-jp.txt", bytes("Subject: \x1b$B%F%9%H\x1b(B\n"), "text/plain", "text"),
    sample("BM-latin.txt", encode(`BM ${GERMAN}`, "windows-1252"), "text/plain", "text"),
    sample(
      "latin.ts",
      encode(`// ${FRENCH}\nlet a = 1\n`, "windows-1252"),
      "text/typescript",
      "text",
    ),
  ]
}

const TABLES = new Map<string, Map<string, number[]>>()

/** Bytes of a text in an encoding that only a decoder is known of: the decoder is turned round. */
export function encode(text: string, charset: string): Buffer {
  const table = TABLES.get(charset) ?? tableOf(charset)
  TABLES.set(charset, table)
  return Buffer.from(Array.from(text).flatMap((letter) => table.get(letter) ?? [0x3f]))
}

function tableOf(charset: string): Map<string, number[]> {
  const table = new Map<string, number[]>()
  const decoder = new TextDecoder(charset, { fatal: true })
  const learn = (...sequence: number[]) => {
    try {
      const letter = decoder.decode(Uint8Array.from(sequence))
      if (Array.from(letter).length === 1 && !table.has(letter)) table.set(letter, sequence)
    } catch {
      // Not every pair of bytes is a letter.
    }
  }
  for (let first = 0; first < 256; first++) learn(first)
  for (let first = 0x81; first < 256; first++)
    for (let second = 0x40; second < 256; second++) learn(first, second)
  return table
}

function images(): Sample[] {
  return [
    sample("a.png", png(), "image/png", "image"),
    sample("large.png", png(6000, 4000), "image/png", "image"),
    sample("a.jpg", jpeg(), "image/jpeg", "image"),
    sample("exif.jpg", jpeg(800, 600, 30_000), "image/jpeg", "image"),
    sample("a.gif", gif(), "image/gif", "image"),
    sample("a.webp", webp("VP8 "), "image/webp", "image"),
    sample("b.webp", webp("VP8L"), "image/webp", "image"),
    sample("c.webp", webp("VP8X"), "image/webp", "image"),
    sample("a.heic", ftyp("heic"), "image/heic", "image"),
    sample("a.avif", ftyp("avif"), "image/avif", "image"),
    sample("a.bmp", bitmap(), "image/bmp", "image"),
    sample("a.tif", bytes("II*\0", [8, 0, 0, 0], Buffer.alloc(64)), "image/tiff", "image"),
    sample("b.tif", bytes("MM\0*", [0, 0, 0, 8], Buffer.alloc(64)), "image/tiff", "image"),
    sample("a.psd", bytes("8BPS", [0, 1], Buffer.alloc(40)), "image/vnd.adobe.photoshop", "binary"),
    sample("a.ico", bytes([0, 0, 1, 0, 1, 0], Buffer.alloc(60)), "image/x-icon", "binary"),
    sample(
      "a.fig",
      bytes("fig-kiwi", [15, 0, 0, 0], Buffer.alloc(64)),
      "application/vnd.figma",
      "binary",
    ),
    sample("b.fig", zip({ "canvas.fig": "fig-kiwi" }), "application/vnd.figma", "binary"),
    sample(
      "a.eps",
      "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n",
      "application/postscript",
      "binary",
    ),
  ]
}

function media(): Sample[] {
  return [
    sample("a.wav", riff("WAVE", "fmt "), "audio/wav", "audio"),
    sample("a.mp3", bytes("ID3", [3, 0, 0, 0, 0, 0, 0], mpegFrames()), "audio/mpeg", "audio"),
    sample("b.mp3", mpegFrames(), "audio/mpeg", "audio"),
    sample("a.flac", bytes("fLaC", [0, 0, 0, 34], Buffer.alloc(64)), "audio/flac", "audio"),
    sample("a.ogg", ogg("\x01vorbis"), "audio/ogg", "audio"),
    sample("a.opus", ogg("OpusHead"), "audio/ogg; codecs=opus", "audio"),
    sample("a.m4a", ftyp("M4A "), "audio/x-m4a", "audio"),
    sample("a.aiff", bytes("FORM", [0, 0, 0, 4], "AIFF", Buffer.alloc(64)), "audio/aiff", "audio"),
    sample(
      "a.mid",
      bytes("MThd", [0, 0, 0, 6, 0, 1, 0, 1, 0, 96], Buffer.alloc(20)),
      "audio/midi",
      "audio",
    ),
    sample("a.amr", bytes("#!AMR\n", [0x3c, 0, 1], Buffer.alloc(64)), "audio/amr", "audio"),
    sample("a.mp4", ftyp("isom"), "video/mp4", "video"),
    sample("b.mp4", ftyp("mp42"), "video/mp4", "video"),
    sample("a.mov", ftyp("qt  "), "video/quicktime", "video"),
    sample("a.mkv", matroska("matroska"), "video/matroska", "video"),
    sample("a.webm", matroska("webm"), "video/webm", "video"),
    sample("a.avi", riff("AVI ", "LIST"), "video/vnd.avi", "video"),
    sample("a.flv", bytes("FLV", [1, 5, 0, 0, 0, 9], Buffer.alloc(64)), "video/x-flv", "video"),
    sample("a.ts", transport(), "video/mp2t", "video"),
    sample("a.mpg", bytes([0, 0, 1, 0xba, 0x44], Buffer.alloc(64)), "video/MP2P", "video"),
  ]
}

function archives(): Sample[] {
  const tarball = tar("a.txt", "hello")
  return [
    sample("a.zip", zip({ "a.txt": "hello" }), "application/zip", "archive"),
    sample("empty.zip", bytes("PK\x05\x06", Buffer.alloc(18)), "application/zip", "archive"),
    sample("a.tar", tarball, "application/x-tar", "archive"),
    sample("v7.tar", tar("a.txt", "hello", false), "application/x-tar", "archive"),
    sample("a.gz", gzipSync("hello"), "application/gzip", "archive"),
    sample("a.tgz", gzipSync(tarball), "application/gzip", "archive"),
    sample(
      "a.zst",
      zstdCompressSync(Buffer.from("hello".repeat(9))),
      "application/zstd",
      "archive",
    ),
    sample("a.bz2", bytes("BZh91AY&SY", Buffer.alloc(40, 0x9c)), "application/x-bzip2", "archive"),
    sample(
      "a.xz",
      bytes([0xfd], "7zXZ", [0, 0, 4], Buffer.alloc(40)),
      "application/x-xz",
      "archive",
    ),
    sample(
      "a.7z",
      bytes("7z", [0xbc, 0xaf, 0x27, 0x1c, 0, 4], Buffer.alloc(40)),
      "application/x-7z-compressed",
      "archive",
    ),
    sample(
      "a.rar",
      bytes("Rar!", [0x1a, 7, 1, 0], Buffer.alloc(40)),
      "application/x-rar-compressed",
      "archive",
    ),
    sample("a.lz", bytes("LZIP", [1, 12], Buffer.alloc(40)), "application/lzip", "archive"),
    sample(
      "a.cab",
      bytes("MSCF", Buffer.alloc(60)),
      "application/vnd.ms-cab-compressed",
      "archive",
    ),
    sample("a.br", brotliCompressSync(Buffer.from("hello".repeat(99))), UNKNOWN, "binary"),
    sample(
      "a.jar",
      zip({ "META-INF/MANIFEST.MF": "Manifest-Version: 1.0" }),
      "application/java-archive",
      "archive",
    ),
  ]
}

const OFFICE = "application/vnd.openxmlformats-officedocument"
const OPEN = "application/vnd.oasis.opendocument"

function documents(): Sample[] {
  const pdf = "%PDF-1.7\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\nstartxref\n9\n%%EOF\n"
  return [
    sample("a.pdf", bytes(pdf), "application/pdf", "pdf"),
    sample("plain.pdf", "%PDF-1.4\nx", "application/pdf", "pdf"),
    sample("bom.pdf", bytes([0xef, 0xbb, 0xbf], pdf), "application/pdf", "pdf"),
    sample("lines.pdf", bytes("\r\n\r\n", pdf), "application/pdf", "pdf"),
    sample("vector.ai", bytes(pdf), "application/pdf", "pdf"),
    sample(
      "a.docx",
      office("word/document.xml", "wordprocessingml.document"),
      `${OFFICE}.wordprocessingml.document`,
      "binary",
    ),
    sample(
      "a.xlsx",
      office("xl/workbook.xml", "spreadsheetml.sheet"),
      `${OFFICE}.spreadsheetml.sheet`,
      "binary",
    ),
    sample(
      "a.pptx",
      office("ppt/presentation.xml", "presentationml.presentation"),
      `${OFFICE}.presentationml.presentation`,
      "binary",
    ),
    sample("a.odt", zip({ mimetype: `${OPEN}.text` }, 0), `${OPEN}.text`, "binary"),
    sample("a.ods", zip({ mimetype: `${OPEN}.spreadsheet` }, 0), `${OPEN}.spreadsheet`, "binary"),
    sample("a.odp", zip({ mimetype: `${OPEN}.presentation` }, 0), `${OPEN}.presentation`, "binary"),
    sample(
      "a.epub",
      zip({ mimetype: "application/epub+zip" }, 0),
      "application/epub+zip",
      "binary",
    ),
    sample("a.doc", compound("WordDocument"), "application/msword", "binary"),
    sample("a.xls", compound("Workbook"), "application/vnd.ms-excel", "binary"),
    sample("a.ppt", compound("PowerPoint Document"), "application/vnd.ms-powerpoint", "binary"),
    sample("a.msg", compound("__properties_version1.0"), "application/vnd.ms-outlook", "binary"),
    sample(
      "a.sqlite",
      bytes("SQLite format 3\0", Buffer.alloc(84)),
      "application/x-sqlite3",
      "binary",
    ),
    sample(
      "a.wasm",
      bytes([0], "asm", [1, 0, 0, 0], Buffer.alloc(16)),
      "application/wasm",
      "binary",
    ),
    sample(
      "a.elf",
      bytes([0x7f], "ELF", [2, 1, 1], Buffer.alloc(64)),
      "application/x-elf",
      "binary",
    ),
    sample("a.exe", program(), "application/x-msdownload", "binary"),
    sample("a.ttf", bytes([0, 1, 0, 0, 0, 12], Buffer.alloc(64)), "font/ttf", "binary"),
    sample("a.woff2", bytes("wOF2", [0, 1, 0, 0], Buffer.alloc(64)), "font/woff2", "binary"),
    sample(
      "a.parquet",
      bytes("PAR1", [0x15, 4], Buffer.alloc(64)),
      "application/vnd.apache.parquet",
      "binary",
    ),
  ]
}

/** Files that are not what they are called, or that only begin as what they are not. */
function lies(): Sample[] {
  return [
    sample("a.png", "<html><body>not found</body></html>", "text/plain", "text"),
    sample("b.png", '{"error":"gone"}', "text/plain", "text"),
    sample("c.png", jpeg(), "image/jpeg", "image"),
    sample("a.txt", png(), "image/png", "image"),
    sample("b.txt", bytes("%PDF-1.7\n"), "application/pdf", "pdf"),
    sample("a.pdf", "This is about %PDF-1.7 files.", "text/plain", "text"),
    sample("b.pdf", zip({ "a.txt": "hello" }), "application/zip", "archive"),
    sample("c.pdf", "<?xml version='1.0'?><pdf/>", "text/plain", "text"),
    sample("a.jpg", webp("VP8 "), "image/webp", "image"),
    sample("a.mp3", "just words", "text/plain", "text"),
    sample("b.mp3", bytes([0xff, 0xfb, 0x90, 0x44], noise(2000)), UNKNOWN, "binary"),
    sample("c.mp3", bytes([0xff, 0xf3], noise(2000)), UNKNOWN, "binary"),
    sample("a.aac", bytes([0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f], noise(2000)), UNKNOWN, "binary"),
    sample("a.bmp", bytes("BM", noise(200)), UNKNOWN, "binary"),
    sample("a.exe", bytes("MZ", noise(200)), UNKNOWN, "binary"),
    sample("noise.txt", noise(1000), UNKNOWN, "binary"),
    sample("noise.pdf", noise(1000), UNKNOWN, "binary"),
    sample("noise.png", noise(64), UNKNOWN, "binary"),
    sample("zeros.txt", Buffer.alloc(1000), UNKNOWN, "binary"),
    sample("zero.json", bytes("{}\0"), UNKNOWN, "binary"),
    sample("cut.png", png().subarray(0, 6), UNKNOWN, "binary"),
    sample("svg.png", "<svg xmlns='http://www.w3.org/2000/svg'/>", "text/plain", "text"),
    sample("a.html.png", "<!DOCTYPE html><script>1</script>", "text/plain", "text"),
    sample("script.gif", "GIF89a=1;alert(1)//", "text/plain", "text"),
  ]
}

/** Bytes that look like chance and are the same every time. */
function noise(length: number): Buffer {
  let state = 12_345
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return (state >>> 16) & 255
    }),
  )
}

function ftyp(brand: string): Buffer {
  return bytes([0, 0, 0, 24], "ftyp", brand, [0, 0, 0, 0], "mif1", brand, Buffer.alloc(64))
}

function riff(form: string, chunk: string): Buffer {
  return bytes(
    "RIFF",
    [36, 0, 0, 0],
    form,
    chunk,
    [16, 0, 0, 0],
    Buffer.alloc(16),
    "data",
    [0, 0, 0, 0],
  )
}

/** Two frames of silence: MPEG 1, layer 3, 128 kbit/s, 44.1 kHz. */
function mpegFrames(): Buffer {
  const frame = bytes([0xff, 0xfb, 0x90, 0x00], Buffer.alloc(413))
  return bytes(frame, frame)
}

function ogg(codec: string): Buffer {
  return bytes("OggS", [0, 2], Buffer.alloc(20), [1, 30], codec, Buffer.alloc(40))
}

function matroska(type: string): Buffer {
  const name = bytes([0x42, 0x82, 0x80 | type.length], type)
  return bytes([0x1a, 0x45, 0xdf, 0xa3, 0x80 | name.length], name, Buffer.alloc(40))
}

function transport(): Buffer {
  const packet = bytes([0x47, 0x40, 0, 0x10], Buffer.alloc(184, 0xff))
  return bytes(packet, packet, packet, packet)
}

function bitmap(): Buffer {
  return bytes("BM", [58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0], Buffer.alloc(40))
}

function program(): Buffer {
  const head = Buffer.alloc(64)
  head.write("MZ")
  head.writeUInt32LE(64, 60)
  return bytes(head, "PE\0\0", Buffer.alloc(64))
}

function compound(stream: string): Buffer {
  const head = bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], Buffer.alloc(504))
  return bytes(
    head,
    Buffer.from("Root Entry", "utf16le"),
    Buffer.alloc(108),
    Buffer.from(stream, "utf16le"),
    Buffer.alloc(64),
  )
}

function office(part: string, type: string): Buffer {
  const override = `<Override PartName="/${part}" ContentType="${OFFICE}.${type}.main+xml"/>`
  return zip({
    "[Content_Types].xml": `<?xml version="1.0"?><Types>${override}</Types>`,
    [part]: "<x/>",
  })
}

export function tar(name: string, content: string, marked = true): Buffer {
  const head = Buffer.alloc(512)
  head.write(name, 0)
  head.write("0000644\0", 100)
  head.write("0000000\0", 108)
  head.write("0000000\0", 116)
  head.write(content.length.toString(8).padStart(11, "0"), 124)
  head.write("00000000000\0", 136)
  head.write("        ", 148)
  if (marked) head.write("ustar\x0000", 257)
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  const body = Buffer.alloc(512)
  body.write(content)
  return bytes(head, body, Buffer.alloc(1024))
}

export function zip(files: Readonly<Record<string, string>>, method = 8, flags = 0): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const packed = method === 8 ? deflateRawSync(content) : Buffer.from(content)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(20, 4)
    head.writeUInt16LE(flags, 6)
    head.writeUInt16LE(method, 8)
    head.writeUInt32LE(crc32(content), 14)
    head.writeUInt32LE(packed.length, 18)
    head.writeUInt32LE(content.length, 22)
    head.writeUInt16LE(name.length, 26)
    const local = bytes(head, name, packed)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    head.copy(central, 6, 4, 30)
    central.writeUInt32LE(offset, 42)
    centrals.push(bytes(central, name))
    locals.push(local)
    offset += local.length
  }
  const directory = bytes(...centrals)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(locals.length, 8)
  end.writeUInt16LE(locals.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return bytes(...locals, directory, end)
}
