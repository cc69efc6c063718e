import type { CommandArgument } from "./command.ts"
import type { ArgumentPiece, NextToken, TemplatePiece, SlotPiece, TemplateToken } from "./piece.ts"
import { parseTemplate, slotReader } from "./template.ts"

/** The tools we write command files for. */
export type PrintTarget = "claude" | "opencode" | "gemini" | "codex"

interface Printed {
  readonly body: string
  /** What the other dialect cannot say, a sentence each. */
  readonly losses: readonly string[]
}

/** Write pieces in another dialect. What it has no slot for becomes the nearest thing it has, and
 *  is told. The result is read back: only what comes out the same counts as written. */
export function printPieces(
  pieces: readonly TemplatePiece[],
  target: PrintTarget,
  declared: readonly CommandArgument[],
): Printed {
  const names = declared.map(({ name }) => name)
  const losses = new Set<string>()
  const printing: Printing = { target, names, losses, slot: slotReader(target, names) }
  const body = printAll(pieces, printing)
  if (losses.size === 0 && !isReadBack(body, pieces, { target, names }))
    losses.add(READ_OTHERWISE[target])
  return { body, losses: [...losses] }
}

/** Why a body that needed no change is still read otherwise. */
const READ_OTHERWISE: Readonly<Record<PrintTarget, string>> = {
  claude: "claude reads a slot of it as text, or text as a slot",
  opencode: "opencode gives its last place all that is left",
  gemini: "gemini reads a slot of it as text, or text as a slot",
  codex: "codex reads a slot of it as text, or text as a slot",
}

interface Printing {
  readonly target: PrintTarget
  readonly names: readonly string[]
  readonly losses: Set<string>
  readonly slot: NextToken
}

function printAll(pieces: readonly TemplatePiece[], printing: Printing): string {
  const printed = pieces.map((piece, at) => {
    if (piece.type === "literal") return printLiteral(piece.text, printing)
    const before = pieces[at - 1]
    const text = before?.type === "literal" ? before.text : ""
    return doubled(text, text.length, printing) + printSlot(piece, printing)
  })
  return printed.join("")
}

/** Claude Code knows the backslash; the others would take the text for a slot. */
function printLiteral(text: string, printing: Printing): string {
  const { target, slot, losses } = printing
  const printed: string[] = []
  let from = 0
  for (let at = 0; at < text.length; ) {
    const length = slotAt(text, at, slot)?.length ?? 0
    if (length > 0 && target === "claude" && text.charAt(at) === "$") {
      printed.push(text.slice(from, at), doubled(text, at, printing), "\\")
      from = at
    } else if (length > 0)
      losses.add(`${text.slice(at, at + length)} is text here, and a slot for ${target}`)
    at += Math.max(1, length)
  }
  return printed.join("") + text.slice(from)
}

/** What is text in the other dialect too, such as Codex' `$$`, is no slot. */
function slotAt(text: string, at: number, slot: NextToken): TemplateToken | undefined {
  const token = slot(text, at)
  const isText = token?.piece.type === "literal" && text.startsWith(token.piece.text, at)
  return isText ? undefined : token
}

/** Backslashes before a slot are doubled where they would be read as escapes: those to add. */
function doubled(text: string, end: number, { target }: Printing): string {
  if (target !== "claude") return ""
  let from = end
  while (text.charAt(from - 1) === "\\") from -= 1
  return text.slice(from, end)
}

function printSlot(piece: SlotPiece, printing: Printing): string {
  switch (piece.type) {
    case "shell":
      return printShell(piece.pieces, piece.raw, printing)
    case "file":
      return printFile(piece.pieces, piece.raw, printing)
    case "positional":
    case "rest":
    case "all":
    case "named":
    case "host":
      return printArgument(piece, printing)
  }
}

