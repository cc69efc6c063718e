import type { Detector, SecretSpan } from "./detector.ts"

/** A private key in its armour, over any number of lines, or on one with `\n` written out. What was
 *  cut off at either end is still a key. */
export function detectArmoured(kind: string, label: string): Detector[] {
  const begin = new RegExp(`-----BEGIN ${label}-----`, "y")
  const end = new RegExp(`-----END ${label}-----`, "y")
  return [
    {
      kind,
      words: ["-----BEGIN "],
      find: (text, at) => matches(begin, text, at) && fromBegin(text, at),
    },
    { kind, words: ["-----END "], find: (text, at) => matches(end, text, at) && toEnd(text, at) },
  ]
}

/** A service account's key file: the key is the string after this name. */
export const SERVICE_ACCOUNT_KEY: Detector = {
  kind: "Google service account key",
  words: ['private_key"'],
  find(text, at) {
    VALUE.lastIndex = at
    const match = VALUE.exec(text)
    return match ? fromBegin(text, at + match[0].length) : undefined
  },
}

const VALUE = /private_key\\?"\s{0,8}:\s{0,8}\\?"(?=-----BEGIN )/y

const MAX_KEY_CHARACTERS = 64 * 1024

function matches(pattern: RegExp, text: string, at: number): true | undefined {
  pattern.lastIndex = at
  return pattern.test(text) || undefined
}

function fromBegin(text: string, start: number): SecretSpan | undefined {
  const begin = start + (armourAt("BEGIN", text, start) ?? 0)
  const other = text.slice(begin, start + MAX_KEY_CHARACTERS).indexOf("-----BEGIN ")
  const near = text.slice(begin, other < 0 ? start + MAX_KEY_CHARACTERS : begin + other)
  const end = near.indexOf("-----END ")
  const tail = end < 0 ? undefined : armourAt("END", text, begin + end)
  if (tail !== undefined) {
    const isEmpty = !/[A-Za-z0-9+/]{4}/.test(near.slice(0, end))
    return isEmpty ? undefined : { start, end: begin + end + tail }
  }
  const body = (BODY.exec(near)?.[0] ?? "").trimEnd()
  return body.length < MIN_BODY ? undefined : { start, end: begin + body.length }
}

/** The length of `-----BEGIN … KEY-----`, if that is here. */
function armourAt(word: "BEGIN" | "END", text: string, at: number): number | undefined {
  const line = text.slice(at, at + MAX_ARMOUR_CHARACTERS)
  return line.match(word === "BEGIN" ? /^-----BEGIN [^-\n]+-----/ : /^-----END [^-\n]+-----/)?.[0]
    .length
}

const MAX_ARMOUR_CHARACTERS = 80

/** A header alone is only talked about. */
const MIN_BODY = 16

/** Lines of base64, after headers such as `Proc-Type: 4,ENCRYPTED`. A break may be written out. */
const BODY =
  /^(?:(?:\r?\n|(?:\\r)?\\n)[ \t]*(?:[A-Za-z-]{1,32}: [^\n\\]{0,256}|[A-Za-z0-9+/=]{16,4096}|[A-Za-z0-9+/]{1,15}={1,2})?(?=\s|\\|"|$))*/

function toEnd(text: string, at: number): SecretSpan | undefined {
  let start = at
  while (start > 0 && at - start < MAX_KEY_CHARACTERS) {
    const line = text.lastIndexOf("\n", start - 2) + 1
    if (start - line > MAX_LINE || !BODY_LINE.test(text.slice(line, start))) break
    start = line
  }
  if (at - start < MIN_BODY) return undefined
  return { start, end: at + (armourAt("END", text, at) ?? 0) }
}

const MAX_LINE = 4096
const BODY_LINE = /^\s*[A-Za-z0-9+/=\\]{0,4096}\s*$/
