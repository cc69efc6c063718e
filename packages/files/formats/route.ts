import { readFile } from "node:fs/promises"
import {
  type ConvertFile,
  type ConvertRequest,
  type Converted,
  type MadeFile,
  refuseConversion,
} from "./converted.ts"
import type { ShapeName } from "./programs.ts"
import type { SandboxContext } from "./sandboxed.ts"
import type { Transcriber } from "./transcriber.ts"
import { runProgramWhenNeeded, runReaderWhenNeeded } from "./when-needed.ts"

export interface ConvertContext extends SandboxContext {
  /** Who turns speech into text, where someone does. */
  readonly transcriber?: Transcriber | undefined
}

/** A way from a file to what was asked for. */
export type ConvertRoute = (
  file: ConvertFile,
  request: ConvertRequest,
  context: ConvertContext,
) => Promise<Converted>

interface ReadingOptions {
  /** So many times the usual memory. */
  readonly memory?: number
  /** The way to go where the reader's package is not installed. */
  readonly otherwise?: ConvertRoute
}

/** By one of our readers, in a child. */
export function reading(
  reader: string,
  { memory = 1, otherwise }: ReadingOptions = {},
): ConvertRoute {
  return async (file, request, context) => {
    const limits = { ...context.limits, memory_bytes: context.limits.memory_bytes * memory }
    const fragment = request.place?.fragment
    const { scratch, signal } = context
    const job = { reader, file, to: request.to, scratch, limits, ...(fragment ? { fragment } : {}) }
    const { answer } = await runReaderWhenNeeded(job, signal)
    if (answer.type === "scanned") return readPictures(answer.files, file, context)
    if (answer.type !== "lacking") return answer
    if (otherwise) return otherwise(file, request, context)
    return refuseConversion(
      `${file.name} needs ${answer.package}, which is not installed.`,
      answer.package,
    )
  }
}

/** By a foreign program. */
export function running(shape: ShapeName): ConvertRoute {
  return (file, _request, context) => runProgramWhenNeeded({ shape, file }, context)
}

/** By a foreign program that takes pages from one to another. */
export function paging(shape: ShapeName): ConvertRoute {
  return (file, request, context) => {
    const fragment = request.place?.fragment
    const first = fragment?.unit === "page" ? fragment.start : 1
    const last = fragment?.unit === "page" ? fragment.end : first + context.limits.pages - 1
    return runProgramWhenNeeded({ shape, file, values: { first, last } }, context)
  }
}

/** A PDF, or a smaller one with only the pages that were asked for. */
export const separating: ConvertRoute = async (file, request, context) => {
  const { path, name, mime, size } = file
  if (!request.place?.fragment) return { type: "files", files: [{ path, name, mime, size }] }
  const pages = await reading("pdf-pages", { memory: 2 })(file, request, context)
  if (pages.type !== "text") return pages
  const [first = 1, last = first] = pages.text.split(" ").map(Number)
  const run = { file, values: { first, last } }
  const lossless = await runProgramWhenNeeded({ shape: "pdf-to-pages", ...run }, context)
  if (lossless.type !== "refused" || lossless.install === undefined) return lossless
  const printed = await runProgramWhenNeeded({ shape: "pdf-to-printed-pages", ...run }, context)
  return printed.type === "refused" ? lossless : printed
}

/** One after the other: the first makes a file, the second reads that. */
export function chain(first: ConvertRoute, second: ConvertRoute): ConvertRoute {
  return async (file, request, context) => {
    const made = await first(file, request, context)
    if (made.type !== "files") return made
    const between = made.files[0]
    if (!between) return refuseConversion(`Nothing came of ${file.name}.`)
    const named = { ...asConvertFile(between), name: betweenName(file, between) }
    return second(named, request, context)
  }
}

/** The second where the first refuses; if both do, the first says why. */
export function either(first: ConvertRoute, second: ConvertRoute): ConvertRoute {
  return async (file, request, context) => {
    const answer = await first(file, request, context)
    if (answer.type !== "refused") return answer
    const other = await second(file, request, context)
    return other.type === "refused" ? refuseConversion(answer.reason, other.install) : other
  }
}

/** The text of a picture, by someone who reads pictures. */
export const recognising: ConvertRoute = (file, _request, context) =>
  readPictures(
    [{ path: file.path, name: file.name, mime: file.mime, size: file.size }],
    file,
    context,
  )

/** The text that a program wrote into a file. */
export async function readDocumentText(answer: Converted): Promise<string> {
  if (answer.type !== "files" || !answer.files[0]) return ""
  return readFile(answer.files[0].path, "utf8")
}

async function readPictures(
  pictures: readonly MadeFile[],
  file: ConvertFile,
  context: ConvertContext,
): Promise<Converted> {
  const texts: string[] = []
  for (const [at, picture] of pictures.entries()) {
    const answer = await runProgramWhenNeeded(
      { shape: "ocr", file: asConvertFile(picture) },
      context,
    )
    if (answer.type === "refused")
      return refuseConversion(
        `${file.name} has no text that can be copied. ${answer.reason}`,
        answer.install,
      )
    const text = (await readDocumentText(answer)).trim()
    if (text !== "") texts.push(pictures.length > 1 ? `## Picture ${at + 1}\n\n${text}` : text)
  }
  const text = texts.join("\n\n").slice(0, context.limits.text_bytes)
  const note = `The text was read from ${pictures.length} pictures and may hold mistakes.`
  return { type: "text", text, truncated: false, note }
}

function asConvertFile(made: MadeFile): ConvertFile {
  const { path, name, mime, size } = made
  const kind = mime === "application/pdf" ? "pdf" : mime.startsWith("image/") ? "image" : "binary"
  return { path, name, mime, size, kind }
}

/** What is shown of it has the user's name, and the end that fits. */
function betweenName({ name }: ConvertFile, between: MadeFile): string {
  const end = /\.[a-z0-9]+$/.exec(between.name)?.[0] ?? ""
  return `${name}${end}`
}
