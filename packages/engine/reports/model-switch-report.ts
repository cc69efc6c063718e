import type { SwitchAnswer, SwitchSide } from "compositor-core/contract/models"
import type { ModelChoice } from "compositor-core/message/message"
import { Refusal } from "compositor-core/message/refusal"
import type { Session } from "compositor-core/message/row"
import type { Model } from "compositor-core/model/models"
import { estimateTokens } from "compositor-core/model/tokens"
import { usableTokens } from "../turns/compaction.ts"
import type { MessageReceipt } from "../turns/lower-message.ts"
import { receiptDifferences } from "./receipt-difference.ts"
import {
  answerTokens,
  Relowering,
  type RelowerDependencies,
  type SpokenHistory,
  readSpokenHistory,
} from "./relower.ts"

/** What changes when a session goes on with another model: the whole history is lowered for both,
 *  and the parts whose receipts differ are told (BEY-02). Nothing is kept. */
export async function switchReport(
  rooms: RelowerDependencies,
  session: Session,
  choice: ModelChoice,
): Promise<SwitchAnswer> {
  const said = await readSpokenHistory(rooms, session)
  const before = await seenBy(rooms, said, session.model)
  const after = await seenBy(rooms, said, choice)
  return {
    session_id: session.id,
    from: before.side,
    to: after.side,
    changes: receiptDifferences(before.receipts, after.receipts),
  }
}

interface Seen {
  readonly side: SwitchSide
  readonly receipts: readonly MessageReceipt[]
}

async function seenBy(
  rooms: RelowerDependencies,
  said: SpokenHistory,
  choice: ModelChoice,
): Promise<Seen> {
  const model = found(rooms, choice)
  const { provider_id, model_id, api, context_tokens } = model
  const relowering = new Relowering(rooms, said, { choice, model })
  const { envelope } = await relowering.manner()
  await relowering.goTo(said.messages.length)
  const receipts = relowering.receipts()
  const shown = receipts.reduce((sum, { receipt }) => sum + receipt.tokens, 0)
  const tokens = estimateTokens(envelope.system) + shown + answerTokens(said)
  const fits = tokens <= usableTokens(model)
  const capabilities_revision = relowering.capabilities.revision
  const side = { provider_id, model_id, api, capabilities_revision, context_tokens, tokens, fits }
  return { side, receipts }
}

function found({ models }: RelowerDependencies, choice: ModelChoice): Model {
  const model = models.find(choice)
  if (model) return model
  throw new Refusal("unknown_model", `there is no provider ${choice.provider_id} here`)
}
