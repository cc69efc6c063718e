import { namesOf } from "compositor-core/message/untyped"
/** What a foreign program may be asked to do: the whole list. Words in braces are filled in; they are
 *  numbers, or paths that the sandbox gives names to. */
export interface CommandShape {
  /** The first of these that is installed. */
  readonly programs: readonly string[]
  /** The Debian package that brings it. */
  readonly package: string
  readonly arguments: readonly string[]
  /** Which of the files that it leaves are its result. */
  readonly makes: RegExp
  readonly mime: string
  readonly address_space_bytes: number
  readonly milliseconds: number
}

const GIGABYTE = 1024 * 1024 * 1024
const QUIET_FFMPEG = ["-nostdin", "-v", "error", "-protocol_whitelist", "file", "-threads", "2"]
const FROM_TO = ["-ss", "{start}", "-t", "{length}", "-i", "{input}"]

const FFMPEG = {
  programs: ["ffmpeg"],
  package: "ffmpeg",
  address_space_bytes: 4 * GIGABYTE,
  milliseconds: 120_000,
} as const

// A profile of its own for each run: of two that share one, the second writes nothing.
const OFFICE = {
  programs: ["soffice", "libreoffice"],
  arguments: [
    "-env:UserInstallation=file:///tmp/profile",
    ..."--headless --norestore --nolockcheck --nodefault --convert-to pdf --outdir /out".split(" "),
    "{input}",
  ],
  makes: /\.pdf$/,
  mime: "application/pdf",
  address_space_bytes: 8 * GIGABYTE,
  milliseconds: 90_000,
} as const

