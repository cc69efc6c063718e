import { Refusal } from "compositor-core/message/refusal"

const MAX_LINE_BYTES = 64 * 1024 * 1024

/** Lines of a byte stream, each with its number; one without an end is refused at a named limit. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncIterable<{ number: number; text: string }> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let waiting: string[] = []
  let size = 0
  let number = 0
  for await (const chunk of chunks) {
    const [first = "", ...more] = decode(decoder, chunk, number).split("\n")
    waiting.push(first)
    size += first.length
    if (size > MAX_LINE_BYTES)
      throw new Refusal(
        "too_large",
        `line ${number + 1} is longer than ${MAX_LINE_BYTES} characters`,
      )
    for (const next of more) {
      yield { number: ++number, text: waiting.join("") }
      waiting = [next]
      size = next.length
    }
  }
  const last = waiting.join("")
  if (last !== "") yield { number: ++number, text: last }
}

function decode(
  decoder: InstanceType<typeof TextDecoder>,
  chunk: Uint8Array,
  lines: number,
): string {
  try {
    return decoder.decode(chunk, { stream: true })
  } catch {
    throw new Refusal("invalid", `this is not text (near line ${lines + 1})`)
  }
}
