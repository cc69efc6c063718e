import type { CommandDialect } from "./command.ts"
import type { TemplatePiece } from "./piece.ts"
import {
  AT_PATH,
  BARE_NAME,
  balancedRule,
  declaredRule,
  enclosedRule,
  JINJA,
  mark,
  type OuterRule,
  outer,
  type TemplateRule,
  slotRule,
} from "./rules.ts"

/** How a dialect writes its slots. */
interface Grammar {
  /** A backslash before a slot makes it text, and two stand for one. */
  readonly escapes: boolean
  readonly slots: readonly TemplateRule[]
  readonly outer?: readonly OuterRule[]
  /** The last word on the pieces, for a rule that needs to have seen them all. */
  readonly finish?: (pieces: readonly TemplatePiece[]) => readonly TemplatePiece[]
}

const ALL = slotRule("$", /\$ARGUMENTS(?!\w)/y, () => ({ type: "all" }))
const AT_SIGN = slotRule("$", /\$@/y, () => ({ type: "all" }))
const FROM_ONE = slotRule("$", /\$(\d{1,3})(?!\d)/y, ([, n]) => place(Number(n) - 1))
const FROM_ZERO = slotRule("$", /\$(\d{1,3})(?!\d)/y, ([, n]) => place(Number(n)))
const INDEXED = slotRule("$", /\$ARGUMENTS\[(\d{1,3})\]/y, ([, n]) => place(Number(n)))
const ONE_DIGIT = slotRule("$", /\$([1-9])/y, ([, n]) => place(Number(n) - 1))
const UPPER = slotRule("$", /\$([A-Z][A-Z0-9_]*)/y, ([, name = ""]) => ({ type: "named", name }))
const SLICE = slotRule("$", /\$\{@:(\d{1,3})(?::(\d{1,3}))?\}/y, ([, from, count]) => ({
  type: "rest",
  from: Math.max(0, Number(from) - 1),
  count: count === undefined ? null : Number(count),
  orEmpty: true,
}))
const CLAUDE = slotRule("$", /\$\{(CLAUDE_[A-Z_]+)\}/y, ([, name = ""]) => ({ type: "host", name }))
const ARGS = slotRule("{", /\{\{args\}\}/y, () => ({ type: "all" }))
const INPUT = slotRule("$", /\$\{input:([^}:\n]{1,64})(?::[^}\n]{0,256})?\}/y, ([, name = ""]) => ({
  type: "named",
  name: name.trim(),
}))
const EDITOR = slotRule(
  "$",
  /\$\{(selection|selectedText|file(?:Basename|Dirname|BasenameNoExtension)?|workspaceFolder(?:Basename)?)\}/y,
  ([, name = ""]) => ({ type: "host", name }),
)
const HANDLEBARS = slotRule(
  "{",
  /\{\{\{?[ \t]{0,8}([^{}\n]{1,128}?)[ \t]{0,8}\}\}\}?/y,
  ([, name = ""]) => (name === "input" ? { type: "all" } : { type: "host", name }),
)
const NAME = String.raw`([\p{L}_][\p{L}\p{N}_.-]{0,63})`
const BRACED = declaredRule("$", new RegExp(String.raw`\$\{${NAME}\}`, "uy"))
const DOUBLE = declaredRule("{", new RegExp(String.raw`\{\{[ \t]{0,8}${NAME}[ \t]{0,8}\}\}`, "uy"))
const JINJA_COMMENT = enclosedRule("{", { open: /\{#/y, close: /#\}/g, keep: false })
const JINJA_RAW = enclosedRule("{", {
  open: /\{%-?[ \t]{0,8}raw[ \t]{0,8}-?%\}/y,
  close: /\{%-?[ \t]{0,8}endraw[ \t]{0,8}-?%\}/g,
  keep: true,
})
const SHELL = outer("shell", "!", /(?<![^\s\\])!`([^`\n]{1,8192})`/y)
const SHELL_ANYWHERE = outer("shell", "!", /!`([^`]{1,8192})`/y)
const BRACED_PATH = outer("file", "@", /@\{[ \t]{0,8}([^\s{}][^{}\n]{0,4095}?)[ \t]{0,8}\}/y)

const NO_SLOTS: Grammar = { escapes: false, slots: [] }

export const GRAMMARS: Readonly<Record<CommandDialect, Grammar>> = {
  compositor: {
    escapes: true,
    slots: [ALL, AT_SIGN, FROM_ONE, BRACED, DOUBLE],
    outer: [SHELL, BRACED_PATH],
  },
  claude: {
    escapes: true,
    slots: [INDEXED, ALL, FROM_ZERO, CLAUDE, BARE_NAME],
    outer: [SHELL, AT_PATH],
  },
  opencode: {
    escapes: true,
    slots: [ALL, FROM_ONE],
    outer: [SHELL_ANYWHERE, AT_PATH],
    finish: highestTakesRest,
  },
  // `$$` is itself, so that `$$1` is no slot.
  codex: { escapes: true, slots: [mark("$", "$$"), ALL, ONE_DIGIT, UPPER] },
  pi: { escapes: true, slots: [ALL, AT_SIGN, FROM_ONE, SLICE] },
  gemini: {
    escapes: false,
    slots: [ARGS],
    outer: [balancedRule("shell", "!"), balancedRule("file", "@")],
  },
  continue: { escapes: false, slots: [], outer: [AT_PATH] },
  "continue-v1": { escapes: false, slots: [HANDLEBARS] },
  goose: { escapes: false, slots: [JINJA_COMMENT, JINJA_RAW, JINJA] },
  copilot: { escapes: false, slots: [INPUT, EDITOR] },
  plain: NO_SLOTS,
  skill: NO_SLOTS,
  mcp: NO_SLOTS,
}

function place(index: number) {
  return index < 0 ? undefined : ({ type: "positional", index } as const)
}

/** opencode gives everything that is left to the highest place. */
function highestTakesRest(pieces: readonly TemplatePiece[]): readonly TemplatePiece[] {
  const highest = highestPlace(pieces)
  return pieces.map((piece) => restAt(piece, highest))
}

function highestPlace(pieces: readonly TemplatePiece[]): number {
  return pieces.reduce((highest, piece) => Math.max(highest, placeOf(piece)), -1)
}

function placeOf(piece: TemplatePiece): number {
  if (piece.type === "positional") return piece.index
  return "pieces" in piece ? highestPlace(piece.pieces) : -1
}

function restAt(piece: TemplatePiece, highest: number): TemplatePiece {
  if ("pieces" in piece)
    return { ...piece, pieces: piece.pieces.map((inner) => restAt(inner, highest)) }
  if (piece.type !== "positional" || piece.index !== highest) return piece
  const { raw, at } = piece
  return { type: "rest", from: highest, count: null, orEmpty: false, raw, at }
}
