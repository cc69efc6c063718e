import { createParser } from "eventsource-parser"
import { AnswerTooLong, LineCount } from "./answer-limits.ts"

export interface ServerEvent {
  readonly event: string
  readonly data: string
}

/** An event this long is not an answer but an attack or a fault. */
const MAX_EVENT_CHARACTERS = 8 * 1024 * 1024

/** The events of a text/event-stream, however its bytes are cut. Throws when one is too large; an
 *  event that the stream's end cuts off is dropped. */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  maxCharacters: number = MAX_EVENT_CHARACTERS,
): AsyncIterable<ServerEvent> {
  let found: ServerEvent[] = []
  const parser = createParser({
    maxBufferSize: maxCharacters,
    onEvent: ({ event, data }) => found.push({ event: event || "message", data }),
    onError: ({ type }) => {
      // Fields that nobody knows are errors too, and mean nothing to us.
      if (type === "max-buffer-size-exceeded") throw tooLarge(maxCharacters)
    },
  })
  const decoder = new TextDecoder()
  const count = new LineCount()
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    const pause = count.next(lineEnds(text))
    if (pause) await pause
    parser.feed(text)
    for (const event of found) yield event
    found = []
  }
}

function lineEnds(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0
}

function tooLarge(maxCharacters: number): Error {
  return new AnswerTooLong(`an event of the stream is longer than ${maxCharacters} characters`)
}
