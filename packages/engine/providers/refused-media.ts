import { randomUUID } from "node:crypto"
import type { Media, ModelFault } from "compositor-core/model/prompt"
import { type WireBody, flatPieces } from "compositor-core/wires/body"

/** Which media a refusal is about: content ids, none when the API does not say which, undefined when
 *  it is about something else (BEY-02). */
export function blame(body: WireBody, fault: ModelFault): readonly string[] | undefined {
  if (fault.retryable || NOT_ABOUT_CONTENT.test(fault.code)) return undefined
  const { json, media } = outline(body)
  if (media.length === 0) return undefined
  const place = walk(json, fault.path ?? pathIn(fault.message))
  if (place) return place.media.length > 0 ? place.media.map((at) => idOf(media, at)) : undefined
  return MEDIA_WORDS.test(`${fault.code} ${fault.message}`) ? [] : undefined
}

const NOT_ABOUT_CONTENT = /auth|permission|not_found|billing|quota|aborted|timeout|connection/i
const MEDIA_WORDS =
  /image|picture|pixel|pdf|audio|video|mime|media.?type|base64|\b(?:document|file)s?\b|request_too_large|http-41[35]/i

/** The request as JSON in which each medium is its number. */
function outline(body: WireBody): { json: unknown; media: readonly Media[] } {
  const media: Media[] = []
  const bytes: Uint8Array[] = []
  for (const piece of flatPieces(body)) {
    if (piece instanceof Uint8Array) bytes.push(piece)
    else bytes.push(Buffer.from(`${PLACE}${media.push(piece) - 1};`))
  }
  return { json: JSON.parse(Buffer.concat(bytes).toString()), media }
}

// Nobody outside this process knows it, so no text of a user can be taken for a medium.
const PLACE = `<${randomUUID()} `

function idOf(media: readonly Media[], at: number): string {
  return media[at]?.content_id ?? ""
}

/** `messages.4.content.2.image` or `input[0].content[1]`, where a message names a place. */
function pathIn(message: string): string {
  return message.match(/\b(?:messages|input|contents)(?:[.[]\w+\]?)+/)?.[0] ?? ""
}

/** What lies at a path, as far as it can be followed; a message and a block in it at least. */
function walk(json: unknown, path: string): { media: number[] } | undefined {
  let node = json
  let steps = 0
  for (const step of path.match(/\w+/g) ?? []) {
    const next = childOf(node, step)
    if (next === undefined) break
    node = next
    steps += 1
  }
  return steps < 2 ? undefined : { media: mediaIn(JSON.stringify(node)) }
}

function childOf(node: unknown, step: string): unknown {
  if (typeof node !== "object" || node === null) return undefined
  const camel = step.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const key = [step, camel].find((name) => Object.hasOwn(node, name))
  return key === undefined ? undefined : Reflect.get(node, key)
}

function mediaIn(json: string): number[] {
  const places = json.matchAll(new RegExp(`${PLACE}(\\d+);`, "g"))
  return [...new Set([...places].map(([, at]) => Number(at)))]
}
