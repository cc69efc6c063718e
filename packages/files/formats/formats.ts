import type { FileFragment } from "compositor-core/message/file-location"
import type { ConvertFile, ConvertTarget } from "./converted.ts"
import { listing } from "./listing.ts"
import { describing, drawing, framing } from "./recording.ts"
import {
  chain,
  either,
  paging,
  type ConvertRoute,
  reading,
  recognising,
  running,
  separating,
} from "./route.ts"

type FragmentUnit = FileFragment["unit"]

export interface Way {
  readonly route: ConvertRoute
  /** Places inside the file that this way can take out. */
  readonly units: readonly FragmentUnit[]
}

/** A kind of file, how it is known, and what can be made of it. */
interface Format {
  readonly name: string
  readonly mimes: readonly string[]
  /** These decide where the bytes say only "text", "zip" or nothing. */
  readonly extensions: readonly string[]
  /** The skill that teaches it, of those that come with us. */
  readonly skill?: string
  readonly to: Readonly<Partial<Record<ConvertTarget, Way>>>
}

/** What a file is, for those who convert it. */
export function formatOf({
  name,
  mime,
  kind,
}: Pick<ConvertFile, "name" | "mime" | "kind">): Format | undefined {
  const extension = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ""
  const named = FORMATS.find(({ extensions }) => extensions.includes(extension))
  if (VAGUE.has(mime) && named) return named
  return (
    FORMATS.find(({ mimes }) => mimes.includes(mime)) ?? FORMATS.find(({ name }) => name === kind)
  )
}

/** Types that say how a file is packed, not what it is. */
const VAGUE: ReadonlySet<string> = new Set([
  "text/plain",
  "application/octet-stream",
  "application/zip",
  "application/json",
  "application/xml",
  "text/xml",
  "application/x-cfb",
  "application/msword",
])

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
const SLIDES = "application/vnd.openxmlformats-officedocument.presentationml"
const CELLS = "application/vnd.openxmlformats-officedocument.spreadsheetml"
const OPEN = "application/vnd.oasis.opendocument"

const PICTURES = { memory: 2 }
const popplerText = chain(paging("pdf-to-text"), reading("text"))
const popplerPictures = paging("pdf-to-png")
const poppler: ConvertRoute = (file, request, context) =>
  (request.to === "png" ? popplerPictures : popplerText)(file, request, context)
const pdf = reading("pdf", { ...PICTURES, otherwise: poppler })
const writer = running("writer-to-pdf")
const calc = running("calc-to-pdf")
const impress = running("impress-to-pdf")
const postscript = running("postscript-to-pdf")
const image = reading("image", PICTURES)

/** A document that a suite prints, and whose pages are then a PDF's. */
function printed(suite: ConvertRoute) {
  return {
    pdf: { route: chain(suite, separating), units: ["page"] },
    png: { route: chain(suite, pdf), units: ["page"] },
  } as const
}

function suiteOnly(suite: ConvertRoute): Format["to"] {
  return { text: { route: chain(suite, pdf), units: ["page"] }, ...printed(suite) }
}

