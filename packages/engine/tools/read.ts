import type { FileKind } from "compositor-core/file/loaded-file"
import { z } from "zod"
import { decodeText, SNIFF_BYTES, sniff } from "compositor-files/kinds/sniff"
import { surroundingText } from "compositor-files/workspace/surroundings"
import { readWorkspaceFile } from "compositor-files/workspace/workspace"
import { cutText, SHOWN_BYTES, textOutput } from "./output.ts"
import {
  admitText,
  deniedAt,
  requireGranted,
  type ToolPath,
  resolveToolPath,
  plainPath,
} from "./place.ts"
import { defineTool, type Tool, ToolError, type ToolOutput, type ToolRuntime } from "./tool.ts"

/** More than this is read in pieces. */
const MAX_FILE_BYTES = 4 * 1024 * 1024

const Input = z.strictObject({
  path: z.string().min(1).max(4096).describe("A path of the workspace, of scratch, or dir_…/path."),
  start: z.int().min(0).optional().describe("First line (from 1), or first byte (from 0)."),
  end: z.int().min(0).optional().describe("Last line, included; or the byte where it ends."),
  unit: z
    .enum(["line", "byte"])
    .optional()
    .describe("What start and end count: lines if left out."),
})
type Input = z.output<typeof Input>

/** Text only: what is no text has tools of its own (VIS-001). */
export function readTool(): Tool {
  return defineTool({
    id: "read",
    aliases: [],
    description:
      "Read a text file, or some lines of it. Long output is cut; its metadata says where all of it is.",
    input: Input,
    requires: ["fs.read"],
    read_only: true,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ path }) => plainPath(path),
    execute: readText,
  })
}

async function readText(input: Input, runtime: ToolRuntime): Promise<ToolOutput> {
  const place = await resolveToolPath(input.path, runtime)
  const range = rangeOf(input)
  const read = await readWorkspaceFile(place.root, place.path, { range, maxBytes: MAX_FILE_BYTES })
  const found = requireGranted(read)
  const denial = deniedAt(place, found.realPath, "fs.read", runtime)
  if (denial !== undefined) throw new ToolError(`${denial}.`)
  if (found.type === "too-large" && range)
    throw new ToolError(
      `That much of ${input.path} has over ${MAX_FILE_BYTES} bytes: ask for less.`,
    )
  if (found.type === "too-large") return readHead(place, found, runtime)
  const { bytes, realPath, lines, size, note } = found
  const { mime, kind } = await sniff(bytes.subarray(0, SNIFF_BYTES), place.path, isWhole(bytes))
  const text = kind === "text" ? decodeText(bytes, input.unit !== "byte") : undefined
  if (text === undefined) throw new ToolError(notText(input.path, mime, kind))
  const around = found.around && surroundingText(found.around)
  const shown = await admitText(runtime, { origin: "ref", path: realPath, mime, text, ...around })
  const cut = await cutText(shown.text, runtime)
  const notes = [input.end === undefined ? null : note, shown.note].filter((each) => each !== null)
  const about = { path: input.path, mime, size, ...(lines ? { lines } : {}) }
  const data = { ...about, ...(notes.length > 0 ? { notes } : {}) }
  return { data, ...textOutput(cut.text), ...cut.about }
}

function rangeOf({ start, end, unit = "line" }: Input) {
  if (start === undefined && end === undefined) return undefined
  const first = unit === "line" ? Math.max(1, start ?? 1) : (start ?? 0)
  const last = end ?? (unit === "line" ? Number.MAX_SAFE_INTEGER : first + SHOWN_BYTES)
  if (last < first) throw new ToolError(`The range ends at ${last}, before it starts at ${first}.`)
  return { start: first, end: last, unit }
}

function isWhole(bytes: Uint8Array): boolean {
  return bytes.length <= SNIFF_BYTES
}

interface Large {
  readonly size: number
  readonly realPath: string
  readonly head: Uint8Array
}

async function readHead(place: ToolPath, large: Large, runtime: ToolRuntime): Promise<ToolOutput> {
  const { size, realPath, head } = large
  const { mime, kind } = await sniff(head, place.path, false)
  if (kind !== "text") throw new ToolError(notText(place.shown, mime, kind))
  const range = { start: 0, end: SHOWN_BYTES, unit: "byte" } as const
  const read = await readWorkspaceFile(place.root, place.path, { range, maxBytes: SHOWN_BYTES })
  const found = requireGranted(read)
  const bytes = found.type === "content" ? found.bytes : head
  const text = decodeText(bytes, false) ?? ""
  const around = found.type === "content" && found.around && surroundingText(found.around)
  const shown = await admitText(runtime, { origin: "ref", path: realPath, mime, text, ...around })
  const note = `It has ${size} bytes: read on with start and end.`
  const notes = shown.note === null ? [note] : [note, shown.note]
  const data = { path: place.shown, mime, size, notes }
  return { data, ...textOutput(shown.text), truncated: true, output_path: place.shown }
}

const WHAT_ELSE: Readonly<Record<Exclude<FileKind, "text">, string>> = {
  image: "Use read_image to see it.",
  pdf: "Use attach to see its pages, or its skill to get its text.",
  audio: "Use attach, or its skill.",
  video: "Use attach, or its skill.",
  archive: "Use extract.",
  binary: "Use its skill, or a converter.",
}

function notText(path: string, mime: string, kind: FileKind): string {
  const hint = kind === "text" ? "Its letters cannot be read." : WHAT_ELSE[kind]
  return `${path} is ${mime} and not text. ${hint}`
}
