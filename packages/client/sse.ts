/** One message of a `text/event-stream`. `id` is the last one seen, as the standard has it. */
export interface Frame {
  readonly event: string
  readonly id: string | undefined
  readonly data: string
}

/** Cuts a byte stream into frames, wherever the chunks happen to break. */
export class FrameReader {
  readonly #decoder = new TextDecoder()
  /** The pieces of a line that has not ended: a row of some megabytes comes in many chunks. */
  #pieces: string[] = []
  #afterReturn = false
  #event = ""
  #id: string | undefined
  #data: string[] = []

  push(bytes: Uint8Array): Frame[] {
    const text = this.#decoder.decode(bytes, { stream: true })
    const frames: Frame[] = []
    for (const line of this.#lines(text)) {
      const frame = this.#read(line)
      if (frame) frames.push(frame)
    }
    return frames
  }

  *#lines(text: string): Generator<string> {
    // The carriage return that ended the last chunk may have been half of a pair.
    let from = this.#afterReturn && text.startsWith("\n") ? 1 : 0
    if (text !== "") this.#afterReturn = text.endsWith("\r")
    for (const end of text.matchAll(LINE_END)) {
      if (end.index < from) continue
      this.#pieces.push(text.slice(from, end.index))
      from = end.index + end[0].length
      yield this.#pieces.splice(0).join("")
    }
    if (from < text.length) this.#pieces.push(text.slice(from))
  }

  #read(line: string): Frame | undefined {
    if (line === "") return this.#dispatch()
    const colon = line.indexOf(":")
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)
    if (field === "event") this.#event = value
    if (field === "data") this.#data.push(value)
    if (field === "id") this.#id = value
    return undefined
  }

  #dispatch(): Frame | undefined {
    const data = this.#data
    const event = this.#event || "message"
    this.#data = []
    this.#event = ""
    if (data.length === 0) return undefined
    return { event, id: this.#id, data: data.join("\n") }
  }
}

const LINE_END = /\r\n|\n|\r/g
