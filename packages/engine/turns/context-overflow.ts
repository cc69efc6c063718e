import { newId } from "compositor-core/message/id"
import type { Model } from "compositor-core/model/models"
import { estimateTokens } from "compositor-core/model/tokens"
import type { Provider } from "../providers/provider.ts"
import type { NewCompaction } from "../store/store.ts"
import { runInSpan } from "../telemetry/span.ts"
import { rowTokens, sinceCompaction, tailStart, usableTokens } from "./compaction.ts"
import { envelopeOf, type TurnContext, type TurnDependencies } from "./turn-context.ts"
import { ModelFailed } from "./turn-handler.ts"
import { instructionsAfter } from "./instructions.ts"
import { isSaidRow, type PromptRequest } from "./prompt-history.ts"
import { summarise } from "./summarise.ts"

/** An estimate is good enough until it comes near the limit; then the provider is asked. */
const COUNT_MS = 5000

/** Whether the next request leaves no room for its answer (decision 12). */
export async function isTooLarge(
  rooms: TurnDependencies,
  talk: TurnContext,
  request: PromptRequest,
): Promise<boolean> {
  const { model, system, catalog, thinking, provider, signal } = talk
  const usable = usableTokens(model, rooms.compaction)
  const around = estimateTokens(system.body) + estimateTokens(catalog.body)
  if (request.tokens() + around <= usable) return false
  const counted = await provider.countTokens?.({
    envelope: envelopeOf(model, { system, catalog, thinking }),
    messages: request.messages,
    receipts: [],
    open: (media) => rooms.blobs.open(media.content_id),
    signal: AbortSignal.any([signal, AbortSignal.timeout(COUNT_MS)]),
  })
  return counted === undefined || counted > usable
}

/** The turn was stopped where there is no answer yet that could say so. */
export class TurnAborted extends Error {}

/** What the user asked for, or what the next request needs; `least` keeps no more than it must. */
type Occasion =
  | { readonly type: "asked"; readonly focus: string | null }
  | { readonly type: "full"; readonly least: boolean }

/** Sum up what the session's path says, but for the tail that stays. Undefined when there is nothing to
 *  sum up. Nothing is written here: the marker and what it belongs to are one commit of the caller. */
export async function compactionFor(
  rooms: TurnDependencies,
  talk: TurnContext,
  occasion: Occasion,
): Promise<NewCompaction | undefined> {
  const { session_id } = talk.claim.turn
  const { summary: before, messages } = sinceCompaction(
    await rooms.store.toldHistory(session_id, null),
  )
  const said = messages.filter(isSaidRow)
  const at =
    occasion.type === "asked" ? said.length : tailStart(said, tailWish(rooms, talk, occasion))
  if (at === 0) return undefined
  const head = [...(before ? [before] : []), ...said.slice(0, at)]
  const by = await summariserOf(rooms, talk)
  const focus = occasion.type === "asked" ? occasion.focus : null
  const manner = { config: rooms.compaction, focus, signal: talk.signal }
  const summary = await runInSpan("compaction.run", { messages: head.length }, () =>
    summarise({ ...by, ...manner }, head),
  )
  if (talk.signal.aborted) throw new TurnAborted()
  if (summary.type === "failed") throw new ModelFailed("compaction_failed", summary.fault.message)
  const summary_tokens = estimateTokens(summary.text)
  const instructions = await instructionsAfter(rooms, talk, said.slice(at))
  return {
    message_id: newId("msg"),
    part_id: newId("prt"),
    part: {
      type: "data-compaction",
      summary: summary.text,
      tail_start_id: said[at]?.id ?? null,
      auto: occasion.type === "full",
      summary_tokens,
      ...(instructions.length > 0 ? { instructions } : {}),
    },
    context_tokens: summary_tokens + rowTokens(said.slice(at)),
    usage: summary.usage,
  }
}

function tailWish(rooms: TurnDependencies, { model }: TurnContext, { least }: { least: boolean }) {
  const { tail_turns, tail_budget_pct } = rooms.compaction
  if (least) return { turns: 1, tokens: 0 }
  const tokens = Math.floor((usableTokens(model, rooms.compaction) * tail_budget_pct) / 100)
  return { turns: tail_turns, tokens }
}

/** The model that knew the whole conversation, when the next one has a smaller window (SES-040). */
async function summariserOf(
  rooms: TurnDependencies,
  talk: TurnContext,
): Promise<{ readonly provider: Provider; readonly model: Model }> {
  const before = await rooms.store.lastAsked(talk.claim.turn.session_id, "finished")
  const model = before && rooms.models.find(before.model)
  const provider = before && rooms.providers.get(before.model.provider_id)
  if (!model || !provider || model.context_tokens <= talk.model.context_tokens)
    return { provider: talk.provider, model: talk.model }
  return { provider, model }
}
