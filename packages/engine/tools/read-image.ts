import { z } from "zod"
import { conditionOf, TAIL_BYTES } from "compositor-files/formats/condition"
import { imageSize } from "compositor-files/kinds/image-size"
import { SNIFF_BYTES, sniff } from "compositor-files/kinds/sniff"
import { readWorkspaceFile } from "compositor-files/workspace/workspace"
import { type Capabilities, resolveNative } from "compositor-core/model/capabilities"
import type { Block } from "compositor-core/model/prompt"
import { requireAdmitted, deniedAt, resolveToolPath, plainPath } from "./place.ts"
import { defineTool, type Tool, ToolError, type ToolOutput, type ToolRuntime } from "./tool.ts"

const MAX_IMAGE_BYTES = 20 * 1024 * 1024

const Input = z.strictObject({
  path: z.string().min(1).max(4096).describe("A path of the workspace, of scratch, or dir_…/path."),
})

/** An image as a model that sees may be given it. */
export interface Picture {
  readonly bytes: Uint8Array
  readonly mime: string
  readonly width: number
  readonly height: number
}

/** Makes an image fit what an API takes; undefined when it cannot. */
export type ShrinkImage = (
  bytes: Uint8Array,
  limits: {
    readonly max_bytes: number
    readonly max_side_pixels?: number | undefined
    readonly mimes: readonly string[]
  },
) => Promise<Picture | undefined>

/** Why an image is not shown (VIS-001). */
type Refusal = {
  readonly type: "refused"
  readonly reason: "absent" | "unperceivable" | "too-large"
  readonly message: string
}

/** Pixels, or a refusal that says of which kind it is. */
export function readImageTool(shrink?: ShrinkImage): Tool {
  return defineTool({
    id: "read_image",
    aliases: ["view_image"],
    description: "See an image: PNG, JPEG, GIF or WebP, and others where they can be converted.",
    input: Input,
    requires: ["fs.read"],
    read_only: true,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ path }) => plainPath(path),
    execute: ({ path }, runtime) => show(path, runtime, shrink),
  })
}

async function show(
  path: string,
  runtime: ToolRuntime,
  shrink: ShrinkImage | undefined,
): Promise<ToolOutput> {
  const place = await resolveToolPath(path, runtime)
  const read = await readWorkspaceFile(place.root, place.path, { maxBytes: MAX_IMAGE_BYTES })
  if (read.type === "refused") {
    if (read.outcome === "denied") throw new ToolError(`${read.reason}.`)
    return refused("absent", read.reason)
  }
  const denial = deniedAt(place, read.realPath, "fs.read", runtime)
  if (denial !== undefined) throw new ToolError(`${denial}.`)
  if (read.type === "too-large")
    return refused("too-large", `${path} has ${read.size} bytes, more than ${MAX_IMAGE_BYTES}`)
  const { bytes } = read
  const { mime, kind } = await sniff(bytes.subarray(0, SNIFF_BYTES), place.path, false)
  requireAdmitted(
    await runtime.ingress({ origin: "ref", path: read.realPath, mime, size: bytes.length }),
  )
  if (kind !== "image") return refused("unperceivable", `${path} is ${mime} and no image`)
  const picture = await pictureOf(bytes, mime, { capabilities: runtime.capabilities, shrink })
  if ("reason" in picture) return refused(picture.reason, `${path} ${picture.message}`)
  return shown(path, picture, runtime)
}

interface Eyes {
  readonly capabilities: Capabilities
  readonly shrink: ShrinkImage | undefined
}

/** The image as it is, if the model takes it so; else made to fit, if it can be. */
export async function pictureOf(
  bytes: Uint8Array,
  mime: string,
  { capabilities, shrink }: Eyes,
): Promise<Picture | Omit<Refusal, "type">> {
  const size = imageSize(bytes)
  const facts = { kind: "image", mime, size: bytes.length, ...size } as const
  const answer = resolveNative(capabilities, facts)
  const whole = conditionOf({
    mime,
    kind: "image",
    head: bytes,
    tail: bytes.subarray(-TAIL_BYTES),
    size: bytes.length,
  })
  if (whole === "damaged") return { reason: "unperceivable", message: "is damaged: it is cut off" }
  if (answer.native && size) return { bytes, mime, ...size }
  if (answer.native)
    return { reason: "unperceivable", message: "is damaged: its header says no size" }
  if (answer.reason === "api" || answer.reason === "model")
    return { reason: "unperceivable", message: `cannot be shown: ${answer.sentence}` }
  const limits = capabilities.media.image
  const fitted = limits && (await shrink?.(bytes, limits))
  if (fitted) return fitted
  const reason = answer.reason === "mime" ? "unperceivable" : "too-large"
  return { reason, message: `cannot be shown: ${answer.sentence}` }
}

async function shown(path: string, picture: Picture, runtime: ToolRuntime): Promise<ToolOutput> {
  const { bytes, mime, width, height } = picture
  const { content_id, size } = await runtime.blobs.putBytes(bytes)
  const media = { mime, name: path, size, content_id }
  const block: Block = { type: "image", media, width, height }
  return { data: { type: "image", path, mime, size, width, height, content_id }, blocks: [block] }
}

function refused(reason: Refusal["reason"], message: string): ToolOutput {
  const data: Refusal = { type: "refused", reason, message }
  return { data }
}
