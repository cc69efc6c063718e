import { z } from "zod"
import { MAX_TEXT_CHARACTERS } from "../message/limits.ts"
import { Turn } from "../message/row.ts"
import { Receipt } from "../model/receipt.ts"
import { route } from "./route.ts"

const MAX_ANSWERS = 64
const MAX_REASON_CHARACTERS = 4096

export const StoredReceipt = Receipt.extend({ message_id: z.string(), turn_id: z.string() })
export type StoredReceipt = z.infer<typeof StoredReceipt>

export const turns = {
  listTurns: route("GET /v1/sessions/:id/turns", {
    about: "The session's turns, or those of one message",
    query: z.object({ message: z.string().max(64).optional() }),
    answer: z.object({ turns: z.array(Turn) }),
  }),
  getTurn: route("GET /v1/sessions/:id/turns/:turn", {
    about: "One turn",
    answer: z.object({ turn: Turn }),
  }),
  listReceipts: route("GET /v1/sessions/:id/turns/:turn/receipts", {
    about: "What became of every part that was new in the turn's request",
    answer: z.object({ receipts: z.array(StoredReceipt) }),
  }),
  followSession: route("GET /v1/sessions/:id/events", {
    about: "Rows and text as they come, as server-sent events; resumes by Last-Event-ID",
    query: z.object({
      after: z.coerce.number<number>().int().min(0).default(0),
      token: z.string().optional(),
      last_event_id: z.string().max(100).optional(),
    }),
  }),
  followSessions: route("GET /v1/events", {
    about: "Sessions as they change, as server-sent events; volatile",
    query: z.object({ token: z.string().optional() }),
  }),
}

/** A call of a tool, by where it was made. */
export interface CallPath {
  readonly session_id: string
  readonly turn_id: string
  readonly call_id: string
}

/** What was shown to whoever decides. A model names its calls as it likes and may use a name again: where
 *  another call has it by now, the answer is 409. */
const Shown = { part_id: z.string().max(64).optional() }

/** Said of this call, or of all that are like it. */
const Decision = {
  ...Shown,
  always: z.boolean().default(false),
  pattern: z.string().min(1).max(1024).optional(),
}

const CallAnswer = z.object({ turn: Turn, txid: z.string() })
const errors = { 409: "The turn does not wait for this call any more" }

/** What a person says to a call that a turn waits for; 409 when it waits no longer (SES-071). */
export const calls = {
  approveCall: route("POST /v1/sessions/:id/turns/:turn/calls/:call/approve", {
    about: "Let a call run, or always those like it in this session",
    body: z.strictObject(Decision),
    answer: CallAnswer,
    errors,
  }),
  denyCall: route("POST /v1/sessions/:id/turns/:turn/calls/:call/deny", {
    about: "Do not let a call run; the model is told",
    body: z.strictObject({
      ...Decision,
      reason: z.string().max(MAX_REASON_CHARACTERS).optional(),
    }),
    answer: CallAnswer,
    errors,
  }),
  answerCall: route("POST /v1/sessions/:id/turns/:turn/calls/:call/answer", {
    about: "Answer what a call asks",
    body: z.strictObject({
      ...Shown,
      answers: z
        .array(z.array(z.string().max(MAX_TEXT_CHARACTERS)).max(MAX_ANSWERS))
        .min(1)
        .max(MAX_ANSWERS),
    }),
    answer: CallAnswer,
    errors,
  }),
  retryCall: route("POST /v1/sessions/:id/turns/:turn/calls/:call/retry", {
    about: "Run a call again that a crash cut off and that may have run",
    answer: CallAnswer,
    errors,
  }),
  skipCall: route("POST /v1/sessions/:id/turns/:turn/calls/:call/skip", {
    about: "Leave a call that may have run as it is; the model is told",
    answer: CallAnswer,
    errors,
  }),
}
