import { z } from "zod"
import { Refusal } from "compositor-core/message/refusal"
import type { StoredTrigger } from "../store/store.ts"
import { defineTool, type Tool, ToolError } from "../tools/tool.ts"
import { scheduleOfWakeup, Wakeup } from "compositor-core/triggers/schedule"
import type { Triggers } from "./triggers.ts"

const MAX_PROMPT_CHARACTERS = 8000
const MAX_REASON_CHARACTERS = 500

const Asked = z.strictObject({
  when: Wakeup.describe("delay_ms: in so many milliseconds. at: a time. cron: again and again."),
  prompt: z.string().min(1).max(MAX_PROMPT_CHARACTERS).describe("What you will be told then."),
  reason: z.string().min(1).max(MAX_REASON_CHARACTERS).describe("Why, for the user."),
})

/** By which an agent has itself woken: within seven days, in its own session, and no longer than that
 *  lives (TRG-003). */
export function wakeupTools(triggers: Pick<Triggers, "add" | "list" | "remove">): readonly Tool[] {
  const request = defineTool({
    id: "request_wakeup",
    aliases: [],
    description:
      "Be woken later in this session, within seven days: once, or by a cron expression.",
    input: Asked,
    requires: [],
    read_only: false,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ prompt }) => prompt,
    execute: async ({ when, prompt, reason }, { session_id }) => {
      const read = scheduleOfWakeup(when, Date.now())
      if (read.type === "refused") throw new ToolError(read.message)
      const { schedule, ends_at } = read
      const source = { source: "self-schedule", schedule, ends_at } as const
      const added = await told(triggers.add({ session_id, source, prompt, reason }))
      const { trigger, next_fire_at } = added
      return { data: { schedule_id: trigger.id, next_fire_at } }
    },
  })
  const cancel = defineTool({
    id: "cancel_wakeup",
    aliases: [],
    description: "Do not be woken after all.",
    input: z.strictObject({ schedule_id: z.string().min(1).max(64) }),
    requires: [],
    read_only: false,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ schedule_id }) => schedule_id,
    execute: async ({ schedule_id }, { session_id }) => {
      const own = (await triggers.list(session_id)).filter(isWakeup)
      const isOwn = own.some(({ trigger }) => trigger.id === schedule_id)
      if (!isOwn || !(await triggers.remove(schedule_id, session_id)))
        throw new ToolError(`There is no wake-up ${schedule_id} in this session.`)
      return { data: { cancelled: schedule_id } }
    },
  })
  return [request, cancel]
}

// What a person set up is not the agent's to cancel.
function isWakeup({ trigger }: StoredTrigger): boolean {
  return trigger.source.source === "self-schedule"
}

async function told<Value>(asked: Promise<Value>): Promise<Value> {
  return asked.catch((error: unknown) => {
    if (error instanceof Refusal) throw new ToolError(`${error.message}.`)
    throw error
  })
}
