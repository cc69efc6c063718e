import { BUILTINS } from "compositor-core/catalog/builtin"
import type { ActionCommand } from "compositor-core/catalog/command"
import { isId } from "compositor-core/message/id"
import { parseModelChoice } from "compositor-core/message/message"
import type { CommandPart } from "compositor-core/message/part"
import { Refusal } from "compositor-core/message/refusal"
import { cleanTitle } from "compositor-core/message/title"
import type { SessionAction } from "../store/store.ts"

const MAX_REWIND = 10_000

/** What a built-in command asks of its session when its row fires. */
export function sessionAction(name: string, typed: string): SessionAction {
  switch (name) {
    case "archive":
      return { type: "archive" }
    case "clear":
      return { type: "clear" }
    case "branch":
      return { type: "branch", title: cleanTitle(typed) || null }
    case "compact":
      return { type: "compact", focus: typed === "" ? null : typed }
    case "rewind":
      return isId("msg", typed)
        ? { type: "rewind-to", before_message_id: typed }
        : { type: "rewind", messages: messagesOf(typed) }
    case "model":
      if (typed === "")
        throw new Refusal("missing_arguments", "/model needs a model: provider/model")
      return { type: "model", model: parseModelChoice(typed) }
    default:
      throw new Refusal("invalid", `/${name} is not available here yet`)
  }
}

/** The action behind a surface's own button. Nobody typed it, so it is the house's whoever gives
 *  commands their meaning in that session; what was typed says how (decision 15). */
export function buttonAction({ id, raw }: CommandPart): ActionCommand | undefined {
  if (raw !== undefined) return undefined
  const command = BUILTINS.find(({ name }) => `/${name}` === id)
  return command?.kind === "action" ? command : undefined
}

function messagesOf(typed: string): number {
  if (typed === "") return 1
  const messages = Number(typed)
  if (Number.isInteger(messages) && messages > 0 && messages <= MAX_REWIND) return messages
  throw new Refusal(
    "invalid",
    `/rewind ${typed}: say which message, or how many messages to go back`,
  )
}
