import { createWriteStream } from "node:fs"
import { type FileHandle, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { z } from "zod"
import {
  CONVERT_LIMITS,
  type ConvertFile,
  type ConvertRequest,
} from "compositor-files/formats/converted"
import type { Transcriber } from "compositor-files/formats/transcriber"
import { SNIFF_BYTES, sniff } from "compositor-files/kinds/sniff"
import { makeTemporary } from "compositor-files/disk/temporary"
import { openWithin } from "compositor-files/disk/within"
import { MAX_FRAGMENT_CHARACTERS, parseFragment } from "compositor-core/message/file-location"
import { cutText } from "./output.ts"
import {
  admitText,
  requireAdmitted,
  deniedAt,
  requireGranted,
  resolveToolPath,
  plainPath,
  scratchOf,
} from "./place.ts"
import { defineTool, type Tool, ToolError, type ToolOutput, type ToolRuntime } from "./tool.ts"

const Input = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(4096)
    .describe("A file of the workspace or scratch, or an attachment."),
  to: z.enum(["text", "png", "pdf"]),
  fragment: z
    .string()
    .max(MAX_FRAGMENT_CHARACTERS)
    .optional()
    .describe("A place in it: page=3-7, t=40,70, sheet=Q3&range=A1:D20."),
})
type Input = z.output<typeof Input>

/** Text, pages or a PDF out of a document, a sheet, a drawing or a recording. Files that are made lie in
 *  scratch, from where `attach` shows them (BIN-033). */
export function convertTool(transcriber?: Transcriber): Tool {
  return defineTool({
    id: "convert",
    aliases: [],
    description:
      "Make text, PNG pages or a PDF of a file that you cannot read: office, PDF, PSD, fig, audio, video, e-mail, e-book. Use attach to see the files that it makes.",
    input: Input,
    requires: ["fs.read"],
    read_only: false,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ path }) => plainPath(path),
    execute: (input, runtime) => convertIt(input, runtime, transcriber),
  })
}

async function convertIt(
  input: Input,
  runtime: ToolRuntime,
  transcriber: Transcriber | undefined,
): Promise<ToolOutput> {
  const request = requestOf(input)
  const place = await resolveToolPath(input.path, runtime)
  const opened = requireGranted(await openWithin(place.root, place.path, "file"))
  // Where it lies while it is made; only what fits goes on into scratch.
  const folder = await makeTemporary(tmpdir(), "compositor-convert-")
  try {
    const denial = deniedAt(place, opened.realPath, "fs.read", runtime)
    if (denial !== undefined) throw new ToolError(`${denial}.`)
    const file = await copied(opened, folder, runtime)
    const { convert } = await import("compositor-files/formats/convert")
    const { signal } = runtime
    const made = await convert(file, request, { scratch: folder, signal, transcriber })
    if (made.type === "refused") throw new ToolError(refusal(made))
    if (made.type === "text") return await textOutput(made, opened.realPath, runtime)
    return { data: { files: await kept(made.files, runtime), ...noteOf(made) } }
  } finally {
    await opened.handle.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function requestOf({ to, fragment }: Input): ConvertRequest {
  if (fragment === undefined) return { to }
  const read = parseFragment(fragment)
  if (read?.type !== "fragment") throw new ToolError(`#${fragment} names no place in a file.`)
  return { to, place: { fragment: read.fragment } }
}

// The reader is another process: it is given a copy of what was opened, and no way to anything else.
async function copied(
  { handle, realPath, stats }: { handle: FileHandle; realPath: string; stats: { size: number } },
  folder: string,
  runtime: ToolRuntime,
): Promise<ConvertFile> {
  const { size } = stats
  const name = basename(realPath)
  requireAdmitted(await runtime.ingress({ origin: "ref", path: realPath, size }))
  if (size > CONVERT_LIMITS.input_bytes)
    throw new ToolError(`${name} has ${size} bytes, more than ${CONVERT_LIMITS.input_bytes}.`)
  const head = Buffer.alloc(Math.min(SNIFF_BYTES, size))
  await handle.read(head, 0, head.length, 0)
  const { mime, kind } = await sniff(head, name, size <= SNIFF_BYTES)
  const path = join(folder, "input")
  const source = handle.createReadStream({ start: 0, end: Math.max(0, size - 1), autoClose: false })
  await pipeline(source, createWriteStream(path), { signal: runtime.signal })
  return { name, mime, kind, size, path }
}

function refusal({ reason, install }: { reason: string; install?: string | undefined }): string {
  return install === undefined ? reason : `${reason} The package ${install} would do it.`
}

function noteOf({ note }: { note?: string | undefined }): { note?: string } {
  return note === undefined ? {} : { note }
}

async function textOutput(
  made: { text: string; truncated: boolean; note?: string | undefined },
  path: string,
  runtime: ToolRuntime,
): Promise<ToolOutput> {
  const shown = await admitText(runtime, { origin: "ref", path, text: made.text })
  const cut = await cutText(shown.text, runtime)
  const notes = [made.note, shown.note ?? undefined].filter((note) => note !== undefined)
  const data = notes.length === 0 ? cut.text : { text: cut.text, notes }
  return { data, ...(made.truncated ? { truncated: true } : {}), ...cut.about }
}

async function kept(
  files: readonly { path: string; name: string; mime: string; size: number }[],
  runtime: ToolRuntime,
) {
  const scratch = await scratchOf(runtime)
  const folder = `converted/${runtime.call_id.replace(/[^\w-]/g, "_").slice(0, 64)}`
  const shown: { path: string; mime: string; size: number }[] = []
  for (const { path, name, mime, size } of files) {
    const written = requireGranted(await scratch.write(`${folder}/${name}`, await readFile(path)))
    shown.push({ path: written.realPath, mime, size })
  }
  return shown
}
