import type { Detector, SecretSpan } from "./detector.ts"
import { isPlausible, type Maker } from "./plausible.ts"

/** A value that its name gives away: `DB_PASSWORD=…`, `"api_key": "…"`, `--token …`, `<secret>…`. */
export function detectAssignment(kind: string, words: readonly string[], maker: Maker): Detector {
  const accepts = (value: Value) => isSecret(value, maker)
  return assigned(kind, words, { suffix: SUFFIXES[maker], accepts })
}

/** A value of a form that nothing else of that name has. */
export function exactly(kind: string, words: readonly string[], form: RegExp): Detector {
  return assigned(kind, words, { suffix: SUFFIXES.machine, accepts: ({ text }) => form.test(text) })
}

/** What may stand between the word and the end of the name: `secret_key_2`, but not `secretary`. */
const SUFFIXES: Readonly<Record<Maker, string>> = {
  person: "[_-]?\\d{0,3}",
  machine:
    "(?:[_-]?(?:keys?|value|token|secret|base64|b64|prod|production|dev|test|live|staging|v?\\d{1,3})){0,4}",
}

interface Form {
  readonly suffix: string
  readonly accepts: (value: Value) => boolean
}

function assigned(kind: string, words: readonly string[], { suffix, accepts }: Form): Detector {
  const head = new RegExp(`(?:${words.join("|")})${suffix}${SEPARATOR}`, "iy")
  return { kind, words, folded: true, find }

  function find(text: string, at: number): SecretSpan | undefined {
    head.lastIndex = at
    const match = head.exec(text)
    if (match === null) return undefined
    const name = { start: nameStart(text, at), separator: match[1] ?? "" }
    const value = valueAt(text, name, head.lastIndex)
    if (value === undefined || !accepts(value)) return undefined
    return { start: value.start, end: endOf(text, value) }
  }
}

// A quote or bracket may close the name; a space counts only after a flag, `>` only after `<`.
const SEPARATOR = "(?:\\\\?[\"'`]\\]?)?([ \\t]{0,8}(?::=|=>|={1,3}|:)[ \\t]{0,8}|>|[ \\t])"

const MAX_NAME = 64

function nameStart(text: string, at: number): number {
  let start = at
  while (start > 0 && at - start < MAX_NAME && isNameCode(text.charCodeAt(start - 1))) start -= 1
  return start
}

function isNameCode(code: number): boolean {
  return code < 128 && NAME_CODES[code] === 1
}

const NAME_CODES = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w.-]/.test(String.fromCharCode(code)) ? 1 : 0,
)

interface Name {
  readonly start: number
  readonly separator: string
}

interface Value {
  readonly text: string
  readonly start: number
  /** `bare`: nothing but a value can stand there. `code`: an expression could. */
  readonly setting: "quoted" | "bare" | "code"
  /** As much as a value can be judged by, of the characters it can have. */
  readonly form: RegExp
}

function valueAt(text: string, name: Name, at: number): Value | undefined {
  const before = text[name.start - 1] ?? ""
  const isFlag = text.startsWith("--", name.start)
  if (/^[ \t]$/.test(name.separator) && !isFlag) return undefined
  if (name.separator === ">") return before === "<" ? run(text, at, TO_TAG, "bare") : undefined
  const quote = /^\\?["'`]/.exec(text.slice(at, at + 2))?.[0]
  if (quote) return quoted(text, at + quote.length, quote)
  if (isFlag) return run(text, at, TO_QUOTE, "bare")
  if (/[;&?]/.test(before)) return run(text, at, TO_DELIMITER, "bare")
  return restOfLine(text, name, at) ?? expression(text, at)
}

// How far a value goes. More of it than this is not looked at; if it is a secret, all of it is.
const MAX_JUDGED = 256
const TO_SPACE = /\S{0,256}/y
const TO_TAG = /[^\s<]{0,256}/y
const TO_QUOTE = /[^\s"'`]{0,256}/y
const TO_ESCAPE = /[^\s\\]{0,256}/y
const TO_DELIMITER = /[^\s"'`<>;&]{0,256}/y
const EXPRESSION = /[^\s"'`<>;,&|(){}[\]\\]{0,256}/y

function run(text: string, start: number, form: RegExp, setting: Value["setting"]): Value {
  form.lastIndex = start
  return { text: form.exec(text)?.[0] ?? "", start, setting, form }
}

function quoted(text: string, start: number, quote: string): Value | undefined {
  const value = run(text, start, QUOTED[quote] ?? TO_ESCAPE, "quoted")
  const isWhole = isCut(value) || text.startsWith(quote, start + value.text.length)
  return isWhole ? value : undefined
}

// In a text that is itself quoted the quotes are escaped, and a backslash ends the value.
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /[^\s"]{0,256}/y,
  "'": /[^\s']{0,256}/y,
  "`": /[^\s`]{0,256}/y,
}

function isCut({ text }: Value): boolean {
  return text.length >= MAX_JUDGED
}

/** In a file of settings a line is a name and its value. */
function restOfLine(text: string, name: Name, at: number): Value | undefined {
  const line = text.slice(Math.max(0, name.start - MAX_NAME), name.start)
  if (!LINE_START.test(line.slice(line.lastIndexOf("\n") + 1))) return undefined
  const value = run(text, at, TO_SPACE, "bare")
  const end = at + value.text.length
  if (!isCut(value) && !LINE_END.test(text.slice(end, end + MAX_NAME))) return undefined
  return { ...value, text: value.text.replace(/[;,]$/, "") }
}

const LINE_START = /^[ \t+-]*(?:(?:export|set|ENV|ARG|declare -x)[ \t]+)?$/
const LINE_END = /^[ \t]*(?:#|\r?\n|$)/

function expression(text: string, at: number): Value | undefined {
  const value = run(text, at, EXPRESSION, "code")
  return /[([{]/.test(text[at + value.text.length] ?? "") ? undefined : value
}

function endOf(text: string, value: Value): number {
  let last = value
  while (isCut(last)) last = run(text, last.start + last.text.length, value.form, value.setting)
  return last.start + last.text.length
}

function isSecret({ text, setting }: Value, maker: Maker): boolean {
  if (!isPlausible(text, maker)) return false
  if (setting === "quoted") return true
  if (CODE.test(text)) return false
  return setting === "bare" || changes(text) >= MIN_CHANGES
}

// A call, a member, a type.
const CODE =
  /^[A-Za-z_$][\w$]*(?:\(|\[|(?:\.|->|::|\?\.|!\.)[A-Za-z_$])|^(?:Big)?(?:[Uu]?[Ii]nt|[Ff]loat|str|string)\d+|Array\b|^[A-Za-z]+\d*\|/

/** An identifier seldom goes from letters to digits and back more often than this. */
const MIN_CHANGES = 4

function changes(text: string): number {
  return (text.match(/(?<=\d)(?=\D)|(?<=\D)(?=\d)/g) ?? []).length
}
