/** A pattern of an ignore file or a deny list, ready to be matched (gitignore's rules). */
export type Glob =
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "ending"; readonly ending: string }
  | { readonly type: "name-pattern"; readonly tokens: readonly GlobToken[] }
  | { readonly type: "path"; readonly path: string; readonly depth: number }
  | {
      readonly type: "path-pattern"
      readonly tokens: readonly GlobToken[]
      /** How many names the path has; null where two stars stand for any number of folders. */
      readonly depth: number | null
    }
  | { readonly type: "nothing" }

export type GlobToken =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "any" }
  | { readonly type: "star" }
  /** Two stars and a slash: no folder, or any number of them. */
  | { readonly type: "folders" }
  | { readonly type: "rest" }
  | { readonly type: "set"; readonly negated: boolean; readonly ranges: readonly CharacterRange[] }

export interface CharacterRange {
  readonly from: number
  readonly to: number
}

/** The name that everything it matches has, if there is but one. */
export function lastNameOf(glob: Glob): string | undefined {
  switch (glob.type) {
    case "name":
      return glob.name
    case "path":
      return glob.path.slice(glob.path.lastIndexOf("/") + 1)
    case "path-pattern": {
      const last = glob.tokens.at(-1)
      if (last?.type !== "text") return undefined
      const isWhole = last.text.includes("/") || glob.tokens.at(-2)?.type === "folders"
      return isWhole ? last.text.slice(last.text.lastIndexOf("/") + 1) : undefined
    }
    case "ending":
    case "name-pattern":
    case "nothing":
      return undefined
  }
}

/** An entry of a folder, as a list sees it: the path goes on at `from`, behind the list's folder,
 *  and has `depth` names from there. */
export interface GlobEntry {
  readonly path: string
  readonly from: number
  readonly name: string
  readonly depth: number
}

export function globMatches(glob: Glob, { path, from, name, depth }: GlobEntry): boolean {
  switch (glob.type) {
    case "name":
      return name === glob.name
    case "ending":
      return name.endsWith(glob.ending)
    case "name-pattern":
      return tokensMatch(glob.tokens, name, 0)
    case "path":
      if (glob.depth !== depth || path.length - from !== glob.path.length) return false
      return path.startsWith(glob.path, from)
    case "path-pattern":
      if (glob.depth !== null && glob.depth !== depth) return false
      return tokensMatch(glob.tokens, path, from)
    case "nothing":
      return false
  }
}

const SLASH = 0x2f

// A star takes as little as it can and is asked for more when what follows does not fit. Only the
// last star and the last pair of stars are ever asked: what an earlier one took already fits, so the
// work stays small whatever the pattern.
function tokensMatch(tokens: readonly GlobToken[], text: string, from: number): boolean {
  let star: Retry | undefined
  let folders: Retry | undefined
  let token = 0
  let at = from
  for (;;) {
    const current = tokens[token]
    if (current === undefined && at === text.length) return true
    if (current?.type === "rest") return true
    if (current?.type === "star") star = { token: token + 1, at }
    if (current?.type === "folders") [folders, star] = [{ token: token + 1, at }, undefined]
    const next = current === undefined ? -1 : step(current, text, at)
    if (next >= 0) {
      token += 1
      at = next
      continue
    }
    star = star && oneMore(star, text)
    if (!star) folders = folders && oneFolderMore(folders, text)
    const retry: Retry | undefined = star ?? folders
    if (retry === undefined) return false
    token = retry.token
    at = retry.at
  }
}

interface Retry {
  readonly token: number
  readonly at: number
}

function oneMore({ token, at }: Retry, text: string): Retry | undefined {
  return at < text.length && text.charCodeAt(at) !== SLASH ? { token, at: at + 1 } : undefined
}

function oneFolderMore({ token, at }: Retry, text: string): Retry | undefined {
  const slash = text.indexOf("/", at)
  return slash < 0 ? undefined : { token, at: slash + 1 }
}

/** Where the text goes on after this token, or -1. */
function step(token: Exclude<GlobToken, { type: "rest" }>, text: string, at: number): number {
  switch (token.type) {
    case "text":
      return text.startsWith(token.text, at) ? at + token.text.length : -1
    case "any":
    case "set": {
      const code = text.codePointAt(at)
      if (code === undefined || code === SLASH) return -1
      if (token.type === "set" && isIn(token.ranges, code) === token.negated) return -1
      return at + (code > 0xffff ? 2 : 1)
    }
    case "star":
    case "folders":
      return at
  }
}

function isIn(ranges: readonly CharacterRange[], code: number): boolean {
  return ranges.some(({ from, to }) => from <= code && code <= to)
}
