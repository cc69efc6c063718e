import type { ModelEvent, ModelFault } from "compositor-core/model/prompt"
import { countCalls, limitBytes } from "compositor-core/wires/answer-limits"
import type { Body } from "compositor-core/wires/body"
import type { Connection, RemoteWire } from "compositor-core/wires/define-wire"
import { toolNames } from "compositor-core/wires/names"
import { last } from "compositor-core/wires/progress"
import { askForCount } from "./count-tokens.ts"
import { faultOf, refusal } from "./fault.ts"
import { postSigned } from "./post-signed.ts"
import type { Call, Provider } from "./provider.ts"
import { blame } from "./refused-media.ts"
import type { Answer } from "./transport.ts"

/** Whoever is reached by a connection, asked in the way of a wire. */
export function remoteProvider(wire: RemoteWire, connection: Connection): Provider {
  const { api, provider_id: id, encode, body, fold, count } = wire
  return {
    id,
    api,
    encode,
    body,
    fold,
    stream: (call) => converse(call, wire, connection),
    ...(count ? { countTokens: (call) => askForCount(call, count, connection) } : {}),
  }
}

/** Ask, and give what comes as events. Never throws; the last event is `end` or `error`. */
async function* converse(
  call: Call,
  wire: RemoteWire,
  connection: Connection,
): AsyncIterable<ModelEvent> {
  const { envelope, messages } = call
  const body = wire.body(envelope, messages)
  const names = toolNames(envelope.tools ?? [])
  const send = () => postSigned(call, { ...wire.request(envelope, connection), body }, connection)
  for await (const event of answers(call, wire, send)) {
    if (event.type === "error") yield accused(event, body)
    else yield renamed(event, names)
  }
}

async function* answers(
  { envelope, signal }: Call,
  wire: RemoteWire,
  send: () => Promise<Answer>,
): AsyncIterable<ModelEvent> {
  let state = wire.start(envelope.model)
  let calls = 0
  try {
    const answer = await send()
    if (answer.status !== 200) {
      yield await refusal(answer, wire.readRefusal)
      return
    }
    for await (const frame of wire.frames(limitBytes(answer.chunks))) {
      const result = wire.step(state, frame)
      state = result.state
      calls = countCalls(calls, result.events)
      yield* result.events
      if (state.ended) return
    }
    yield* wire.close(state)
  } catch (error) {
    yield* last(state, faultOf(error, signal))
  }
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
