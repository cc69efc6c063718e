import type { Block } from "./prompt.ts"

/** Estimates for gating and for showing: deliberately a little high, never a count. */
const BYTES_PER_TOKEN = 4
const MARGIN = 1.15
const PIXELS_PER_TOKEN = 750
/** A page of a PDF goes in as its text and its picture. */
const TOKENS_PER_PAGE = 2500
const BYTES_PER_PAGE = 50_000

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

export function blockTokens(block: Block): number {
  switch (block.type) {
    case "text":
      return estimateTokens(block.text)
    case "image":
      return imageTokens(block.width, block.height)
    case "document":
      return documentTokens(block.media.size)
  }
}

/** Bytes that a block shows, before base64. */
export function blockBytes(block: Block): number {
  return block.type === "text" ? utf8Length(block.text) : block.media.size
}

/** The length in UTF-8, without encoding. A lone surrogate counts as the three bytes it becomes. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    if (isPair(text, at)) at += 1
  }
  return bytes
}

function isPair(text: string, at: number): boolean {
  const high = text.charCodeAt(at)
  const low = text.charCodeAt(at + 1)
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000
}
