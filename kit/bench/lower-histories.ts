import { randomBytes } from "node:crypto"
import type { FileBlobs } from "../../packages/files/blobs/blobs.ts"
import type { RawMessage } from "../../packages/engine/store/store.ts"
import { kilobyteOfText } from "./text.ts"

/** One thing that was said, before anybody's shape: everyone is given the same. */
export type Said =
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "answer"; readonly text: string }
  | {
      readonly type: "call"
      readonly id: string
      readonly input: Readonly<Record<string, unknown>>
      readonly result: string
    }
  | { readonly type: "image"; readonly text: string; readonly at: number }

export const TOOL = "read"

export function talk(count: number): Said[] {
  return Array.from({ length: count }, (_, index) => ({
    type: index % 2 === 0 ? "user" : "answer",
    text: kilobyteOfText(),
  }))
}

/** `count` messages as a wire counts them: a call is one, and its result another. */
export function work(count: number): Said[] {
  const calls = Array.from({ length: (count - 2) / 2 }, (_, index): Said => {
    const input = { path: `src/a${index}.ts`, range: { start: 1, end: 200 } }
    return { type: "call", id: `toolu_${index}`, input, result: kilobyteOfText() }
  })
  return [
    { type: "user", text: "Read everything." },
    ...calls,
    { type: "answer", text: kilobyteOfText() },
  ]
}

export function pictures(count: number): Said[] {
  return Array.from({ length: count }, (_, at) => [
    { type: "image", text: `Picture ${at}.`, at } as const,
    { type: "answer", text: "I see." } as const,
  ]).flat()
}

const MEGABYTE = 1024 * 1024
/** 1000 x 1000 pixels, and the start of their data. */
const PNG_HEAD = Buffer.concat([
  Buffer.from("89504e470d0a1a0a0000000d49484452000003e8000003e808060000004d6d7fe6", "hex"),
  Buffer.from("000ffff149444154", "hex"),
])

/** Bytes that begin like a picture and cannot be compressed. */
export function pictureBytes(size: number = MEGABYTE): Buffer {
  return Buffer.concat([PNG_HEAD, randomBytes(size - PNG_HEAD.length)])
}

export interface Picture {
  readonly content_id: string
  readonly size: number
}

export async function storePictures(
  blobs: FileBlobs,
  images: readonly Uint8Array[],
): Promise<Picture[]> {
  const stored: Picture[] = []
  for (const bytes of images) stored.push(await blobs.putBytes(bytes))
  return stored
}

/** The rows that the store would have kept of it. */
export function rowsOf(history: readonly Said[], images: readonly Picture[] = []): RawMessage[] {
  return history.map((said, index) => {
    const part = <Data extends { readonly type: string }>(data: Data, at = 0) => ({
      id: `prt_${index}_${at}`,
      type: data.type,
      data_json: JSON.stringify(data),
    })
    switch (said.type) {
      case "user":
        return row(index, "user", [part({ type: "text", text: said.text })])
      case "answer":
        return row(index, "assistant", [part({ type: "text", text: said.text })])
      case "call":
        return row(index, "assistant", [part(toolPart(said))])
      case "image":
        return row(index, "user", [
          part({ type: "text", text: said.text }),
          part(imagePart(said.at, images[said.at]), 1),
        ])
    }
  })
}

function row(seq: number, role: "user" | "assistant", parts: RawMessage["parts"]): RawMessage {
  const metadata_json = JSON.stringify(METADATA[role])
  return { id: `msg_${seq}`, role, seq, created_at: 1_700_000_000_000 + seq, metadata_json, parts }
}

const METADATA = {
  user: { schema_version: 1, source: "typed" },
  assistant: {
    turn_id: "trn_0000000000000000000000",
    model: { provider_id: "anthropic", model_id: "claude-x" },
    finish: "stop",
    usage: { input: 1, output: 2, reasoning: 3, cache_read: 4, cache_write: 5 },
  },
} as const

/** As a session leaves it, its fields in that order. */
function toolPart({ id, input, result }: Extract<Said, { type: "call" }>) {
  return {
    type: `tool-${TOOL}`,
    tool_call_id: id,
    state: "output-available",
    input,
    initiator: "model",
    started_at: 1_700_000_000_000,
    read_only: true,
    output: { data: aboutResult(input, result), blocks: [{ type: "text", text: result }] },
    metadata: { duration_ms: 3 },
  } as const
}

/** What the tool says beside the text that it gives back. */
export function aboutResult(input: { readonly path?: unknown }, content: string): object {
  const lines = { start: 1, end: 200, total: 400 }
  return { path: input.path, mime: "text/typescript", size: content.length, lines }
}

function imagePart(at: number, image: Picture | undefined) {
  if (!image) throw new Error(`there is no picture ${at}`)
  return {
    type: "file-attachment",
    name: `${at}.png`,
    mime: "image/png",
    content_id: image.content_id,
    size: image.size,
  } as const
}
