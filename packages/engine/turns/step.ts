import { newId } from "compositor-core/message/id"
import type { Usage } from "compositor-core/message/row"
import { addCost } from "compositor-core/model/price"
import type { EndReason, Media, ModelEvent, ModelFault } from "compositor-core/model/prompt"
import { newCapture } from "../store/capture.ts"
import type { PartUpsert } from "../store/store.ts"
import { runInSpan } from "../telemetry/span.ts"
import { envelopeOf, keyOf, type TurnContext, type TurnDependencies } from "./turn-context.ts"
import { compactionFor, isTooLarge } from "./context-overflow.ts"
import type { PromptRequest } from "./prompt-history.ts"
import { type MadeCall, Recorder } from "./recorder.ts"
import { MAX_REFUSALS, noticeOf, type RefusedMedium, suspectsOf } from "./refused-media.ts"

/** What one request came to. */
export interface StepOutcome {
  readonly message_id: string
  readonly parts: readonly PartUpsert[]
  readonly calls: readonly MadeCall[]
  readonly usage: Usage | null
  readonly ending:
    | { readonly type: "end"; readonly reason: EndReason }
    | { readonly type: "abort" }
    | ModelFault
}

/** One request and its answer. A model that will not take some of the media is asked again without
 *  them, and not sent them any more: one picture does not end a session (BEY-02). */
export async function takeStep(rooms: TurnDependencies, talk: TurnContext): Promise<StepOutcome> {
  const message_id = newId("msg")
  const { provider, model } = talk
  const known = await rooms.store.refusals(provider.api, model.model_id)
  const refused = new Set(known)
  let news: readonly RefusedMedium[] = []
  for (let attempt = 0; ; attempt++) {
    const request = await fitting(rooms, talk, { message_id, refused, again: attempt > 0 })
    await record(rooms, talk, { request, message_id, news })
    const said = await listen(rooms, talk, { request, message_id })
    news = attempt < MAX_REFUSALS ? suspectsOf(said, request) : []
    if (news.length === 0) return said
    for (const { content_id } of news) refused.add(content_id)
  }
}

interface Asking {
  readonly message_id: string
  readonly refused: ReadonlySet<string>
  readonly again: boolean
}

/** What comes next, small enough to leave room for an answer: if need be what was said before is
 *  summarised first, and once more with less of it kept (decision 12, SES-040). */
async function fitting(
  rooms: TurnDependencies,
  talk: TurnContext,
  asking: Asking,
): Promise<PromptRequest> {
  for (const least of [false, true]) {
    const request = await roomyRequest(rooms, talk, asking)
    if (request) return request
    // What was lowered is too much to be sent, and must not be held beside what is summarised.
    rooms.history.forget(talk.claim.turn.session_id)
    const compaction = await compactionFor(rooms, talk, { type: "full", least })
    if (!compaction) break
    const notice = `What was said before was summarised, because it left ${talk.model.name} no room to answer.`
    await rooms.store.recordCompaction({ ...keyOf(talk), compaction, notice })
  }
  return requestOf(rooms, talk, asking)
}

async function roomyRequest(rooms: TurnDependencies, talk: TurnContext, asking: Asking) {
  const request = await requestOf(rooms, talk, asking)
  return (await isTooLarge(rooms, talk, request)) ? undefined : request
}

function requestOf(
  rooms: TurnDependencies,
  talk: TurnContext,
  { message_id, refused, again }: Asking,
) {
  const { claim, provider, model, capabilities, policy } = talk
  const target = { provider, model_id: model.model_id, capabilities }
  const wishes = { policy, refused, except: message_id, tell_all: again }
  return runInSpan("lower", { api: provider.api }, () =>
    rooms.history.request(claim, target, wishes),
  )
}

interface Recorded {
  readonly request: PromptRequest
  readonly message_id: string
  readonly news: readonly RefusedMedium[]
}

