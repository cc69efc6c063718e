import { createParser } from "eventsource-parser"

/** One message of a `text/event-stream`. `id` is the last one seen, as the standard has it. */
export interface Frame {
  readonly event: string
  readonly id: string | undefined
  readonly data: string
}

/** Cuts a byte stream into frames, wherever the chunks happen to break. */
export class FrameReader {
  readonly #decoder = new TextDecoder()
  #frames: Frame[] = []
  #id: string | undefined
  readonly #parser = createParser({
    onEvent: ({ event = "message", id = this.#id, data }) => {
      this.#id = id
      this.#frames.push({ event, id, data })
    },
  })

  push(bytes: Uint8Array): Frame[] {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }))
    return this.#frames.splice(0)
  }
}
