import { z } from "zod"
import { MAX_TEXT_CHARACTERS } from "./limits.ts"

/** Where a conversation was summarised: a part of an assistant message that stands last when it is
 *  written. It counts only where a path contains it, and nothing before it is deleted (SES-030). */
export const CompactionPart = z.looseObject({
  type: z.literal("data-compaction"),
  summary: z.string().max(MAX_TEXT_CHARACTERS),
  /** From this message on the model is still told every word; null when from nowhere. */
  tail_start_id: z.string().nullable(),
  auto: z.boolean(),
  summary_tokens: z.int().min(0),
  /** What the project's instructions said then, as far as the messages that stay do not say it. */
  instructions: z.array(z.looseObject({})).optional(),
})
export type CompactionPart = z.infer<typeof CompactionPart>

/** A row that is not one of ours is no marker. */
export function readCompactionPart(data: unknown): CompactionPart | undefined {
  return CompactionPart.safeParse(data).data
}
