import { SaxesParser } from "saxes"
import { refuse } from "./refusal.ts"

export type XmlAttributes = Readonly<Record<string, string>>

/** What happens while XML is read. Names come without their prefix, because producers choose it. */
export interface XmlEvents {
  readonly open?: (name: string, attributes: XmlAttributes) => void
  readonly text?: (text: string) => void
  readonly close?: (name: string) => void
}

const MAX_DEPTH = 512
/** Nothing that we look for is as long: a text, a tag or a comment. The parser would keep it whole. */
const MAX_TOKEN_CHARACTERS = 4 * 1024 * 1024

/** Walk through XML as it comes. It is never held as a whole; entities beyond XML's own five do not
 *  exist, so none can grow. */
export async function readXml(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  events: XmlEvents,
): Promise<void> {
  const parser = new SaxesParser({ xmlns: false })
  let depth = 0
  let waiting = 0
  parser.on("error", (error) => refuse(`Its XML is damaged: ${error.message.slice(0, 200)}`))
  parser.on("opentag", ({ name, attributes }) => {
    waiting = 0
    depth += 1
    if (depth > MAX_DEPTH) refuse(`Its XML is nested deeper than ${MAX_DEPTH} levels.`)
    events.open?.(bare(name), attributes as XmlAttributes)
  })
  const said = (text: string) => {
    waiting = 0
    events.text?.(text)
  }
  parser.on("text", said)
  parser.on("cdata", said)
  parser.on("closetag", ({ name }) => {
    waiting = 0
    depth -= 1
    events.close?.(bare(name))
  })
  for await (const text of decoded(chunks)) {
    parser.write(text)
    waiting += text.length
    if (waiting > MAX_TOKEN_CHARACTERS)
      refuse(`One piece of its XML is longer than ${MAX_TOKEN_CHARACTERS} characters.`)
  }
  parser.close()
}

async function* decoded(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk))
    yield decoder.decode(chunk, { stream: true })
  }
  yield decoder?.decode() ?? ""
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
}

function bare(name: string): string {
  const colon = name.indexOf(":")
  return colon < 0 ? name : name.slice(colon + 1)
}

/** An attribute by its name without prefix. */
export function attribute(attributes: XmlAttributes, name: string): string | undefined {
  const plain = attributes[name]
  if (plain !== undefined) return plain
  for (const full in attributes) if (full.endsWith(`:${name}`)) return attributes[full]
  return undefined
}
