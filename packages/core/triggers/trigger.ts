import { z } from "zod"
import { Schedule } from "./schedule.ts"

const MAX_PROMPT_CHARACTERS = 64 * 1024
const MAX_REASON_CHARACTERS = 1000
const MAX_URI_CHARACTERS = 8192

/** How the sender of a delivery is known (TRG-004). */
export const WebhookKey = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("bearer"), token: z.string().min(16) }),
  z.object({
    kind: z.literal("hmac"),
    secret: z.string().min(16),
    /** The header with `sha256=<hex>`, `v1=<hex>` or the hex alone. */
    header: z.string().default("x-hub-signature-256"),
    /** Where a header tells the time, it is signed too: `<time>.<body>`. */
    time_header: z.string().optional(),
  }),
])
export type WebhookKey = z.infer<typeof WebhookKey>

/** What wakes a session that nobody is typing into. */
export const Source = z.discriminatedUnion("source", [
  z.object({ source: z.literal("schedule"), schedule: Schedule }),
  z.object({ source: z.literal("self-schedule"), schedule: Schedule, ends_at: z.int() }),
  z.object({ source: z.literal("webhook"), key: WebhookKey }),
  z.object({ source: z.literal("api") }),
  z.object({
    source: z.literal("mcp-event"),
    server: z.string().min(1).max(64),
    /** Which of its resources is watched; without, all that the server tells of. */
    uri: z.string().min(1).max(MAX_URI_CHARACTERS).optional(),
  }),
])
export type Source = z.infer<typeof Source>

export const Trigger = z.object({
  /** `trg_…`. */
  id: z.string(),
  session_id: z.string(),
  source: Source,
  /** A template over what the trigger brings (`trigger/prompt.ts`). */
  prompt: z.string().min(1).max(MAX_PROMPT_CHARACTERS),
  reason: z.string().max(MAX_REASON_CHARACTERS).optional(),
  /** At most this many messages in any such time; what is more is dropped. */
  throttle: z.object({ count: z.int().min(1), per_ms: z.int().min(1000) }).optional(),
  /** A webhook whose sender says the same thing again within a second and means it: a signature that
   *  was accepted before is accepted again (TRG-005). */
  repeats: z.boolean().optional(),
  enabled: z.boolean(),
  created_at: z.int(),
})
export type Trigger = z.infer<typeof Trigger>

/** What stands in the metadata of a message that no human sent (TRG-001). */
export const TriggerEnvelope = z.object({
  source: z.enum(["schedule", "webhook", "api", "self-schedule", "mcp-event"]),
  fired_at: z.int(),
  schedule_id: z.string().optional(),
  delivery_id: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  auth_subject: z.string().optional(),
})
export type TriggerEnvelope = z.infer<typeof TriggerEnvelope>

/** Whether one more may pass now, given when the earlier ones did. */
export function mayPass(
  throttle: Trigger["throttle"],
  earlier: readonly number[],
  now: number,
): boolean {
  if (!throttle) return true
  return earlier.filter((at) => at > now - throttle.per_ms).length < throttle.count
}
