import type { FileKind } from "compositor-core/file/loaded-file"
import { basename } from "node:path"
import { z } from "zod"
import { conditionOf, TAIL_BYTES } from "compositor-files/formats/condition"
import { decodeText, SNIFF_BYTES, sniff } from "compositor-files/kinds/sniff"
import { readWorkspaceFile } from "compositor-files/workspace/workspace"
import { type MediaKind, resolveNative } from "compositor-core/model/capabilities"
import type { Block, Media } from "compositor-core/model/prompt"
import { cutText } from "./output.ts"
import {
  admitText,
  requireAdmitted,
  deniedAt,
  requireGranted,
  type ToolPath,
  resolveToolPath,
  plainPath,
  scratchOf,
} from "./place.ts"
import { pictureOf, type ShrinkImage } from "./read-image.ts"
import { defineTool, type Tool, ToolError, type ToolOutput, type ToolRuntime } from "./tool.ts"

const MAX_BYTES = 64 * 1024 * 1024

const Input = z.strictObject({
  path: z.string().min(1).max(4096).describe("A file of scratch or of the workspace."),
  name: z.string().min(1).max(255).optional().describe("What it is called: its own name, else."),
})
type Input = z.output<typeof Input>

/** A file that was made on the way comes in like one that the user attached (BIN-033). */
export function attachTool(shrink?: ShrinkImage): Tool {
  return defineTool({
    id: "attach",
    aliases: [],
    description:
      "Attach a file, such as one that a command made, so that you are shown it: image, PDF, audio, video or text.",
    input: Input,
    requires: ["fs.read"],
    read_only: true,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ path }) => plainPath(path),
    execute: (input, runtime) => attach(input, runtime, shrink),
  })
}

interface Attached {
  readonly name: string
  readonly mime: string
  readonly kind: FileKind
  readonly bytes: Uint8Array
  readonly realPath: string
}

async function attach(
  input: Input,
  runtime: ToolRuntime,
  shrink: ShrinkImage | undefined,
): Promise<ToolOutput> {
  const file = await readFile(input, runtime)
  if ("data" in file) return file
  const { mime, kind, bytes, realPath, name } = file
  if (kind === "text") return attachText(file, runtime)
  requireAdmitted(
    await runtime.ingress({ origin: "attachment", path: realPath, name, mime, size: bytes.length }),
  )
  const fault = conditionOf({
    mime,
    kind,
    head: bytes.subarray(0, SNIFF_BYTES),
    tail: bytes.subarray(-TAIL_BYTES),
    size: bytes.length,
  })
  if (fault !== undefined) return described(file, runtime, `it is ${fault}`)
  if (kind === "image") return attachImage(file, runtime, shrink)
  const as = MEDIA[kind]
  if (as === undefined) return described(file, runtime, "models do not read this format")
  const answer = resolveNative(runtime.capabilities, { kind: as, mime, size: bytes.length })
  if (!answer.native) return described(file, runtime, answer.sentence)
  const media = await keep(file, runtime)
  const type = as === "pdf" ? "document" : as
  return { data: { ...media, outcome: "native" }, blocks: [{ type, media }] }
}

const MEDIA: Readonly<Partial<Record<FileKind, Exclude<MediaKind, "image" | "office">>>> = {
  pdf: "pdf",
  audio: "audio",
  video: "video",
}

async function readFile(input: Input, runtime: ToolRuntime): Promise<Attached | ToolOutput> {
  const place = await resolveToolPath(input.path, runtime)
  const found = requireGranted(
    await readWorkspaceFile(place.root, place.path, { maxBytes: MAX_BYTES }),
  )
  const denial = deniedAt(place, found.realPath, "fs.read", runtime)
  if (denial !== undefined) throw new ToolError(`${denial}.`)
  const name = input.name ?? basename(found.realPath)
  if (found.type === "too-large") return promote({ ...found, name, place }, runtime)
  const { bytes, realPath } = found
  const complete = bytes.length <= SNIFF_BYTES
  const { mime, kind } = await sniff(bytes.subarray(0, SNIFF_BYTES), name, complete)
  return { name, mime, kind, bytes, realPath }
}

interface Large {
  readonly name: string
  readonly place: ToolPath
  readonly head: Uint8Array
  readonly size: number
  readonly realPath: string
}

/** What was made and is too large to be shown lasts all the same: nothing of it is held in memory. */
async function promote(large: Large, runtime: ToolRuntime): Promise<ToolOutput> {
  const { name, place, head, size, realPath } = large
  const reason = `it has ${size} bytes, more than ${MAX_BYTES}`
  if (place.kind !== "scratch") throw new ToolError(`${place.shown} is not attached: ${reason}.`)
  const { mime } = await sniff(head, name, false)
  requireAdmitted(await runtime.ingress({ origin: "attachment", path: realPath, name, mime, size }))
  const kept = await (await scratchOf(runtime)).promote(runtime.blobs, place.path)
  if ("reason" in kept) throw new ToolError(`${kept.reason}.`)
  return { data: { name, mime, ...kept, outcome: "descriptor", reason } }
}

async function attachText(file: Attached, runtime: ToolRuntime): Promise<ToolOutput> {
  const { name, mime, bytes, realPath } = file
  const text = decodeText(bytes)
  if (text === undefined) return described(file, runtime, "its letters cannot be read")
  const shown = await admitText(runtime, { origin: "attachment", path: realPath, name, mime, text })
  const cut = await cutText(shown.text, runtime)
  const note = shown.note === null ? {} : { notes: [shown.note] }
  const blocks: Block[] = [{ type: "text", text: `Attached file ${name}:\n${cut.text}` }]
  const media = await keep({ ...file, bytes: Buffer.from(shown.text) }, runtime)
  return { data: { ...media, outcome: "inlined", ...note }, blocks, ...cut.about }
}

async function attachImage(file: Attached, runtime: ToolRuntime, shrink: ShrinkImage | undefined) {
  const { capabilities } = runtime
  const picture = await pictureOf(file.bytes, file.mime, { capabilities, shrink })
  if ("reason" in picture) return described(file, runtime, picture.message)
  const { width, height, ...shown } = picture
  const media = await keep({ ...file, ...shown }, runtime)
  const block: Block = { type: "image", media, width, height }
  return { data: { ...media, width, height, outcome: "native" }, blocks: [block] }
}

/** Bytes that the model cannot use are not shown: it is told what they are (CMP-031). */
async function described(file: Attached, runtime: ToolRuntime, why: string): Promise<ToolOutput> {
  const media = await keep(file, runtime)
  return { data: { ...media, outcome: "descriptor", reason: why } }
}

async function keep(
  { name, mime, bytes }: Omit<Attached, "realPath" | "kind">,
  runtime: ToolRuntime,
): Promise<Media> {
  const { content_id, size } = await runtime.blobs.putBytes(bytes)
  return { name, mime, size, content_id }
}
