import type { MediaLimits } from "../model/capabilities.ts"
import { PDF, WEB_IMAGES } from "../model/media-types.ts"
import type { ModelUsage } from "../model/prompt.ts"
import { decodedBytes, MEGABYTE, type ModelTraits, SIGHTED } from "./define-wire.ts"
import { readCount, record } from "./read.ts"

export const OPENAI_BASE_URL = "https://api.openai.com/v1"

export const GPT: ModelTraits = {
  context_tokens: 1_050_000,
  output_tokens: 128_000,
  input: SIGHTED,
  thinking: ["off", "effort"],
}

export const OPENAI_IMAGE: MediaLimits = {
  mimes: WEB_IMAGES,
  sources: ["base64", "url", "file-id"],
  // The whole data URL counts; its head is shorter than this.
  max_bytes: decodedBytes(20 * MEGABYTE - 64),
  max_count: 500,
  max_total_bytes: 50 * MEGABYTE,
}

export const OPENAI_PDF: MediaLimits = {
  mimes: PDF,
  sources: ["base64", "url", "file-id"],
  max_bytes: 50 * MEGABYTE,
  implied_by: "image",
}

/** What OpenAI's APIs count, by their words for what was asked and what was answered. */
export function openaiUsage(
  value: unknown,
  asked: "prompt" | "input",
  answered: "completion" | "output",
): ModelUsage | undefined {
  const told = record(value)
  if (!told) return undefined
  const cached = record(told[`${asked}_tokens_details`])
  const cache_read = readCount(cached?.cached_tokens)
  const cache_write = readCount(cached?.cache_write_tokens)
  const reasoning = readCount(record(told[`${answered}_tokens_details`])?.reasoning_tokens)
  return {
    input: Math.max(0, readCount(told[`${asked}_tokens`]) - cache_read - cache_write),
    output: Math.max(0, readCount(told[`${answered}_tokens`]) - reasoning),
    reasoning,
    cache_read,
    cache_write,
  }
}
