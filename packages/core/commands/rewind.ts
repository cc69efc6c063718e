import { isId } from "../message/id.ts"
import { Refusal } from "../message/refusal.ts"
import { defineCommand, optionalArgument } from "./define-command.ts"

const MAX_REWIND = 10_000

export const rewindCommand = defineCommand({
  name: "rewind",
  aliases: [],
  about: "Go back to an earlier message",
  arguments: [optionalArgument("to", "a message id, or how many messages to go back")],
  when: "queued",
  perform: ({ typed }) =>
    isId("msg", typed)
      ? { type: "rewind-to", before_message_id: typed }
      : { type: "rewind", messages: readCount(typed) },
  example: "/rewind 1",
})

function readCount(typed: string): number {
  if (typed === "") return 1
  const messages = Number(typed)
  if (Number.isInteger(messages) && messages > 0 && messages <= MAX_REWIND) return messages
  throw new Refusal(
    "invalid",
    `/rewind ${typed}: say which message, or how many messages to go back`,
  )
}
