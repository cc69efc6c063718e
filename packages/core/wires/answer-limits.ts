import type { ModelEvent } from "../model/prompt.ts"

/** The bytes of one answer. A long one is 130,000 tokens, each in an event of its own of some 250. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024
/** Calls that one answer makes. Models make some ten at once. */
const MAX_CALLS = 256
/** Lines or messages of one answer, those that say nothing included. */
export const MAX_LINES = 500_000
/** After so many lines others have their turn, however much is there to be read. */
const LINES_AT_ONCE = 2000

/** An answer beyond what any answer needs. Whoever sends it once sends it again: it is not retried. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong"
  readonly code = "answer-too-long"
  readonly retryable = false
}

/** The chunks of an answer, as far as an answer may be long. */
export async function* limitBytes(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES)
      throw new AnswerTooLong(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`)
    yield chunk
  }
}

/** Counts lines; to be awaited where it says so, which is seldom. */
export class LineCount {
  #count = 0

  next(lines = 1): Promise<void> | undefined {
    const before = this.#count
    this.#count += lines
    if (this.#count > MAX_LINES)
      throw new AnswerTooLong(`the answer has more than ${MAX_LINES} lines`)
    if (Math.floor(before / LINES_AT_ONCE) === Math.floor(this.#count / LINES_AT_ONCE))
      return undefined
    return new Promise((resolve) => setTimeout(resolve))
  }
}

/** Says how many calls were begun, and throws when they are too many. */
export function countCalls(before: number, events: readonly ModelEvent[]): number {
  const count = before + events.filter(({ type }) => type === "tool-call-start").length
  if (count > MAX_CALLS) throw new AnswerTooLong(`the answer calls more than ${MAX_CALLS} tools`)
  return count
}
