import type { ModelEvent, Seal } from "../model/prompt.ts"

/** A tool call whose input is still coming in. */
export interface OpenCall {
  readonly id: string
  readonly name: string
  readonly json: string
}

interface CallStep {
  readonly call: OpenCall
  readonly events: readonly ModelEvent[]
}

export function startCall(id: string, name: string): CallStep {
  return { call: { id, name, json: "" }, events: [{ type: "tool-call-start", id, name }] }
}

export function tellCall(call: OpenCall, json: string): CallStep {
  if (json === "") return { call, events: [] }
  const { id } = call
  return {
    call: { ...call, json: call.json + json },
    events: [{ type: "tool-call-delta", id, text: json }],
  }
}

/** The whole call. A tool without parameters is often called with nothing at all. */
export function endCall({ id, name, json }: OpenCall, seal?: Seal): ModelEvent {
  const about = { type: "tool-call-end", id, name, ...(seal ? { seal } : {}) } as const
  if (json.trim() === "") return { ...about, input: {} }
  try {
    return { ...about, input: JSON.parse(json) }
  } catch {
    return { ...about, input: {}, invalid: json }
  }
}
