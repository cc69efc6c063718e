import { describe, expect, it } from "vitest"
import {
  LIVE_TURN_STATES,
  statusOf,
  type Turn,
  TurnState,
  type Wait,
} from "../../packages/core/message/row.ts"

const TURN: Turn = {
  id: "trn_1",
  session_id: "ses_1",
  message_id: "msg_1",
  agent: "assistant",
  attempt: 1,
  state: "running",
  model: { provider_id: "mirror", model_id: "mirror" },
  api: null,
  fence: 1,
  system_prompt_digest: null,
  tool_catalog_digest: null,
  capabilities_revision: null,
  usage: null,
  error: null,
  waiting: [],
  retry: null,
  notices: [],
  started_at: 5,
  ended_at: null,
}

describe("statusOf", () => {
  const about = { message_id: "msg_1", turn_id: "trn_1", started_at: 5 }
  function shows(turn: Partial<Turn>, expected: object) {
    expect(statusOf({ ...TURN, ...turn })).toEqual(expected)
  }

  it("[SES-070] is idle without a turn, and after one", () => {
    expect(statusOf(undefined)).toEqual({ state: "idle" })
    shows({ state: "finished" }, { state: "idle" })
    shows({ state: "aborted" }, { state: "idle" })
    shows({ state: "interrupted" }, { state: "idle" })
  })
  it("[TUR-001] is busy with the message that fired", () => shows({}, { state: "busy", ...about }))
  it("[SES-070] says the attempt once it is not the first", () =>
    shows({ attempt: 2 }, { state: "busy", ...about, attempt: 2 }))
  it("[SES-070] waits as its turn waits", () => {
    for (const state of ["retrying", "waiting_on_approval", "waiting_on_user_input"] as const)
      shows({ state }, { state, ...about, attempt: 1 })
  })
  it("[SES-070] says what is waited for, and which try it is", () => {
    const wait: Wait = { call_id: "c1", tool: "bash", for: "approval", asks: [], reason: "ls" }
    shows(
      { state: "waiting_on_approval", waiting: [wait] },
      { state: "waiting_on_approval", ...about, attempt: 1, message: "bash: ls" },
    )
    shows(
      { state: "retrying", retry: { attempt: 3, message: "too much to do" } },
      { state: "retrying", ...about, attempt: 3, message: "too much to do" },
    )
  })
  it("[UX-050] says what went wrong", () => {
    const error = { code: "overloaded", message: "try later" }
    shows({ state: "error", error }, { state: "error", ...about, message: "try later" })
    shows({ state: "error" }, { state: "error", ...about, message: "the turn failed" })
  })
  it("[UX-003] is not idle while a turn lives", () => {
    for (const state of TurnState.options)
      expect(statusOf({ ...TURN, state }).state === "idle" || state === "error").toBe(
        !LIVE_TURN_STATES.some((live) => live === state),
      )
  })
})
