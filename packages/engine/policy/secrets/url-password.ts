import type { Detector } from "./detector.ts"

/** The password in an address: `postgres://user:password@host`. Without schemes, in any address. */
export function urlPassword(kind: string, schemes: readonly string[]): Detector {
  const words = schemes.length > 0 ? schemes.map((scheme) => `${scheme}://`) : ["://"]
  return {
    kind,
    words,
    folded: true,
    find(text, at) {
      USER_AND_PASSWORD.lastIndex = text.indexOf("://", at)
      const match = USER_AND_PASSWORD.exec(text)
      const [start, end] = match?.indices?.[1] ?? [0, 0]
      const password = text.slice(start, end)
      if (password === "" || PLACEHOLDER.test(password)) return undefined
      return schemes.length === 0 && SAMPLE.test(password) ? undefined : { start, end }
    },
  }
}

// A password may hold anything but what ends an address; a `/` or `#` in it should be escaped and
// often is not.
const USER_AND_PASSWORD = /:\/\/[^\s/?#:@"'`<>]{0,128}:([^\s@"'`<>\\]{1,256})@[\w.[-]/dy

// A variable, a template, stars, what we wrote ourselves. `8080/path` is a port and what follows.
const PLACEHOLDER = /^[$%{<[*]|^\*+$|^x+$|^\.+$|^:|^\d{1,5}\//i

/** What an address is explained with. A database's is seldom only explained. */
const SAMPLE = /^(?:.{1,2}|abc|xyz|123|pass|passwd|password|pwd|secret|token|redacted)$/i
