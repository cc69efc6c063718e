import type { MediaFile } from "./loaded-file.ts"
import {
  type Capabilities,
  mediaKind,
  type RefusalReason,
  resolveNative,
} from "../model/capabilities.ts"
import type { Block, MediaBlock } from "../model/prompt.ts"
import { blockTokens } from "../model/tokens.ts"
import { oneLine, showBytes, showName } from "./name.ts"
import { base64Length } from "../model/media-types.ts"
import { type MediaUse, REQUEST_RESERVE_BYTES } from "./plan.ts"
import type { Circumstances, LoweringPolicy } from "./policy.ts"
import { type LoweredPart, verdict } from "./verdict.ts"

/** Why a medium is not sent, as the end of a sentence. */
interface MediaRefusal {
  readonly why: string
  /** The requirement that decided, where it is not that of the file's kind. */
  readonly rule?: string
}

/** Why this model is not sent the medium of this file; undefined when it is. */
export function mediaRefusal(file: MediaFile, at: Circumstances): MediaRefusal | undefined {
  const { media, kind, width, height, pages } = file
  const kept = heldBack(media.content_id, at)
  if (kept) return kept
  if (file.condition === "encrypted") return { why: "it is locked with a password" }
  const facts = { kind, mime: media.mime, size: media.size, width, height, pages }
  const answer = resolveNative(at.capabilities, facts)
  if (!answer.native) return { why: answer.sentence }
  const crowd = crowdRefusal(file, at)
  return crowd === undefined ? undefined : { why: crowd }
}

function heldBack(
  content_id: string,
  { part_id, policy }: Pick<Circumstances, "part_id" | "policy">,
): MediaRefusal | undefined {
  if (policy.refused?.has(content_id))
    return { why: "the provider refused it before", rule: "BEY-02" }
  if (policy.demoted?.has(part_id)) return { why: "it made room for newer media", rule: "VIS-002" }
  return undefined
}

function crowdRefusal({ kind, media }: MediaFile, at: Circumstances): string | undefined {
  const { capabilities, spent } = at
  const limits = capabilities.media[kind]
  if (limits?.max_count !== undefined && spent.media_count[kind] >= limits.max_count)
    return `a request may carry ${limits.max_count} of its kind`
  const most = limits?.max_total_bytes ?? Infinity
  const room = capabilities.max_request_bytes - REQUEST_RESERVE_BYTES
  const full =
    spent.kind_bytes[kind] + media.size > most ||
    base64Length(spent.media_bytes + media.size) > room
  return full ? "the request would be too large" : undefined
}

/** Why an image is refused that a smaller one would not be. */
export const HELPED_BY_SHRINKING: ReadonlySet<RefusalReason> = new Set(["size", "pixels", "mime"])

/** Assumed of an image whose header is not read here: an ordinary photograph, scaled as APIs do. */
const ASSUMED = { width: 1536, height: 1024 }
const READ_HEADERS: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
])

/** The file as a block; undefined when its header is damaged. */
export function nativeBlock(file: MediaFile): MediaBlock | undefined {
  const { kind, media, width, height } = file
  switch (kind) {
    case "image":
      if (width !== undefined && height !== undefined)
        return { type: "image", media, width, height }
      return READ_HEADERS.has(media.mime) ? undefined : { type: "image", media, ...ASSUMED }
    case "pdf":
    case "office":
      return { type: "document", media }
    case "audio":
    case "video":
      return { type: kind, media }
  }
}

/** What a block takes of a request. */
export function useOf(part_id: string, block: MediaBlock): MediaUse {
  const about = { part_id, kind: mediaKind(block), bytes: block.media.size }
  const tokens = blockTokens(block)
  if (block.type !== "image") return { ...about, tokens }
  return { ...about, tokens, side: Math.max(block.width, block.height) }
}

interface ResultCircumstances {
  readonly part_id: string
  readonly capabilities: Capabilities
  readonly policy: LoweringPolicy
}

/** A medium that a tool gave back, as this model is sent it: itself, or one line in its place. */
export function collectSentMedia(
  block: MediaBlock,
  at: ResultCircumstances,
): { readonly block: Block; readonly use: MediaUse | null; readonly verdict: LoweredPart } {
  const { media } = block
  const { content_id } = media
  const refusal = resultRefusal(block, at)
  if (!refusal) {
    const reason = "The model is given the medium itself."
    return {
      block,
      use: useOf(at.part_id, block),
      verdict: verdict("native", "VIS-002", { reason, block, content_id }),
    }
  }
  const facts = `${showName(media.name)}, ${media.mime}, ${showBytes(media.size)}`
  const why = oneLine(refusal.why)
  const text = `[${block.type}: ${facts}. Not shown: ${why}.]`
  const reason = `Only its name, type and size are shown: ${why}.`
  const told = verdict("descriptor", refusal.rule ?? "VIS-002", { reason, text, content_id })
  return { block: { type: "text", text }, use: null, verdict: told }
}

function resultRefusal(block: MediaBlock, at: ResultCircumstances): MediaRefusal | undefined {
  const { mime, size, content_id } = block.media
  const kept = heldBack(content_id, at)
  if (kept) return kept
  const pixels = block.type === "image" ? { width: block.width, height: block.height } : {}
  const facts = { kind: mediaKind(block), mime, size, ...pixels }
  const answer = resolveNative(at.capabilities, facts)
  return answer.native ? undefined : { why: answer.sentence }
}
