import type { Usage } from "compositor-core/message/row"
import type { Model } from "compositor-core/model/models"

/** The usage of a turn's last step, and whether its user was told of the cache already. */
export interface LastStep {
  usage: Usage | null
  alarmed: boolean
}

/** No provider keeps less than this. */
const LEAST_TOKENS = 8192

/** What to say when a provider that has a cache read nothing of a conversation from it that it was
 *  sent a moment before; once a turn (COS-001). What was sent is the same to the byte, so either the
 *  provider forgot it or something of ours changed. */
export function cacheAlarms(
  { name, price }: Pick<Model, "name" | "price">,
  last: LastStep,
  usage: Usage | null,
): readonly string[] {
  const before = tokensIn(last.usage)
  last.usage = usage
  if (price?.cache_read === undefined || !usage || usage.cache_read > 0) return []
  // After a summary another conversation is sent.
  if (last.alarmed || before < LEAST_TOKENS || tokensIn(usage) < before) return []
  last.alarmed = true
  return [
    `${name} read nothing from its cache, though it was sent the same ${before} tokens a moment before: they cost what new ones do.`,
  ]
}

function tokensIn(usage: Usage | null): number {
  return usage ? usage.input + usage.cache_read + usage.cache_write : 0
}
