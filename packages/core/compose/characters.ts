/** What a UTF-16 unit means to prose. From SLASH on, it may begin something; the smaller ones say what
 *  may begin behind them. */
export const PLAIN = 0
export const OPENER = 1
/** A mark of a script that writes no spaces: a reference may follow it. */
export const WIDE = 2
export const WHITE = 3
export const SLASH = 4
export const AT = 5
const DOLLAR = 6
export const TICK = 7
export const BREAK = 8

/** What a unit can be inside a command or a reference. */
export const NAME = 1
export const WORD_CHARACTER = 2
/** Ends a sentence rather than the word before it. */
export const STOP = 4
/** Makes a word a path. */
export const PATH = 8
export const COLON = 16
export const HASH = 32
/** Closes a bracket: it belongs to the word that has its opener. */
export const CLOSER = 64
export const BANG = 128
export const SEPARATOR = 256
export const AT_SIGN = 512
/** Ends a name: white space, or a mark between words that have no space. */
export const BOUNDARY = 1024
/** May begin a line that opens a code fence: marks, and what may stand before them. */
export const FENCE = 2048
/** May follow the slash, dollar or at sign of a token. */
export const BEGINS = 4096

const UNITS = 65_536
const WHITE_SPACE =
  "\t\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
const WIDE_STOPS = "、。，；：！？…"
const PAIRS: readonly string[] = ["()", "[]", "{}", "<>"]
const WIDE_PAIRS: readonly string[] = [
  "（）",
  "［］",
  "｛｝",
  "「」",
  "『』",
  "【】",
  "《》",
  "〈〉",
  "〔〕",
  "“”",
  "‘’",
]
const BRACKETS = [...PAIRS, ...WIDE_PAIRS].join("")

export const SORTS = sorts()
export const TRAITS = traits()

function sorts(): Uint8Array {
  const table = new Uint8Array(UNITS)
  const mark = (units: string, sort: number) => {
    for (const unit of units) table[unit.charCodeAt(0)] = sort
  }
  mark("/", SLASH)
  mark("@", AT)
  mark("$", DOLLAR)
  mark(`${PAIRS.map((pair) => pair[0]).join("")}"'`, OPENER)
  mark("`", TICK)
  mark(WIDE_STOPS + WIDE_PAIRS.map((pair) => pair[0]).join(""), WIDE)
  mark(WHITE_SPACE, WHITE)
  mark("\n", BREAK)
  return table
}

function traits(): Uint16Array {
  const table = new Uint16Array(UNITS).fill(WORD_CHARACTER | BEGINS, 0x20, 0x80)
  const set = (units: string, value: number) => {
    for (const unit of units) table[unit.charCodeAt(0)] = value
  }
  const add = (units: string, value: number) => {
    for (const unit of units) table[unit.charCodeAt(0)] = (table[unit.charCodeAt(0)] ?? 0) | value
  }
  // Controls are in no name and in no path.
  table[0x7f] = 0
  table.fill(WORD_CHARACTER | BEGINS | NAME, 0xa0)
  table.fill(WORD_CHARACTER | BEGINS, 0x2010, 0x2060) // General punctuation: no name has it.
  add("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_:./", NAME)
  set(BRACKETS, WORD_CHARACTER | BEGINS)
  set(WIDE_STOPS, STOP | BOUNDARY)
  set(`${WHITE_SPACE}\n`, BOUNDARY)
  set('`"', 0)
  add(".,;:!?'", STOP)
  add("./\\", PATH)
  add(":", COLON)
  add("#", HASH)
  add("!", BANG)
  add("/\\", SEPARATOR)
  add("@", AT_SIGN)
  add('"', BEGINS)
  add(" \t>-*+0123456789.)`~", FENCE)
  for (const [, closer = ""] of [...PAIRS, ...WIDE_PAIRS]) add(closer, CLOSER)
  return table
}

export function isWhite(unit: number): boolean {
  const sort = SORTS[unit]
  return sort === WHITE || sort === BREAK
}

/** Whether a reference may begin behind this unit, whatever stands before it. */
export function isGap(unit: number): boolean {
  return isWhite(unit) || SORTS[unit] === WIDE
}

/** Where the word really ends: "(see src/a.ts)." ends after `ts`, `app/(home)` keeps its bracket. */
export function withoutPunctuation(text: string, start: number, end: number): number {
  for (let at = end; at > start; at--) {
    const trait = TRAITS[text.charCodeAt(at - 1)] ?? 0
    if (trait & CLOSER) return withoutClosers(text, start, at)
    if (!(trait & STOP)) return at
  }
  return start
}

function withoutClosers(text: string, start: number, end: number): number {
  let open = 0
  let kept = start
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at)
    const trait = TRAITS[unit] ?? 0
    if (trait & CLOSER) {
      if (open === 0) continue
      open--
    } else if (trait & STOP) continue
    else if (OPENING.has(unit)) open++
    kept = at + 1
  }
  return kept
}

const OPENING: ReadonlySet<number> = new Set(
  [...PAIRS, ...WIDE_PAIRS].map((pair) => pair.charCodeAt(0)),
)
