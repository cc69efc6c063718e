import type { BlobStore } from "../files/blobs.ts"
import { newId } from "../message/id.ts"
import { Refusal } from "../message/refusal.ts"
import type { Usage } from "../message/row.ts"
import { capabilitiesOf, findModel, type Model } from "../model/models.ts"
import type { Media, ModelEvent } from "../model/prompt.ts"
import type { Provider } from "../provider/provider.ts"
import { newCapture } from "../store/capture.ts"
import type { Claim, SessionAction, Store, TurnEnd } from "../store/store.ts"
import type { PromptHistory, PromptRequest } from "./prompt-history.ts"
import { Recorder } from "./recorder.ts"
import { systemPrompt, toolCatalog } from "./system-prompt.ts"

export interface TurnRooms {
  readonly store: Store
  readonly blobs: BlobStore
  readonly history: PromptHistory
  readonly providers: ReadonlyMap<string, Provider>
  readonly owner: string
}

const MAX_OUTPUT_TOKENS = 32_000

/** Run what one claimed message sets off, and claim the next in the commit that ends it. */
export async function runTurn(
  rooms: TurnRooms,
  claim: Claim,
  signal: AbortSignal,
): Promise<Claim | null> {
  const { turn } = claim
  if (claim.action) return perform(rooms, claim, claim.action)
  // A message that is asked again must not stand twice in what was kept of the history.
  if (turn.attempt > 1) rooms.history.forget(turn.session_id)
  const ending = await answer(rooms, claim, signal).catch((error: unknown) => {
    rooms.history.forget(turn.session_id)
    return failure(error)
  })
  if (ending === "replaced") return null
  const ended = await rooms.store.endTurn({
    turn_id: turn.id,
    fence: turn.fence,
    owner: rooms.owner,
    ...ending,
  })
  return ended.next
}

async function perform(rooms: TurnRooms, { turn }: Claim, action: SessionAction) {
  const performed = await rooms.store.performAction({
    turn_id: turn.id,
    fence: turn.fence,
    owner: rooms.owner,
    action,
    branch_id: newId("ses"),
    answer_id: newId("msg"),
    part_id: newId("prt"),
  })
  return performed.next
}

type Ending = Pick<TurnEnd, "state" | "usage" | "error" | "answer">

async function answer(
  rooms: TurnRooms,
  claim: Claim,
  signal: AbortSignal,
): Promise<Ending | "replaced"> {
  const asked = askedModel(rooms, claim)
  if ("error" in asked) return { state: "error", usage: null, answer: null, error: asked.error }
  const { provider, model } = asked
  const capabilities = capabilitiesOf(model)
  const target = { provider, model_id: model.model_id, capabilities }
  const request = await rooms.history.request(claim, target)
  const message_id = newId("msg")
  await record(rooms, claim, {
    request,
    message_id,
    api: provider.api,
    revision: capabilities.revision,
  })
  return listen(rooms, { claim, provider, model, request, message_id, signal })
}

type Asked =
  | { readonly provider: Provider; readonly model: Model }
  | { readonly error: { readonly code: string; readonly message: string } }

function askedModel(rooms: TurnRooms, claim: Claim): Asked {
  const choice = claim.turn.model
  const model = findModel(choice)
  const provider = rooms.providers.get(choice.provider_id)
  if (model && provider) return { model, provider }
  const message = `${choice.provider_id} is not set up here, so ${choice.model_id} cannot answer`
  return { error: { code: "unknown_model", message } }
}

interface Recorded {
  readonly request: PromptRequest
  readonly message_id: string
  readonly api: string
  readonly revision: string
}

// What will be sent is on disk before it is sent; a turn that was taken over stops here.
async function record(rooms: TurnRooms, claim: Claim, recorded: Recorded) {
  const { turn } = claim
  await rooms.store.recordRequest({
    turn_id: turn.id,
    fence: turn.fence,
    api: recorded.api,
    capabilities_revision: recorded.revision,
    system_prompt: systemPrompt(),
    tool_catalog: toolCatalog(),
    receipts: recorded.request.receipts,
    captures: recorded.request.captures.map(newCapture),
    answer: {
      message_id: recorded.message_id,
      metadata: {
        turn_id: turn.id,
        model: turn.model,
        system_prompt_digest: systemPrompt().digest,
      },
    },
  })
}

interface Conversation {
  readonly claim: Claim
  readonly provider: Provider
  readonly model: Model
  readonly request: PromptRequest
  readonly message_id: string
  readonly signal: AbortSignal
}

async function listen(rooms: TurnRooms, talk: Conversation): Promise<Ending | "replaced"> {
  const { turn } = talk.claim
  const lost = new AbortController()
  const recorder = new Recorder(rooms.store, {
    turn: { turn_id: turn.id, fence: turn.fence },
    message_id: talk.message_id,
    failed: (error) => lost.abort(error),
  })
  const signal = AbortSignal.any([talk.signal, lost.signal])
  const heard = await hear(call(rooms, talk, signal), recorder)
  const parts = await recorder.end()
  if (lost.signal.aborted && isStale(lost.signal.reason)) return "replaced"
  if (lost.signal.aborted) throw lost.signal.reason
  const finish = talk.signal.aborted ? "abort" : heard.finish
  const { usage, error } = heard
  const told = { finish, usage, ...(finish === "error" ? { error } : {}) }
  return {
    state: stateOf(finish),
    usage,
    error: finish === "error" ? error : null,
    answer: { message_id: talk.message_id, metadata: told, parts },
  }
}

function call(rooms: TurnRooms, talk: Conversation, signal: AbortSignal) {
  return talk.provider.stream({
    envelope: {
      model: talk.model.model_id,
      system: systemPrompt().body,
      max_tokens: Math.min(talk.model.output_tokens, MAX_OUTPUT_TOKENS),
    },
    messages: talk.request.messages,
    receipts: talk.request.receipts.map(({ receipt }) => receipt),
    open: (media: Media) => rooms.blobs.open(media.content_id),
    signal,
  })
}

interface Heard {
  readonly finish: string
  readonly usage: Usage | null
  readonly error: { readonly code: string; readonly message: string } | null
}

async function hear(events: AsyncIterable<ModelEvent>, recorder: Recorder): Promise<Heard> {
  let usage: Usage | null = null
  for await (const event of events) {
    switch (event.type) {
      case "text-delta":
        recorder.add("text", event.text)
        break
      case "reasoning-delta":
        recorder.add("reasoning", event.text)
        break
      case "usage":
        usage = event.usage
        break
      case "end":
        return { finish: event.reason, usage, error: null }
      case "error":
        return { finish: "error", usage, error: { code: event.code, message: event.message } }
    }
  }
  const message = "the provider stopped without saying how its answer ended"
  return { finish: "error", usage, error: { code: "incomplete", message } }
}

function stateOf(finish: string): Ending["state"] {
  if (finish === "abort") return "aborted"
  return finish === "error" ? "error" : "finished"
}

function isStale(error: unknown): boolean {
  return error instanceof Refusal && error.code === "stale"
}

function failure(error: unknown): Ending | "replaced" {
  if (isStale(error)) return "replaced"
  const message = error instanceof Error ? error.message : String(error)
  return { state: "error", usage: null, answer: null, error: { code: "internal", message } }
}
