import type { StoredMessage } from "compositor-core/message/row"

/** Messages that are drawn, and left undrawn, together. */
export interface MessageChunk {
  readonly key: string
  readonly messages: readonly StoredMessage[]
  /** What was asked before each; nothing for an answer that was taken up again, and so needs no
   *  other try. */
  readonly questions: readonly (StoredMessage | undefined)[]
}

/** Few, so that drawing them takes little of a frame. */
const CHUNK = 2

/** A history in chunks. Which chunk a message is in depends on its own place only, so that older
 *  pages in front change none of those behind them. */
export function chunksOf(messages: readonly StoredMessage[]): MessageChunk[] {
  const chunks: {
    key: string
    messages: StoredMessage[]
    questions: MessageChunk["questions"][number][]
  }[] = []
  let question: StoredMessage | undefined
  for (const [at, message] of messages.entries()) {
    if (message.role === "user") question = message
    const asked = isTakenUp(message, messages[at + 1]) ? undefined : question
    const last = chunks.at(-1)
    const key = keyOf(message) ?? last?.key ?? ""
    if (last?.key === key) {
      last.messages.push(message)
      last.questions.push(asked)
    } else chunks.push({ key, messages: [message], questions: [asked] })
  }
  return chunks
}

/** Every session of a path counts its own messages. An answer whose row is still to come has no place
 *  yet, and is where the last message is. */
function keyOf({ session_id, seq }: StoredMessage): string | undefined {
  return seq === null ? undefined : `${session_id} ${Math.floor(seq / CHUNK)}`
}

export function isSameChunk(left: MessageChunk, right: MessageChunk): boolean {
  return (
    left.key === right.key &&
    isSameList(left.messages, right.messages) &&
    isSameList(left.questions, right.questions)
  )
}

function isSameList<T>(left: readonly T[], right: readonly T[]): boolean {
  return left.length === right.length && left.every((one, at) => one === right[at])
}

/** A turn that a crash cut off went on in another answer. */
function isTakenUp({ metadata }: StoredMessage, next: StoredMessage | undefined): boolean {
  return metadata.finish === "interrupted" && next?.role === "assistant"
}
