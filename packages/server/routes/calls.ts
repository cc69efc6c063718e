import { z } from "zod"
import { MAX_TEXT_CHARACTERS } from "compositor-core/message/limits"
import { Turn } from "compositor-core/message/row"
import type { Resolution } from "compositor-engine/store/store"
import { type Asked, type Route, route } from "../route.ts"

const MAX_ANSWERS = 64
const MAX_REASON_CHARACTERS = 4096

const Answered = z.object({ turn: Turn, txid: z.string() })

/** What was shown to whoever decides. A model names its calls as it likes and may use a name again: where
 *  another call has it by now, the answer is 409. */
const Shown = { part_id: z.string().max(64).optional() }

/** Said of this call, or of all that are like it. */
const Kept = {
  ...Shown,
  always: z.boolean().default(false),
  pattern: z.string().min(1).max(1024).optional(),
}

const Approval = z.strictObject(Kept)
const Denial = z.strictObject({ ...Kept, reason: z.string().max(MAX_REASON_CHARACTERS).optional() })
const Reply = z.strictObject({
  ...Shown,
  answers: z
    .array(z.array(z.string().max(MAX_TEXT_CHARACTERS)).max(MAX_ANSWERS))
    .min(1)
    .max(MAX_ANSWERS),
})

/** What a person says to a call that a turn waits for; 409 when it waits no longer (SES-071). */
export const callRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/v1/sessions/:id/turns/:turn/calls/:call/approve",
    summary: "Let a call run, or always those like it in this session",
    body: Approval,
    answer: Answered,
    handle: (asked) => say(asked, { type: "approve" }, asked.body),
  }),
  route({
    method: "post",
    path: "/v1/sessions/:id/turns/:turn/calls/:call/deny",
    summary: "Do not let a call run; the model is told",
    body: Denial,
    answer: Answered,
    handle: (asked) => say(asked, { type: "deny", reason: asked.body.reason ?? null }, asked.body),
  }),
  route({
    method: "post",
    path: "/v1/sessions/:id/turns/:turn/calls/:call/answer",
    summary: "Answer what a call asks",
    body: Reply,
    answer: Answered,
    handle: (asked) => say(asked, { type: "answer", answers: asked.body.answers }, asked.body),
  }),
  route({
    method: "post",
    path: "/v1/sessions/:id/turns/:turn/calls/:call/retry",
    summary: "Run a call again that a crash cut off and that may have run",
    answer: Answered,
    handle: (asked) => say(asked, { type: "retry" }),
  }),
  route({
    method: "post",
    path: "/v1/sessions/:id/turns/:turn/calls/:call/skip",
    summary: "Leave a call that may have run as it is; the model is told",
    answer: Answered,
    handle: (asked) => say(asked, { type: "skip" }),
  }),
]

interface Said {
  readonly always?: boolean
  readonly pattern?: string | undefined
  readonly part_id?: string | undefined
}

async function say(
  { host, param }: Pick<Asked, "host" | "param">,
  resolution: Resolution,
  { always = false, pattern, part_id }: Said = {},
) {
  const call_id = param("call")
  const saying = { call_id, part_id, resolution, always, pattern }
  const { turn, txid } = await host.resolveCall(param("id"), param("turn"), saying)
  return { turn, txid }
}
