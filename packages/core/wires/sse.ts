import { AnswerTooLong, LineCount } from "./answer-limits.ts"

export interface ServerEvent {
  readonly event: string
  readonly data: string
}

/** An event this long is not an answer but an attack or a fault. */
export const MAX_EVENT_CHARACTERS = 8 * 1024 * 1024

/** The events of a text/event-stream, however its bytes are cut. Throws when one is too large; an
 *  event that the stream's end cuts off is dropped. */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  maxCharacters: number = MAX_EVENT_CHARACTERS,
): AsyncIterable<ServerEvent> {
  let event = ""
  let data: string[] = []
  let size = 0
  const count = new LineCount()
  for await (const line of readLines(chunks, maxCharacters)) {
    const pause = count.next()
    if (pause) await pause
    if (line === "") {
      if (data.length > 0) yield { event: event || "message", data: data.join("\n") }
      event = ""
      data = []
      size = 0
      continue
    }
    const { field, value } = parseLine(line)
    size += line.length
    if (size > maxCharacters) throw tooLarge(maxCharacters)
    if (field === "event") event = value
    if (field === "data") data.push(value)
  }
}

/** A comment has an empty field name; `id` and `retry` mean nothing to us. */
function parseLine(line: string) {
  const colon = line.indexOf(":")
  if (colon < 0) return { field: line, value: "" }
  const value = line.slice(colon + 1)
  return { field: line.slice(0, colon), value: value.startsWith(" ") ? value.slice(1) : value }
}

/** Lines end in LF, CR or CRLF; a CR at the end of a chunk may be half of a CRLF. */
async function* readLines(chunks: AsyncIterable<Uint8Array>, maxCharacters: number) {
  const decoder = new TextDecoder()
  let pending: string[] = []
  let size = 0
  let afterReturn = false
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true })
    if (text === "") continue
    if (afterReturn && text.startsWith("\n")) text = text.slice(1)
    afterReturn = text === "" ? false : text.endsWith("\r")
    const lines = text.split(/\r\n|\n|\r/)
    const last = lines.pop() ?? ""
    for (const line of lines) {
      yield pending.length === 0 ? line : pending.join("") + line
      pending = []
      size = 0
    }
    if (last !== "") pending.push(last)
    size += last.length
    if (size > maxCharacters) throw tooLarge(maxCharacters)
  }
}

function tooLarge(maxCharacters: number): Error {
  return new AnswerTooLong(`an event of the stream is longer than ${maxCharacters} characters`)
}
