import type { EndReason, ModelEvent, ModelFault, ModelUsage } from "compositor-core/model/prompt"
import { countCalls, limitBytes } from "./answer-limits.ts"
import { blame } from "./refused-media.ts"
import { faultOf, refusal, type Said, TRUNCATED } from "./fault.ts"
import { toolNames } from "./names.ts"
import type { Body, Call } from "./provider.ts"
import type { Json } from "./read.ts"
import type { Answer, Post, Timeouts } from "./transport.ts"

/** What a stream has told so far; every API keeps more beside it. */
export interface Progress {
  /** Told once, before the last event. */
  readonly usage: ModelUsage | undefined
  /** The API has said how its answer ends. */
  readonly reason: EndReason | undefined
  /** The last event was given. */
  readonly ended: boolean
}

export const NO_PROGRESS: Progress = { usage: undefined, reason: undefined, ended: false }

export interface Step<State> {
  readonly state: State
  readonly events: readonly ModelEvent[]
}

/** How one API is asked and its answer read. `step` is pure and total: what it does not know says
 *  nothing. */
export interface Exchange<State extends Progress, Frame> {
  readonly start: State
  readonly request: Omit<Post, "open" | "signal">
  /** Headers that need the body, such as a signature. */
  readonly sign?: (post: Post) => Promise<Readonly<Record<string, string>>>
  readonly frames: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Frame>
  readonly step: (state: State, frame: Frame) => Step<State>
  /** The stream is over and nobody gave a last event: what was left open, and how it ended. */
  readonly close: (state: State) => readonly ModelEvent[]
  readonly said: (body: Json) => Said
}

/** Ask, and give what comes as events. Never throws; the last event is `end` or `error`. */
export async function* converse<State extends Progress, Frame>(
  call: Call,
  exchange: Exchange<State, Frame>,
): AsyncIterable<ModelEvent> {
  const names = toolNames(call.envelope.tools ?? [])
  for await (const event of answers(call, exchange)) {
    if (event.type === "error") yield accused(event, exchange.request.body)
    else yield renamed(event, names)
  }
}

async function* answers<State extends Progress, Frame>(
  call: Call,
  exchange: Exchange<State, Frame>,
): AsyncIterable<ModelEvent> {
  let state = exchange.start
  let calls = 0
  try {
    const answer = await send(call, exchange)
    if (answer.status !== 200) {
      yield await refusal(answer, exchange.said)
      return
    }
    for await (const frame of exchange.frames(limitBytes(answer.chunks))) {
      const result = exchange.step(state, frame)
      state = result.state
      calls = countCalls(calls, result.events)
      yield* result.events
      if (state.ended) return
    }
    yield* exchange.close(state)
  } catch (error) {
    yield* last(state, faultOf(error, call.signal))
  }
}

// Loaded on the first request: commands that send nothing start faster without it.
async function send<State extends Progress, Frame>(
  call: Call,
  { request, sign }: Exchange<State, Frame>,
): Promise<Answer> {
  const { post } = await import("./transport.ts")
  const asked: Post = { ...request, open: call.open, signal: call.signal }
  const signed = sign ? await sign(asked) : {}
  return post({ ...asked, headers: { ...asked.headers, ...signed } })
}

function accused(fault: ModelFault, body: Body): ModelFault {
  const media = blame(body, fault)
  return media ? { ...fault, implicates_media: media } : fault
}

/** A tool is called by the name that we know it by. */
function renamed(event: ModelEvent, names: ReadonlyMap<string, string>): ModelEvent {
  if (event.type !== "tool-call-start" && event.type !== "tool-call-end") return event
  return { ...event, name: names.get(event.name) ?? event.name }
}

/** One step, and another on what it leaves. */
export function follow<State>(before: Step<State>, next: (state: State) => Step<State>) {
  const after = next(before.state)
  return { state: after.state, events: [...before.events, ...after.events] }
}

/** An API that tells its end by an event of its own did not come to it. */
export function brokenOff(state: Progress): ModelEvent[] {
  return last(state, TRUNCATED)
}

export function quiet<State>(state: State): Step<State> {
  return { state, events: [] }
}

/** Give the last event, with the usage before it. */
export function finish<State extends Progress>(state: State, event: ModelEvent): Step<State> {
  return { state: { ...state, ended: true }, events: last(state, event) }
}

export function last({ usage }: Progress, event: ModelEvent): ModelEvent[] {
  return usage ? [{ type: "usage", usage }, event] : [event]
}

/** How an answer ends whose API tells it before the stream is over. */
export function ending({ reason }: Progress): ModelEvent {
  return reason ? { type: "end", reason } : TRUNCATED
}

/** Where an API is, when it is not where it is for everyone. */
export interface Address {
  readonly base_url?: string | undefined
  readonly timeouts?: Timeouts | undefined
}

export interface KeyedAddress extends Address {
  readonly api_key: string
}

/** A request of JSON that is answered by server-sent events. */
export function eventRequest(
  url: string,
  headers: Readonly<Record<string, string>>,
  { body, timeouts }: { readonly body: Body; readonly timeouts: Timeouts | undefined },
): Omit<Post, "open" | "signal"> {
  const types = { "content-type": "application/json", accept: "text/event-stream" }
  return { url, headers: { ...types, ...headers }, body, timeouts }
}

export function bearer(api_key: string | undefined): Readonly<Record<string, string>> {
  return api_key ? { authorization: `Bearer ${api_key}` } : {}
}

export function urlOf(base_url: string, path: string): string {
  return `${base_url.replace(/\/+$/, "")}${path}`
}