// What will be sent is on disk before it is sent; a turn that was taken over stops here.
async function record(
  rooms: TurnDependencies,
  talk: TurnContext,
  { request, message_id, news }: Recorded,
) {
  const { claim, provider, system, catalog } = talk
  const { turn } = claim
  await rooms.store.recordRequest({
    ...keyOf(talk),
    api: provider.api,
    capabilities_revision: talk.capabilities.revision,
    system_prompt: system,
    tool_catalog: { digest: catalog.digest, body: catalog.body },
    receipts: request.receipts,
    captures: request.captures.map(newCapture),
    answer: {
      message_id,
      metadata: {
        turn_id: turn.id,
        agent: turn.agent,
        model: turn.model,
        system_prompt_digest: system.digest,
      },
    },
    ...(news.length > 0 ? { refused: news, notices: [noticeOf(talk.model, news)] } : {}),
  })
}

interface Listening {
  readonly request: PromptRequest
  readonly message_id: string
}

async function listen(
  rooms: TurnDependencies,
  talk: TurnContext,
  about: Listening,
): Promise<StepOutcome> {
  const { message_id } = about
  const lost = new AbortController()
  const recorder = new Recorder(rooms.store, {
    turn: keyOf(talk),
    message_id,
    failed: (error) => lost.abort(error),
  })
  const signal = AbortSignal.any([talk.signal, lost.signal])
  const heard = await runInSpan(
    "provider.call",
    { "gen_ai.system": talk.provider.id, "gen_ai.request.model": talk.model.model_id },
    async (open) => {
      const events = call(rooms, talk, { request: about.request, signal })
      const said = await hear(rooms, talk, { events, recorder })
      open.set(measured(said))
      return said
    },
    { kind: "client" },
  )
  const parts = await recorder.end()
  // A turn that another process took over is not ours to end.
  if (lost.signal.aborted) throw lost.signal.reason
  const ending: StepOutcome["ending"] = talk.signal.aborted ? { type: "abort" } : heard.ending
  return { message_id, parts, calls: recorder.calls(), usage: heard.usage, ending }
}

function measured({ usage, ending }: Heard) {
  return {
    outcome: ending.type === "end" ? ending.reason : ending.code,
    "gen_ai.usage.input_tokens": usage?.input ?? 0,
    "gen_ai.usage.output_tokens": usage?.output ?? 0,
  }
}

function call(
  rooms: TurnDependencies,
  talk: TurnContext,
  { request, signal }: { request: PromptRequest; signal: AbortSignal },
) {
  const { system, catalog, thinking } = talk
  return talk.provider.stream({
    envelope: envelopeOf(talk.model, { system, catalog, thinking }),
    messages: request.messages,
    receipts: request.receipts.map(({ receipt }) => receipt),
    open: (media: Media) => rooms.blobs.open(media.content_id),
    signal,
  })
}

interface Heard {
  readonly usage: Usage | null
  readonly ending: Exclude<StepOutcome["ending"], { type: "abort" }>
}

async function hear(
  rooms: TurnDependencies,
  talk: TurnContext,
  { events, recorder }: { events: AsyncIterable<ModelEvent>; recorder: Recorder },
): Promise<Heard> {
  let usage: Usage | null = null
  let retrying = false
  const tellRetry = (retry: { attempt: number; message: string } | null) => {
    retrying = retry !== null
    return rooms.store.recordRetry({ ...keyOf(talk), retry })
  }
  for await (const event of events) {
    if (event.type === "retrying")
      await tellRetry({ attempt: event.attempt + 1, message: event.message })
    else if (retrying) await tellRetry(null)
    if (event.type === "usage") usage = addCost(event.usage, talk.model.price)
    if (event.type === "end" || event.type === "error") return { usage, ending: event }
    note(recorder, event)
  }
  return { usage, ending: INCOMPLETE }
}

const INCOMPLETE: ModelFault = {
  type: "error",
  code: "incomplete",
  message: "the provider stopped without saying how its answer ended",
  retryable: false,
}

type Words = Exclude<ModelEvent, { type: "end" | "error" }>

function note(recorder: Recorder, event: Words) {
  switch (event.type) {
    case "text-delta":
      return recorder.add("text", event.text)
    case "text-end":
      return recorder.seal("text", event.seal)
    case "reasoning-delta":
      return recorder.add("reasoning", event.text)
    case "reasoning-end":
      return recorder.seal("reasoning", event.seal)
    case "tool-call-start":
      return recorder.startCall(event.id, event.name)
    case "tool-call-delta":
      return recorder.tellCall(event.id, event.text)
    case "tool-call-end":
      return recorder.endCall(event)
    case "usage":
    case "retrying":
      return undefined
  }
}
