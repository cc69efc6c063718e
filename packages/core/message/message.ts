import { z } from "zod"

/** The version of the user message's shape (CMP-120). Additive part types do not change it. */
export const SCHEMA_VERSION = 1

export const ModelChoice = z.object({
  provider_id: z.string().min(1).max(128),
  model_id: z.string().min(1).max(256),
  variant: z.string().max(128).optional(),
})
export type ModelChoice = z.infer<typeof ModelChoice>

export const Mode = z.enum(["immediate", "queued", "paused", "steer"])
export type Mode = z.infer<typeof Mode>

/** "provider/model" or a bare provider, as a person types it. */
export function parseModelChoice(text: string): ModelChoice {
  const slash = text.indexOf("/")
  if (slash < 0) return { provider_id: text, model_id: text }
  return { provider_id: text.slice(0, slash), model_id: text.slice(slash + 1) }
}

export function showModelChoice(choice: ModelChoice): string {
  const { provider_id, model_id } = choice
  return provider_id === model_id ? provider_id : `${provider_id}/${model_id}`
}
