import type { ModelUsage } from "compositor-core/model/prompt"
import { count, record } from "./read.ts"

/** What OpenAI's APIs count, by their words for what was asked and what was answered. */
export function openaiUsage(
  value: unknown,
  asked: "prompt" | "input",
  answered: "completion" | "output",
): ModelUsage | undefined {
  const told = record(value)
  if (!told) return undefined
  const cached = record(told[`${asked}_tokens_details`])
  const cache_read = count(cached?.cached_tokens)
  const cache_write = count(cached?.cache_write_tokens)
  const reasoning = count(record(told[`${answered}_tokens_details`])?.reasoning_tokens)
  return {
    input: Math.max(0, count(told[`${asked}_tokens`]) - cache_read - cache_write),
    output: Math.max(0, count(told[`${answered}_tokens`]) - reasoning),
    reasoning,
    cache_read,
    cache_write,
  }
}