const COMMAND_SHAPES = {
  "writer-to-pdf": { ...OFFICE, package: "libreoffice-writer" },
  "calc-to-pdf": { ...OFFICE, package: "libreoffice-calc" },
  "impress-to-pdf": { ...OFFICE, package: "libreoffice-impress" },
  "postscript-to-pdf": {
    programs: ["gs"],
    package: "ghostscript",
    arguments: [
      ..."-dSAFER -dBATCH -dNOPAUSE -dQUIET -dEPSCrop -sDEVICE=pdfwrite".split(" "),
      "-sOutputFile=/out/page.pdf",
      "{input}",
    ],
    makes: /\.pdf$/,
    mime: "application/pdf",
    address_space_bytes: 2 * GIGABYTE,
    milliseconds: 60_000,
  },
  "image-to-png": {
    programs: ["magick", "convert"],
    package: "imagemagick",
    arguments: [
      ..."-limit memory 512MiB -limit map 512MiB -limit disk 0 -limit area 64MP".split(" "),
      "{input}[0]",
      "png:/out/image.png",
    ],
    makes: /\.png$/,
    mime: "image/png",
    address_space_bytes: 4 * GIGABYTE,
    milliseconds: 60_000,
  },
  "pdf-to-png": {
    programs: ["pdftoppm"],
    package: "poppler-utils",
    arguments: [..."-png -f {first} -l {last} -scale-to 2000".split(" "), "{input}", "/out/page"],
    makes: /\.png$/,
    mime: "image/png",
    address_space_bytes: 2 * GIGABYTE,
    milliseconds: 60_000,
  },
  "pdf-to-pages": {
    programs: ["qpdf"],
    package: "qpdf",
    arguments: ["{input}", "--pages", ".", "{first}-{last}", "--", "/out/pages.pdf"],
    makes: /\.pdf$/,
    mime: "application/pdf",
    address_space_bytes: 2 * GIGABYTE,
    milliseconds: 60_000,
  },
  "pdf-to-printed-pages": {
    programs: ["gs"],
    package: "ghostscript",
    arguments: [
      ..."-dSAFER -dBATCH -dNOPAUSE -dQUIET -sDEVICE=pdfwrite".split(" "),
      ..."-dFirstPage={first} -dLastPage={last} -sOutputFile=/out/pages.pdf".split(" "),
      "{input}",
    ],
    makes: /\.pdf$/,
    mime: "application/pdf",
    address_space_bytes: 2 * GIGABYTE,
    milliseconds: 60_000,
  },
  "pdf-to-text": {
    programs: ["pdftotext"],
    package: "poppler-utils",
    arguments: [
      ..."-layout -enc UTF-8 -f {first} -l {last}".split(" "),
      "{input}",
      "/out/text.txt",
    ],
    makes: /\.txt$/,
    mime: "text/plain",
    address_space_bytes: 2 * GIGABYTE,
    milliseconds: 60_000,
  },
  ocr: {
    programs: ["tesseract"],
    package: "tesseract-ocr",
    arguments: ["{input}", "/out/text"],
    makes: /\.txt$/,
    mime: "text/plain",
    address_space_bytes: 4 * GIGABYTE,
    milliseconds: 60_000,
  },
  duration: {
    ...FFMPEG,
    programs: ["ffprobe"],
    arguments: [
      ..."-v error -protocol_whitelist file -show_entries format=duration -of csv=p=0".split(" "),
      ..."-o /out/duration.txt".split(" "),
      "{input}",
    ],
    makes: /\.txt$/,
    mime: "text/plain",
  },
  frames: {
    ...FFMPEG,
    arguments: [
      ...QUIET_FFMPEG,
      ...FROM_TO,
      ..."-vf fps={rate},scale='min(1280,iw)':-2 -frames:v {count} /out/frame-%03d.png".split(" "),
    ],
    makes: /\.png$/,
    mime: "image/png",
  },
  peaks: {
    ...FFMPEG,
    arguments: [
      ...QUIET_FFMPEG,
      ...FROM_TO,
      "-af",
      "aresample=8000,aformat=channel_layouts=mono,asetnsamples=n={samples}," +
        "astats=metadata=1:reset=1,ametadata=print:key=lavfi.astats.Overall.Peak_level:file=/out/peaks.txt",
      ..."-vn -f null -".split(" "),
    ],
    makes: /\.txt$/,
    mime: "text/plain",
  },
  "wave-to-png": {
    ...FFMPEG,
    arguments: [
      ...QUIET_FFMPEG,
      ...FROM_TO,
      ..."-filter_complex showwavespic=s=1200x300 -frames:v 1 /out/wave.png".split(" "),
    ],
    makes: /\.png$/,
    mime: "image/png",
  },
  "cut-to-wav": {
    ...FFMPEG,
    arguments: [...QUIET_FFMPEG, ...FROM_TO, ..."-vn -map_metadata -1 /out/cut.wav".split(" ")],
    makes: /\.wav$/,
    mime: "audio/wav",
  },
  "speech-to-wav": {
    ...FFMPEG,
    arguments: [...QUIET_FFMPEG, ...FROM_TO, ..."-vn -ac 1 -ar 16000 /out/speech.wav".split(" ")],
    makes: /\.wav$/,
    mime: "audio/wav",
  },
  "cut-to-mp3": {
    ...FFMPEG,
    arguments: [...QUIET_FFMPEG, ...FROM_TO, ..."-vn -map_metadata -1 /out/cut.mp3".split(" ")],
    makes: /\.mp3$/,
    mime: "audio/mpeg",
  },
  "cut-to-mp4": {
    ...FFMPEG,
    arguments: [
      ...QUIET_FFMPEG,
      ...FROM_TO,
      ..."-map_metadata -1 -preset veryfast -pix_fmt yuv420p -movflags +faststart".split(" "),
      "/out/cut.mp4",
    ],
    makes: /\.mp4$/,
    mime: "video/mp4",
  },
  whisper: {
    programs: ["whisper-cli", "whisper-cpp"],
    package: "whisper.cpp",
    arguments: "-m {model} -f {input} -np -otxt -of /out/text".split(" "),
    makes: /\.txt$/,
    mime: "text/plain",
    address_space_bytes: 16 * GIGABYTE,
    milliseconds: 600_000,
  },
} as const satisfies Readonly<Record<string, CommandShape>>

export type ShapeName = keyof typeof COMMAND_SHAPES

export function commandShape(name: ShapeName): CommandShape {
  return COMMAND_SHAPES[name]
}

export const SHAPE_NAMES: readonly ShapeName[] = namesOf(COMMAND_SHAPES)

/** What may stand for a word in braces: a number, or a path inside the sandbox. */
const FILLING = /^(?:\d{1,9}(?:\.\d{1,6})?|\/in\/[a-z]+(?:\.[a-z0-9]{1,8})?)$/

/** The shape's arguments with its words filled in. */
export function fillShape(
  { arguments: words }: CommandShape,
  values: Readonly<Record<string, string>>,
): string[] {
  return words.map((word) =>
    word.replace(/\{([a-z]+)\}/g, (_, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      if (value === undefined || !FILLING.test(value))
        throw new Error(`"${value}" cannot stand for {${name}} in a command.`)
      return value
    }),
  )
}
