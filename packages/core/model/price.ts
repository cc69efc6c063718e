import { z } from "zod"

/** Dollars for a million tokens. What is not said of the cache costs what input costs. */
export const Price = z.object({
  input: z.number().min(0).max(100_000),
  output: z.number().min(0).max(100_000),
  cache_read: z.number().min(0).max(100_000).optional(),
  cache_write: z.number().min(0).max(100_000).optional(),
})
export type Price = z.infer<typeof Price>

interface Tokens {
  readonly input: number
  readonly output: number
  readonly reasoning: number
  readonly cache_read: number
  readonly cache_write: number
}

/** What a request cost, worked out from what it used and what the catalog says (SES-003); nothing is
 *  said where the catalog says nothing. */
export function addCost<Used extends Tokens>(
  used: Used | null,
  price: Price | undefined,
): (Used & { cost_usd?: number }) | null {
  if (!used || !price) return used
  const { input, output, cache_read = input, cache_write = input } = price
  const dollars =
    used.input * input +
    (used.output + used.reasoning) * output +
    used.cache_read * cache_read +
    used.cache_write * cache_write
  return { ...used, cost_usd: dollars / MILLION }
}

const MILLION = 1_000_000
