import {
  type ArgumentPiece,
  type NextToken,
  piecesOf,
  type SlotPiece,
  type TemplateToken,
} from "./piece.ts"

export interface TemplateFault {
  readonly at: number
  /** A sentence without its subject, which is the file. */
  readonly message: string
  /** The body cannot be used at all. */
  readonly fatal: boolean
}

/** What a rule may ask while a body is read. */
export interface TemplateReading {
  readonly names: readonly string[]
  readonly faults: TemplateFault[]
  /** Closing marks that were looked for in vain: further on they are not found either. */
  readonly unclosed: Set<string>
}

/** A rule looks at one place, and only where its first character stands. */
export interface TemplateRule {
  readonly starts: string
  readonly read: (text: string, at: number, reading: TemplateReading) => TemplateToken | undefined
}

/** Shell commands and files hold slots themselves. */
export type OuterRule = (inner: NextToken) => TemplateRule

type Unwritten<P> = P extends unknown ? Omit<P, "raw" | "at"> : never

function slotToken(piece: Unwritten<SlotPiece>, raw: string, at: number): TemplateToken {
  return { piece: { ...piece, raw, at }, length: raw.length }
}

/** Patterns are sticky, so that each looks at one place only. */
export function slotRule(
  starts: string,
  pattern: RegExp,
  build: (match: RegExpExecArray) => Unwritten<ArgumentPiece> | undefined,
): TemplateRule {
  return {
    starts,
    read(text, at) {
      pattern.lastIndex = at
      const match = pattern.exec(text)
      const piece = match ? build(match) : undefined
      return match && piece ? slotToken(piece, match[0], at) : undefined
    },
  }
}

/** A slot only if its name was declared; otherwise it is text. */
export function declaredRule(starts: string, pattern: RegExp): TemplateRule {
  return {
    starts,
    read(text, at, { names }) {
      pattern.lastIndex = at
      const [raw, name] = pattern.exec(text) ?? []
      if (raw === undefined || name === undefined || !names.includes(name)) return undefined
      return slotToken({ type: "named", name }, raw, at)
    },
  }
}

/** `$name` of a declared name; of `$issue-id` the longest that is declared counts. */
export const BARE_NAME: TemplateRule = {
  starts: "$",
  read(text, at, { names }) {
    BARE_NAME_PATTERN.lastIndex = at
    let name = BARE_NAME_PATTERN.exec(text)?.[1] ?? ""
    while (name !== "" && !names.includes(name))
      name = name.slice(0, Math.max(0, name.lastIndexOf("-")))
    return name === "" ? undefined : slotToken({ type: "named", name }, `$${name}`, at)
  },
}
const BARE_NAME_PATTERN = /\$([A-Za-z_]\w{0,63}(?:-\w{1,63}){0,8})/y

/** Text that is what it stands for, such as `$$`. */
export function mark(starts: string, text: string): TemplateRule {
  return {
    starts,
    read: (body, at) =>
      body.startsWith(text, at)
        ? { piece: { type: "literal", text }, length: text.length }
        : undefined,
  }
}

/** From one mark to the next of another: kept as text, or dropped with its marks. */
export function enclosedRule(
  starts: string,
  marks: { readonly open: RegExp; readonly close: RegExp; readonly keep: boolean },
): TemplateRule {
  const { open, close, keep } = marks
  return {
    starts,
    read(text, at, { unclosed }) {
      open.lastIndex = at
      const opened = open.exec(text)?.[0]
      if (opened === undefined || unclosed.has(close.source)) return undefined
      close.lastIndex = at + opened.length
      const closed = close.exec(text)
      if (!closed) {
        unclosed.add(close.source)
        return undefined
      }
      const kept = keep ? text.slice(at + opened.length, closed.index) : ""
      return {
        piece: { type: "literal", text: kept },
        length: closed.index + closed[0].length - at,
      }
    },
  }
}

/** A shell command or a file whose content is the pattern's first group. */
export function outer(type: "shell" | "file", starts: string, pattern: RegExp): OuterRule {
  return (inner) => ({
    starts,
    read(text, at) {
      pattern.lastIndex = at
      const [raw, content] = pattern.exec(text) ?? []
      if (raw === undefined || content === undefined) return undefined
      const pieces = piecesOf(content, at + raw.indexOf(content, 2), inner)
      return slotToken({ type, pieces }, raw, at)
    },
  })
}

/** `!{…}` and `@{…}`, which end where their braces balance. */
export function balancedRule(type: "shell" | "file", starts: string): OuterRule {
  return (inner) => {
    let braces: ReadonlyMap<number, number> | undefined
    return {
      starts,
      read(text, at, { faults, unclosed }) {
        if (text.charAt(at + 1) !== "{") return undefined
        braces ??= matchingBraces(text)
        const close = braces.get(at + 1)
        if (close === undefined) {
          const message = `opens ${starts}{ and never closes it`
          if (!unclosed.has(starts)) faults.push({ at, message, fatal: false })
          unclosed.add(starts)
          return undefined
        }
        const pieces = piecesOf(text.slice(at + 2, close), at + 2, inner)
        return slotToken({ type, pieces }, text.slice(at, close + 1), at)
      },
    }
  }
}

/** For each opening brace the one that closes it, found in one pass. */
function matchingBraces(text: string): ReadonlyMap<number, number> {
  const open: number[] = []
  const pairs = new Map<number, number>()
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    const opened = brace === "{" ? undefined : open.pop()
    if (brace === "{") open.push(index)
    else if (opened !== undefined) pairs.set(opened, index)
  }
  return pairs
}

/** `@path`: with a slash, a dot or a slot in it, so that `@alice` stays a name. */
export const AT_PATH: OuterRule = (inner) => ({
  starts: "@",
  read(text, at) {
    AT_PATH_PATTERN.lastIndex = at
    const [, found = ""] = AT_PATH_PATTERN.exec(text) ?? []
    const path = found.replace(/[.:!?\]]+$/, "")
    const pieces = piecesOf(path, at + 1, inner)
    const isPath = /\/|^~|\.\w/.test(path) || pieces.some(({ type }) => type !== "literal")
    return path === "" || !isPath ? undefined : slotToken({ type: "file", pieces }, `@${path}`, at)
  },
})
// After a word it is an address, in backticks it is code.
const AT_PATH_PATTERN = /(?<![\w`@.])@([^\s`,;()<>"'|@]{1,4096})/y

/** MiniJinja: a declared parameter, or what goose itself provides. Everything else it can do would
 *  need its engine, so the body is refused rather than sent half done. */
export const JINJA: TemplateRule = {
  starts: "{",
  read(text, at, { names, faults }) {
    JINJA_PATTERN.lastIndex = at
    const [raw, expression] = JINJA_PATTERN.exec(text) ?? []
    if (raw === undefined) return undefined
    const name = expression?.trim() ?? ""
    if (names.includes(name)) return slotToken({ type: "named", name }, raw, at)
    if (name === "recipe_dir") return slotToken({ type: "host", name }, raw, at)
    const message = IDENTIFIER.test(name)
      ? `uses ${name}, which is not among its parameters`
      : `uses ${raw.slice(0, 60)}, which this host does not run`
    faults.push({ at, message, fatal: true })
    return { piece: { type: "literal", text: raw }, length: raw.length }
  },
}
const JINJA_PATTERN = /\{\{-?([^{}\n]{0,256}?)-?\}\}|\{%[^%\n]{0,256}%\}/y
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u
