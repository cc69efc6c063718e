import type { EndReason, ModelEvent, ModelFault, ModelUsage } from "../model/prompt.ts"

/** What a stream has told so far; every API keeps more beside it. */
export interface StreamProgress {
  /** Told once, before the last event. */
  readonly usage: ModelUsage | undefined
  /** The API has said how its answer ends. */
  readonly reason: EndReason | undefined
  /** The last event was given. */
  readonly ended: boolean
}

export const NO_PROGRESS: StreamProgress = { usage: undefined, reason: undefined, ended: false }

/** What a frame of the stream leaves behind, and the events that it tells. */
export interface Step<State> {
  readonly state: State
  readonly events: readonly ModelEvent[]
}

/** One step, and another on what it leaves. */
export function followStep<State>(before: Step<State>, next: (state: State) => Step<State>) {
  const after = next(before.state)
  return { state: after.state, events: [...before.events, ...after.events] }
}

/** An API that tells its end by an event of its own did not come to it. */
export function brokenOff(state: StreamProgress): ModelEvent[] {
  return last(state, TRUNCATED)
}

export function quiet<State>(state: State): Step<State> {
  return { state, events: [] }
}

/** Give the last event, with the usage before it. */
export function finishStream<State extends StreamProgress>(
  state: State,
  event: ModelEvent,
): Step<State> {
  return { state: { ...state, ended: true }, events: last(state, event) }
}

export function last({ usage }: StreamProgress, event: ModelEvent): ModelEvent[] {
  return usage ? [{ type: "usage", usage }, event] : [event]
}

/** How an answer ends whose API tells it before the stream is over. */
export function ending({ reason }: StreamProgress): ModelEvent {
  return reason ? { type: "end", reason } : TRUNCATED
}

const TRUNCATED: ModelFault = {
  type: "error",
  code: "stream-truncated",
  message: "the answer broke off before its end",
  retryable: true,
}
