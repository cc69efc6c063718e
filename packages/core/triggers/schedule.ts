import { z } from "zod"
import { cronFault, isZone, nextCron } from "./cron.ts"

const MIN_INTERVAL_MS = 1000
/** What an agent asked for itself ends after a week (TRG-003). */
const SELF_HORIZON_MS = 7 * 24 * 60 * 60 * 1000

/** When something fires: by a clock on the wall, every so often, or once. */
export const Schedule = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("cron"),
    expression: z.string().superRefine((expression, context) => {
      const message = cronFault(expression)
      if (message !== undefined) context.addIssue({ code: "custom", message })
    }),
    timezone: z
      .string()
      .max(64)
      .refine(isZone, "must be a time zone, such as Europe/Berlin")
      .default("UTC"),
  }),
  z.object({ kind: z.literal("interval"), every_ms: z.int().min(MIN_INTERVAL_MS) }),
  z.object({ kind: z.literal("at"), at: z.int().min(0) }),
])
export type Schedule = z.infer<typeof Schedule>

/** The first moment after `after` at which it fires; undefined when it never does again. An interval
 *  counts from `begun`, so that neither a restart nor a slow turn shifts it. */
export function nextFire(schedule: Schedule, after: number, begun: number): number | undefined {
  switch (schedule.kind) {
    case "cron":
      return nextCron(schedule.expression, after, schedule.timezone)
    case "interval": {
      const passed = Math.floor((after - begun) / schedule.every_ms) + 1
      return begun + Math.max(1, passed) * schedule.every_ms
    }
    case "at":
      return schedule.at > after ? schedule.at : undefined
  }
}

/** How an agent says when it wants to be woken (TRG-003). */
export const Wakeup = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("delay_ms"), value: z.int().min(MIN_INTERVAL_MS) }),
  z.object({ kind: z.literal("cron"), value: z.string() }),
  z.object({ kind: z.literal("at"), value: z.union([z.int(), z.iso.datetime({ offset: true })]) }),
])
export type Wakeup = z.infer<typeof Wakeup>

type ReadWakeup =
  | { readonly type: "schedule"; readonly schedule: Schedule; readonly ends_at: number }
  | { readonly type: "refused"; readonly message: string }

export function scheduleOfWakeup(when: Wakeup, now: number): ReadWakeup {
  const ends_at = now + SELF_HORIZON_MS
  const read = Schedule.safeParse(rawSchedule(when, now))
  if (!read.success) return { type: "refused", message: `${read.error.issues[0]?.message}.` }
  const first = nextFire(read.data, now, now)
  if (first === undefined) return { type: "refused", message: "That time is over." }
  if (first > ends_at) return { type: "refused", message: "That is more than seven days away." }
  return { type: "schedule", schedule: read.data, ends_at }
}

function rawSchedule(when: Wakeup, now: number): unknown {
  switch (when.kind) {
    case "delay_ms":
      return { kind: "at", at: now + when.value }
    case "cron":
      return { kind: "cron", expression: when.value }
    case "at":
      return {
        kind: "at",
        at: typeof when.value === "number" ? when.value : Date.parse(when.value),
      }
  }
}
