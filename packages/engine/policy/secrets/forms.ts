import { type Detector, isStart } from "./detector.ts"
import { entropy, isName } from "./plausible.ts"

/** What a machine made at random: letters and digits, many kinds of them, and no words. */
export function isRandom(secret: string): boolean {
  return /\d/.test(secret) && entropy(secret) >= RANDOM_BITS && !isName(secret)
}

const RANDOM_BITS = 3.3

/** Three or five parts in base64, the first of them JSON that names an algorithm. It is read first:
 *  much that is not a token begins alike. */
export const JSON_WEB_TOKEN: Detector = {
  kind: "JSON web token",
  words: ["eyJ"],
  find(text, at) {
    if (!isStart(text, at)) return undefined
    const header = matchAt(/eyJ[\w-]{8,1024}(?=\.)/y, text, at)
    if (header === undefined || !/"(?:alg|enc)"\s*:/.test(decoded(header))) return undefined
    const rest = matchAt(/\.[\w-]{8,}\.[\w.-]*/y, text, at + header.length)
    return rest === undefined ? undefined : { start: at, end: at + header.length + rest.length }
  },
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** Its first part is a number in base64. */
export function isDiscordToken(secret: string): boolean {
  const [id = ""] = secret.split(".", 1)
  return /^\d{16,20}$/.test(decoded(id))
}

/** A user's name, a colon and a password in base64. */
export function isCredentials(secret: string): boolean {
  return /^[\x21-\x7e]{0,128}:[\x20-\x7e]{3,256}$/.test(decoded(secret))
}

function decoded(text: string): string {
  return Buffer.from(text, "base64url").toString("latin1")
}
