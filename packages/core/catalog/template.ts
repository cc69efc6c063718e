import type { CommandDialect, SkillCommand, TemplateCommand } from "./command.ts"
import { GRAMMARS } from "./grammar.ts"
import { type NextToken, type TemplatePiece, piecesOf, type TemplateToken } from "./piece.ts"
import type { TemplateReading, TemplateRule, TemplateFault } from "./rules.ts"

export interface Template {
  readonly pieces: readonly TemplatePiece[]
  readonly faults: readonly TemplateFault[]
}

/** Read a body once, from left to right. What its slots are filled with is never read again, so no
 *  argument can be taken for a slot (BEY-05). `names` are the declared arguments. */
export function parseTemplate(
  body: string,
  dialect: CommandDialect,
  names: readonly string[] = [],
): Template {
  const { escapes, slots, outer = [], finish } = GRAMMARS[dialect]
  const reading: TemplateReading = { names, faults: [], unclosed: new Set() }
  const inner = reader(slots, escapes, reading)
  const whole = reader([...outer.map((make) => make(inner)), ...slots], escapes, reading)
  const pieces = piecesOf(body, 0, whole)
  return { pieces: finish ? finish(pieces) : pieces, faults: reading.faults }
}

const parsed = new WeakMap<TemplateCommand | SkillCommand, Template>()

/** The command's template, parsed the first time it is asked for. */
export function templateOf(command: TemplateCommand | SkillCommand): Template {
  const known = parsed.get(command)
  if (known) return known
  const names = (command.arguments ?? []).map(({ name }) => name)
  const template = parseTemplate(command.body, command.dialect, names)
  parsed.set(command, template)
  return template
}

/** Where a dialect would see a slot, whatever stands before it. */
export function slotReader(dialect: CommandDialect, names: readonly string[]): NextToken {
  const { slots, outer = [] } = GRAMMARS[dialect]
  const reading: TemplateReading = { names, faults: [], unclosed: new Set() }
  const inner = firstToken(slots, reading)
  return firstToken([...outer.map((make) => make(inner)), ...slots], reading)
}

function reader(
  rules: readonly TemplateRule[],
  escapes: boolean,
  reading: TemplateReading,
): NextToken {
  const slot = firstToken(rules, reading)
  if (!escapes) return slot
  return (text, at) => (text.charAt(at) === "\\" ? escaped(text, at, slot) : slot(text, at))
}

function firstToken(rules: readonly TemplateRule[], reading: TemplateReading): NextToken {
  return (text, at) => {
    const first = text.charAt(at)
    for (const { starts, read } of rules) {
      const token = starts === first ? read(text, at, reading) : undefined
      if (token) return token
    }
    return undefined
  }
}

/** Before a slot, two backslashes are one, and an odd one makes the slot text. */
function escaped(text: string, at: number, slot: NextToken): TemplateToken {
  let end = at
  while (text.charAt(end) === "\\") end += 1
  const token = slot(text, end)
  if (!token) return literal(text.slice(at, end), end - at)
  const kept = "\\".repeat(Math.floor((end - at) / 2))
  if ((end - at) % 2 === 0) return literal(kept, end - at)
  return literal(kept + text.slice(end, end + token.length), end - at + token.length)
}

function literal(text: string, length: number): TemplateToken {
  return { piece: { type: "literal", text }, length }
}
