/** From `start` up to `end`, in UTF-16 units. */
export interface SecretSpan {
  readonly start: number
  readonly end: number
}

/** One kind of secret. Every secret of the kind has one of the words in it, and only where a word is
 *  found is anything else looked at. */
export interface Detector {
  /** What a person is told was removed. */
  readonly kind: string
  readonly words: readonly string[]
  /** The words are in lower case and count in any. */
  readonly folded?: true
  /** It begins with its word and is random behind it: a break of a line in it is no end of it. */
  readonly breakable?: true
  /** The secret, when one of the words is at `at`. */
  find(text: string, at: number): SecretSpan | undefined
}

/** A secret that is known by its form and begins with its word. A group of the pattern, if it has
 *  one, is the secret; else all of it is. `accepts` has the last say. */
export function detectToken(
  kind: string,
  words: readonly string[],
  pattern: RegExp,
  accepts: (secret: string) => boolean = always,
): Detector {
  const find = formed(pattern, accepts)
  return {
    kind,
    words,
    breakable: true,
    find: (text, at) => (isStart(text, at) ? find(text, at) : undefined),
  }
}

/** A secret whose word stands behind so many characters; where several lengths occur, the longest is
 *  tried first. */
export function tokenAround(
  kind: string,
  words: readonly string[],
  { leads, pattern }: { readonly leads: readonly number[]; readonly pattern: RegExp },
): Detector {
  const find = formed(pattern, always)
  return {
    kind,
    words,
    find(text, at) {
      const starts = leads.map((lead) => at - lead)
      const start = starts.find((start) => isStart(text, start) && find(text, start))
      return start === undefined ? undefined : find(text, start)
    },
  }
}

function always(): boolean {
  return true
}

function formed(pattern: RegExp, accepts: (secret: string) => boolean) {
  const sticky = new RegExp(pattern.source, `${pattern.flags}yd`)
  return (text: string, at: number): SecretSpan | undefined => {
    sticky.lastIndex = at
    const match = sticky.exec(text)
    if (match === null) return undefined
    const [start, end] = match.indices?.[1] ?? [at, sticky.lastIndex]
    const isOpen = end - start >= MAX_FORM
    if (!isOpen && isWordCharacter(text, end)) return undefined
    if (!accepts(text.slice(start, end))) return undefined
    return { start, end: isOpen ? endOfRun(text, end) : end }
  }
}

/** Forms without an end go up to here; if it is a secret, so is what follows. */
const MAX_FORM = 250

function endOfRun(text: string, from: number): number {
  RUN.lastIndex = from
  return from + (RUN.exec(text)?.[0].length ?? 0)
}

const RUN = /[\w.~+/=-]*/y

/** Whether something new begins here. In a text that is itself quoted, what looks like a letter may
 *  be the end of an escape: `\n` or `%3D`. */
export function isStart(text: string, at: number): boolean {
  if (at < 0) return false
  if (at === 0 || !isWordCharacter(text, at - 1)) return true
  return /\\[nrt]$|%[0-9A-Fa-f]{2}$/.test(text.slice(Math.max(0, at - 3), at))
}

function isWordCharacter(text: string, at: number): boolean {
  return at < text.length && /\w/.test(text[at] ?? "")
}
