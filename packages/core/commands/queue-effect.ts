import type { ModelChoice } from "../message/message.ts"

/** What a queued command may do to its session. The store carries it out in the commit that ends the
 *  command's turn, and knows these effects and no command. */
export type QueueEffect =
  | {
      readonly type: "change-session"
      readonly change: SessionChanges
      /** What the user is told when it is done. */
      readonly says: string
    }
  | { readonly type: "branch"; readonly title: string | null }
  | { readonly type: "compact"; readonly focus: string | null }
  | { readonly type: "clear" }
  | { readonly type: "rewind"; readonly messages: number }
  | { readonly type: "rewind-to"; readonly before_message_id: string }

interface SessionChanges {
  readonly title?: string
  readonly archived?: boolean
  readonly model?: ModelChoice
  /** Who answers from the next turn on. */
  readonly agent?: string
}

/** How rows of version 0.1 say two of the effects; such a row may still wait in a queue. */
type EarlierEffect =
  | { readonly type: "archive" }
  | { readonly type: "model"; readonly model: ModelChoice }

/** The effect that a stored message asks for. */
export function readQueueEffect(stored: QueueEffect | EarlierEffect): QueueEffect {
  if (stored.type === "archive") return archiveSession()
  if (stored.type === "model") return chooseModel(stored.model)
  return stored
}

export function archiveSession(): QueueEffect {
  const says = "This session is archived."
  return { type: "change-session", change: { archived: true }, says }
}

export function chooseModel(model: ModelChoice): QueueEffect {
  const says = `From here on ${model.provider_id}/${model.model_id} answers.`
  return { type: "change-session", change: { model }, says }
}
