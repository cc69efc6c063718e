/** Who may have made the value up: a person (a password) or a machine. */
export type Maker = "person" | "machine"

/** Whether a value that is named like a secret can be one, and is not a name, a type, a placeholder
 *  or a number. */
export function isPlausible(value: string, maker: Maker): boolean {
  if (value.length < MIN_CHARACTERS[maker]) return false
  if (PLACEHOLDER.test(value) || NOT_RANDOM.test(value)) return false
  if (maker === "person") return /[^A-Za-z_-]/.test(value) && isMixed(value, maker)
  return /\d/.test(value) && /[A-Za-z]/.test(value) && !isName(value) && isMixed(value, maker)
}

const MIN_CHARACTERS: Readonly<Record<Maker, number>> = { person: 6, machine: 10 }

// What a template, a document or a program writes where a secret would stand.
const PLACEHOLDER =
  /^[<$%{[(*#|@]|\$\{|\{\{|x{4}|\*{3}|\.{3}|…|example|placeholder|change[-_]?me|dummy|redacted|(?:your|my|the|some|enter|insert|replace)[-_ ]|^(?:null|none|nil|undefined|true|false|required|optional)\b/i

// A number, a version, a date, a path, an address, a checksum.
const NOT_RANDOM =
  /^[\d.,:_+-]+$|^[v^~=]?\d+\.\d+|^\.{0,2}\/|^~\/|^[A-Za-z]:\\|:\/\/|^(?:rgb|hsl|calc|var|url|sha\d+-)/i

/** Words and short numbers that a person put together: `db-credentials-v2`, `accessToken2`. */
export function isName(value: string): boolean {
  const pieces = value.split(/[-_./:@\s]|(?<=[a-z])(?=[A-Z])|(?<=\d)(?=[A-Z][a-z])/)
  return pieces.every((piece) => /^(?:[A-Z]?[a-z]*|[A-Z]*)\d{0,4}$|^.{0,4}$/.test(piece))
}

const SHARES: Readonly<Record<Maker, number>> = { person: 0.7, machine: 0.8 }
/** No more is asked of a long value: 16 characters, all equally often, have 4 bits each. */
const ENOUGH_BITS = 3.2

/** Whether its characters are about as varied as chance would have them. */
function isMixed(value: string, maker: Maker): boolean {
  return entropy(value) >= Math.min(ENOUGH_BITS, SHARES[maker] * Math.log2(value.length))
}

/** Bits per character, by how often each one occurs. */
export function entropy(value: string): number {
  COUNTS.fill(0)
  for (let at = 0; at < value.length; at++) COUNTS[value.charCodeAt(at) & 0xff]! += 1
  let bits = 0
  for (const count of COUNTS) {
    if (count === 0) continue
    const share = count / value.length
    bits -= share * Math.log2(share)
  }
  return bits
}

const COUNTS = new Uint16Array(256)
