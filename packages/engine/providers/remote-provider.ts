import type { ModelEvent, ModelFault } from "compositor-core/model/prompt"
import { countCalls, limitBytes } from "compositor-core/wires/answer-limits"
import type { WireBody } from "compositor-core/wires/body"
import type { Connection, RemoteWire, TokenCount } from "compositor-core/wires/define-wire"
import { toolNames } from "compositor-core/wires/names"
import { last } from "compositor-core/wires/progress"
import { parseJsonRecord } from "compositor-core/wires/read"
import { withTemplate } from "compositor-core/wires/template"
import { faultOf, refusal } from "./fault.ts"
import type { ProviderCall, Provider } from "./provider.ts"
import { blame } from "./refused-media.ts"
import type { HttpAnswer, Post } from "./transport.ts"

/** Whoever is reached by a connection, asked in the way of a wire. */
export function remoteProvider(wire: RemoteWire, connection: Connection): Provider {
  const { api, provider_id: id, body, fold, count } = wire
  return {
    id,
    api,
    encode: withTemplate(wire.encode),
    body,
    fold,
    stream: (call) => converse(call, wire, connection),
    ...(count ? { countTokens: (call) => askForCount(call, count, connection) } : {}),
  }
}

/** Ask, and give what comes as events. Never throws; the last event is `end` or `error`. */
async function* converse(
  call: ProviderCall,
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
  { envelope, signal }: ProviderCall,
  wire: RemoteWire,
  send: () => Promise<HttpAnswer>,
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

/** A request with the headers that tell who asks. */
async function postSigned(
  { open, signal }: Pick<ProviderCall, "open" | "signal">,
  request: Omit<Post, "open" | "signal">,
  { signing }: Connection,
): Promise<HttpAnswer> {
  // Loaded on the first request: commands that send nothing start faster without it.
  const { post } = await import("./transport.ts")
  const asked: Post = { ...request, open, signal }
  if (!signing) return post(asked)
  const { signRequest: signed } = await import("./sigv4.ts")
  return post({ ...asked, headers: { ...asked.headers, ...(await signed(asked, signing)) } })
}

function accused(fault: ModelFault, body: WireBody): ModelFault {
  const media = blame(body, fault)
  return media ? { ...fault, implicates_media: media } : fault
}

/** A tool is called by the name that we know it by. */
function renamed(event: ModelEvent, names: ReadonlyMap<string, string>): ModelEvent {
  if (event.type !== "tool-call-start" && event.type !== "tool-call-end") return event
  return { ...event, name: names.get(event.name) ?? event.name }
}

const MAX_COUNT_BYTES = 64 * 1024

/** What an API counts for a request. Undefined when it does not say: a count is worth a question,
 *  but not a failure. */
async function askForCount(
  call: ProviderCall,
  count: TokenCount,
  connection: Connection,
): Promise<number | undefined> {
  const { envelope, messages } = call
  try {
    const { readUpTo } = await import("./transport.ts")
    const { url, headers } = count.request(envelope, connection)
    const body = count.body(envelope, messages)
    const asked = { url, headers: { ...headers, accept: "application/json" }, body }
    const answer = await postSigned(call, asked, connection)
    const { bytes, whole } = await readUpTo(answer.chunks, MAX_COUNT_BYTES)
    const told =
      answer.status === 200 && whole ? parseJsonRecord(bytes.toString("utf8")) : undefined
    const figure = told && count.read(told)
    return typeof figure === "number" && Number.isInteger(figure) && figure >= 0
      ? figure
      : undefined
  } catch {
    return undefined
  }
}
