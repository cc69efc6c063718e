import type { PromptBlock } from "./prompt.ts"

/** Estimates for gating and for showing: deliberately a little high, never a count. */
const BYTES_PER_TOKEN = 4
const MARGIN = 1.15
const PIXELS_PER_TOKEN = 750
/** A page of a PDF goes in as its text and its picture. */
const TOKENS_PER_PAGE = 2500
const BYTES_PER_PAGE = 50_000
/** Sound of ordinary quality, and film of ordinary quality with its sound. */
const AUDIO = { bytes_per_second: 16_000, tokens_per_second: 32 }
const VIDEO = { bytes_per_second: 250_000, tokens_per_second: 300 }

export function estimateTokens(text: string): number {
  return tokensOfBytes(utf8Length(text))
}

export function tokensOfBytes(bytes: number): number {
  return Math.ceil((bytes / BYTES_PER_TOKEN) * MARGIN)
}

export function imageTokens(width: number, height: number): number {
  return Math.ceil((width * height) / PIXELS_PER_TOKEN)
}

/** The number of pages is a guess from the size: opening the document is not worth an estimate. */
export function documentTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_PAGE) * TOKENS_PER_PAGE
}

export function blockTokens(block: PromptBlock): number {
  switch (block.type) {
    case "text":
    case "reasoning":
      return estimateTokens(block.text)
    case "image":
      return imageTokens(block.width, block.height)
    case "audio":
      return tokensOfTime(block.media.size, AUDIO)
    case "video":
      return tokensOfTime(block.media.size, VIDEO)
    case "document":
      return documentTokens(block.media.size)
    case "tool-call":
      return tokensOfBytes(blockBytes(block))
    case "tool-result":
      return block.blocks.reduce((sum, inner) => sum + blockTokens(inner), 0)
  }
}

function tokensOfTime(bytes: number, rate: typeof AUDIO): number {
  return Math.ceil((bytes / rate.bytes_per_second) * rate.tokens_per_second)
}

/** Bytes that a block shows, before base64. */
export function blockBytes(block: PromptBlock): number {
  switch (block.type) {
    case "text":
    case "reasoning":
      return utf8Length(block.text)
    case "image":
    case "audio":
    case "video":
    case "document":
      return block.media.size
    case "tool-call":
      return utf8Length(block.name) + utf8Length(JSON.stringify(block.input) ?? "")
    case "tool-result":
      return block.blocks.reduce((sum, inner) => sum + blockBytes(inner), 0)
  }
}

/** The length in UTF-8, without encoding. A lone surrogate counts as the three bytes it becomes. */
export function utf8Length(text: string): number {
  const first = text.search(NOT_ASCII)
  if (first < 0) return text.length
  let bytes = text.length
  for (let at = first; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    if (isPair(text, at)) at += 1
  }
  return bytes
}

const NOT_ASCII = /[\u0080-\uffff]/

function isPair(text: string, at: number): boolean {
  const high = text.charCodeAt(at)
  const low = text.charCodeAt(at + 1)
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000
}
