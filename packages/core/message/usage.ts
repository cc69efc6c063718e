import type { Usage } from "./row.ts"

/** What two requests came to. A cost is known only where one of them has one (SES-003). */
export function sumUsage(one: Usage | null, other: Usage | null): Usage | null {
  if (!one || !other) return one ?? other
  const cost_usd =
    one.cost_usd === undefined && other.cost_usd === undefined
      ? {}
      : { cost_usd: (one.cost_usd ?? 0) + (other.cost_usd ?? 0) }
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
    cache_read: one.cache_read + other.cache_read,
    cache_write: one.cache_write + other.cache_write,
    ...cost_usd,
  }
}
