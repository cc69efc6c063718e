import type { ReaderAnswer, Job } from "./converted.ts"

/** Reads one kind of file, in a child. What it cannot read it refuses. */
type FormatReader = (job: Job) => Promise<ReaderAnswer>

/** Each is loaded when it is asked for: a reader of text needs no WebAssembly. */
export const READERS: Readonly<Record<string, () => Promise<FormatReader>>> = {
  csv: async () => (await import("./read/csv.ts")).readCsv,
  docx: async () => (await import("./read/docx.ts")).readDocx,
  eml: async () => (await import("./read/eml.ts")).readEml,
  epub: async () => (await import("./read/epub.ts")).readEpub,
  fig: async () => (await import("./read/fig.ts")).readFig,
  heic: async () => (await import("./read/heic.ts")).readHeic,
  html: async () => (await import("./read/html.ts")).readHtml,
  image: async () => (await import("./read/image.ts")).readImage,
  json: async () => (await import("./read/json.ts")).readJsonFile,
  media: async () => (await import("./read/media.ts")).readMedia,
  notebook: async () => (await import("./read/notebook.ts")).readNotebook,
  opendocument: async () => (await import("./read/opendocument.ts")).readOpenDocument,
  pdf: async () => (await import("./read/pdf.ts")).readPdf,
  "pdf-pages": async () => (await import("./read/pdf.ts")).countPages,
  pptx: async () => (await import("./read/pptx.ts")).readPptx,
  psd: async () => (await import("./read/psd.ts")).readPsd,
  svg: async () => (await import("./read/svg.ts")).readSvg,
  text: async () => (await import("./read/text.ts")).readText,
  xlsx: async () => (await import("./read/xlsx.ts")).readXlsx,
}