const FORMATS: readonly Format[] = [
  {
    name: "pdf",
    skill: "pdf",
    mimes: ["application/pdf", "application/illustrator"],
    extensions: ["pdf", "ai"],
    to: {
      text: { route: pdf, units: ["page"] },
      png: { route: pdf, units: ["page"] },
      pdf: { route: separating, units: ["page"] },
    },
  },
  {
    name: "docx",
    skill: "office",
    mimes: [
      `${WORD}.document`,
      `${WORD}.template`,
      "application/vnd.ms-word.document.macroenabled.12",
    ],
    extensions: ["docx", "docm", "dotx"],
    to: { text: { route: reading("docx"), units: [] }, ...printed(writer) },
  },
  {
    name: "pptx",
    skill: "office",
    mimes: [`${SLIDES}.presentation`, `${SLIDES}.slideshow`, `${SLIDES}.template`],
    extensions: ["pptx", "pptm", "ppsx"],
    to: { text: { route: reading("pptx"), units: ["page"] }, ...printed(impress) },
  },
  {
    name: "xlsx",
    skill: "office",
    mimes: [`${CELLS}.sheet`, `${CELLS}.template`],
    extensions: ["xlsx", "xlsm", "xltx"],
    to: { text: { route: reading("xlsx"), units: ["cells"] }, ...printed(calc) },
  },
  {
    name: "odt",
    skill: "opendocument",
    mimes: [`${OPEN}.text`, `${OPEN}.text-template`],
    extensions: ["odt", "ott"],
    to: { text: { route: reading("opendocument"), units: [] }, ...printed(writer) },
  },
  {
    name: "odp",
    skill: "opendocument",
    mimes: [`${OPEN}.presentation`, `${OPEN}.graphics`],
    extensions: ["odp", "odg"],
    to: { text: { route: reading("opendocument"), units: ["page"] }, ...printed(impress) },
  },
  {
    name: "ods",
    skill: "opendocument",
    mimes: [`${OPEN}.spreadsheet`],
    extensions: ["ods", "ots"],
    to: { text: { route: reading("opendocument"), units: ["cells"] }, ...printed(calc) },
  },
  { name: "doc", skill: "office", mimes: [], extensions: ["doc", "dot"], to: suiteOnly(writer) },
  {
    name: "rtf",
    skill: "office",
    mimes: ["application/rtf", "text/rtf"],
    extensions: ["rtf"],
    to: suiteOnly(writer),
  },
  {
    name: "xls",
    skill: "office",
    mimes: ["application/vnd.ms-excel"],
    extensions: ["xls"],
    to: suiteOnly(calc),
  },
  {
    name: "ppt",
    skill: "office",
    mimes: ["application/vnd.ms-powerpoint"],
    extensions: ["ppt", "pps"],
    to: suiteOnly(impress),
  },
  {
    name: "postscript",
    skill: "psd",
    mimes: ["application/postscript", "application/eps"],
    extensions: ["ps", "eps"],
    to: suiteOnly(postscript),
  },
  {
    name: "csv",
    skill: "csv",
    mimes: ["text/csv", "text/tab-separated-values"],
    extensions: ["csv", "tsv"],
    to: { text: { route: reading("csv"), units: ["line", "byte", "cells"] } },
  },
  {
    name: "notebook",
    skill: "csv",
    mimes: ["application/x-ipynb+json"],
    extensions: ["ipynb"],
    to: {
      text: { route: reading("notebook"), units: [] },
      png: { route: reading("notebook"), units: [] },
    },
  },
  {
    name: "json",
    skill: "csv",
    mimes: ["application/json"],
    extensions: ["json"],
    to: { text: { route: reading("json"), units: ["line", "byte"] } },
  },
  {
    name: "html",
    mimes: ["text/html", "application/xhtml+xml"],
    extensions: ["html", "htm", "xhtml"],
    to: { text: { route: reading("html"), units: ["line", "byte"] } },
  },
  {
    name: "svg",
    mimes: ["image/svg+xml"],
    extensions: ["svg"],
    to: {
      text: { route: reading("svg"), units: ["line", "byte"] },
      png: { route: reading("svg", PICTURES), units: ["region"] },
    },
  },
  {
    name: "mail",
    mimes: ["message/rfc822"],
    extensions: ["eml"],
    to: { text: { route: reading("eml"), units: [] } },
  },
  {
    name: "epub",
    mimes: ["application/epub+zip"],
    extensions: ["epub"],
    to: { text: { route: reading("epub"), units: [] } },
  },
  {
    name: "psd",
    skill: "psd",
    mimes: ["image/vnd.adobe.photoshop", "application/x-photoshop"],
    extensions: ["psd", "psb"],
    to: {
      text: { route: reading("psd", PICTURES), units: [] },
      png: {
        route: either(reading("psd", PICTURES), running("image-to-png")),
        units: ["region"],
      },
    },
  },
  {
    name: "fig",
    skill: "fig",
    mimes: ["application/vnd.figma", "application/x-fig"],
    extensions: ["fig"],
    to: {
      text: { route: reading("fig", PICTURES), units: [] },
      png: { route: reading("fig"), units: [] },
    },
  },
  {
    name: "heic",
    mimes: ["image/heic", "image/heif"],
    extensions: ["heic", "heif"],
    to: {
      text: { route: chain(reading("heic", PICTURES), recognising), units: [] },
      png: { route: reading("heic", PICTURES), units: ["region"] },
    },
  },
  {
    name: "bitmap",
    mimes: ["image/bmp", "image/x-icon", "image/vnd.microsoft.icon", "image/x-tga"],
    extensions: ["bmp", "ico", "tga", "pcx", "xcf"],
    to: {
      text: { route: chain(running("image-to-png"), recognising), units: [] },
      png: { route: chain(running("image-to-png"), image), units: ["region"] },
    },
  },
  {
    name: "image",
    mimes: [],
    extensions: [],
    to: {
      text: { route: chain(image, recognising), units: ["region"] },
      png: { route: image, units: ["region"] },
    },
  },
  {
    name: "audio",
    skill: "audio",
    mimes: [],
    extensions: [],
    to: { text: { route: describing, units: ["time"] }, png: { route: drawing, units: ["time"] } },
  },
  {
    name: "video",
    skill: "video",
    mimes: [],
    extensions: [],
    to: { text: { route: describing, units: ["time"] }, png: { route: framing, units: ["time"] } },
  },
  {
    name: "archive",
    skill: "archive",
    mimes: [],
    extensions: [],
    to: { text: { route: listing, units: [] } },
  },
  {
    name: "text",
    mimes: [],
    // Text in an old encoding looks like bytes.
    extensions: ["txt", "md", "log", "xml", "srt", "ini", "tex"],
    to: { text: { route: reading("text"), units: ["line", "byte"] } },
  },
]