function printShell(pieces: readonly TemplatePiece[], raw: string, printing: Printing): string {
  const { target, losses } = printing
  if (target === "codex") return lost(losses, `${target} does not run ${raw}`, raw)
  const command = printAll(pieces, printing)
  if (target === "gemini") return `!{${command}}`
  if (/[`\n]/.test(command)) return lost(losses, `${raw} cannot be put between backticks`, raw)
  return `!\`${command}\``
}

function printFile(pieces: readonly TemplatePiece[], raw: string, printing: Printing): string {
  const { target, losses } = printing
  const path = printAll(pieces, printing)
  switch (target) {
    case "codex":
      return lost(losses, `${target} does not read the file of ${raw}`, path)
    case "gemini":
      return `@{${path}}`
    case "claude":
    case "opencode":
      return `@${path}`
  }
}

function lost(losses: Set<string>, message: string, text: string): string {
  losses.add(message)
  return text
}

function printArgument(piece: ArgumentPiece, { target, names, losses }: Printing): string {
  const writer = WRITERS[target]
  switch (piece.type) {
    case "all":
      return writer.all
    case "positional":
      return (
        writer.place(piece.index, false) ??
        lost(
          losses,
          `${target} has no single arguments: ${piece.raw} becomes all of them`,
          writer.all,
        )
      )
    case "rest": {
      const whole = piece.from === 0 && piece.count === null && piece.orEmpty
      const written = whole
        ? writer.all
        : piece.count === null
          ? writer.place(piece.from, true)
          : undefined
      return (
        written ??
        lost(losses, `${target} has no ${piece.raw}: all arguments take its place`, writer.all)
      )
    }
    case "named":
      return writer.name(piece.name) ?? byPlace(piece, { target, names, losses })
    case "host":
      return target === "claude" && piece.raw.startsWith("${CLAUDE_")
        ? piece.raw
        : lost(losses, `${target} does not know ${piece.raw}`, piece.raw)
  }
}

function byPlace(
  { name, raw }: Extract<ArgumentPiece, { type: "named" }>,
  { target, names, losses }: Omit<Printing, "slot">,
): string {
  const written = WRITERS[target].place(names.indexOf(name), false)
  if (written === undefined)
    return lost(losses, `${target} has no names: ${raw} becomes all arguments`, WRITERS[target].all)
  return lost(losses, `${target} gives ${raw} by its place, as ${written}`, written)
}

/** How a tool writes an argument; `undefined` where it cannot. */
interface Writer {
  readonly all: string
  readonly place: (index: number, takesRest: boolean) => string | undefined
  readonly name: (name: string) => string | undefined
}

const WRITERS: Readonly<Record<PrintTarget, Writer>> = {
  claude: {
    all: "$ARGUMENTS",
    place: (index, takesRest) => (takesRest ? undefined : `$${index}`),
    name: (name) => (/^[A-Za-z_]\w*(?:-\w+)*$/.test(name) ? `$${name}` : undefined),
  },
  // Whether the highest place takes the rest is not ours to choose: reading back shows it.
  opencode: {
    all: "$ARGUMENTS",
    place: (index) => `$${index + 1}`,
    name: () => undefined,
  },
  codex: {
    all: "$ARGUMENTS",
    place: (index, takesRest) => (takesRest || index > 8 ? undefined : `$${index + 1}`),
    name: (name) =>
      /^[A-Z][A-Z0-9_]*$/.test(name) && name !== "ARGUMENTS" ? `$${name}` : undefined,
  },
  gemini: { all: "{{args}}", place: () => undefined, name: () => undefined },
}

interface ReadBack {
  readonly target: PrintTarget
  readonly names: readonly string[]
}

function isReadBack(
  body: string,
  pieces: readonly TemplatePiece[],
  { target, names }: ReadBack,
): boolean {
  const back = parseTemplate(body, target, names).pieces
  return meaning(back) === meaning(pieces)
}

/** The pieces without how they were written, for comparison. */
function meaning(pieces: readonly TemplatePiece[]): string {
  const whole: unknown[] = []
  let text = ""
  for (const piece of pieces) {
    if (piece.type === "literal") text += piece.text
    else {
      const { raw: _raw, at: _at, ...rest } = piece
      whole.push(text, "pieces" in rest ? { ...rest, pieces: meaning(rest.pieces) } : rest)
      text = ""
    }
  }
  return JSON.stringify([...whole, text])
}
