import type { FileReference } from "../message/file-reference.ts"
import { MAX_TEXT_CHARACTERS } from "../message/limits.ts"
import type {
  Command,
  CommandArgument,
  CommandDialect,
  CommandScope,
  SkillCommand,
  TemplateCommand,
} from "./command.ts"
import { fileReference } from "./file-reference.ts"
import { MAX_SLOT_PARTS } from "./limits.ts"
import { type ArgumentPiece, type TemplatePiece, takesArguments } from "./piece.ts"
import { type ShellPiece, shellCommand } from "./shell-command.ts"
import { templateOf } from "./template.ts"
import { type ArgumentValues, missingArguments, type Values, valuesOf } from "./values.ts"

/** What a template comes to. A file is still to be read, under the ingress policy; `raw` is what
 *  to put back where it does not exist. A shell command is still to be shown, and then run. */
export type ExpandedPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file-ref"; readonly ref: FileReference; readonly raw: string }
  | { readonly type: "shell"; readonly command: string; readonly raw: string }

export type Expansion =
  | {
      readonly type: "parts"
      readonly parts: readonly ExpandedPart[]
      /** What was typed and has no place in the template: a surface says so. */
      readonly unused?: string
    }
  | { readonly type: "missing"; readonly missing: readonly CommandArgument[] }
  | {
      readonly type: "refused"
      readonly code: "untrusted" | "shell" | "template" | "too-large" | "no-template"
      readonly reason: string
    }

/** Fill a command's template with what was given. Nothing is read and nothing is run here; the
 *  command's own literal is in none of the parts (CMP-054). `host` is what the host knows: the
 *  selection, the open file. */
export function expand(
  command: Command,
  given: ArgumentValues,
  host: Readonly<Record<string, string>> = {},
): Expansion {
  if (command.kind !== "template" && command.kind !== "skill")
    return refused("no-template", `/${command.name} has no template to expand`)
  if (command.trust !== "trusted")
    return refused("untrusted", `${placeOf(command)} came with the project and is not trusted yet`)
  const template = templateOf(command)
  const fault = template.faults.find(({ fatal }) => fatal)
  if (fault) return refused("template", `${placeOf(command)} ${fault.message}`)
  const declared = command.arguments ?? []
  const values = valuesOf(given, declared, command.dialect)
  const missing = missingArguments(values, declared)
  if (missing.length > 0) return { type: "missing", missing }
  return fill(template.pieces, { command, values, host })
}

type Refused = Extract<Expansion, { type: "refused" }>

function refused(code: Refused["code"], reason: string): Refused {
  return { type: "refused", code, reason }
}

function placeOf(command: Command): string {
  return command.source.path ?? `/${command.name}`
}

interface Filling {
  readonly command: TemplateCommand | SkillCommand
  readonly values: Values
  readonly host: Readonly<Record<string, string>>
}

/** One pass over the pieces: each becomes a part, neighbouring texts become one. */
function fill(pieces: readonly TemplatePiece[], filling: Filling): Expansion {
  const { appended, unused } = leftOver(pieces, filling)
  const parts: ExpandedPart[] = []
  let text: string[] = []
  let characters = 0
  let slots = 0
  for (const piece of [...pieces, { type: "literal", text: appended } as const]) {
    const part = partOf(piece, filling)
    if (part.type === "refused") return part
    if (part.type === "text") {
      characters += part.text.length
      text.push(part.text)
    } else {
      slots += 1
      pushText(parts, text)
      text = []
      parts.push(part)
    }
    if (characters > MAX_TEXT_CHARACTERS || slots > MAX_SLOT_PARTS) return tooLarge(filling.command)
  }
  pushText(parts, text)
  return { type: "parts", parts, ...(unused === "" ? {} : { unused }) }
}

function tooLarge(command: Command): Refused {
  const limits = `${MAX_TEXT_CHARACTERS} characters or ${MAX_SLOT_PARTS} files and shell commands`
  return refused("too-large", `${placeOf(command)} comes to more than ${limits}`)
}

function pushText(parts: ExpandedPart[], pieces: readonly string[]): void {
  const text = pieces.join("")
  if (text !== "") parts.push({ type: "text", text })
}

/** Arguments that no slot takes are appended where the dialect does so; but what was meant for
 *  declared arguments is not sent as if it were the user's request. */
function leftOver(pieces: readonly TemplatePiece[], { command, values: { all } }: Filling) {
  if (all === "" || takesArguments(pieces)) return { appended: "", unused: "" }
  const append = command.arguments?.length ? null : APPENDED[command.dialect]
  return append ? { appended: append(all), unused: "" } : { appended: "", unused: all }
}

/** How a dialect writes what no slot takes; null where it goes nowhere. */
const APPENDED: Readonly<Record<CommandDialect, ((all: string) => string) | null>> = {
  compositor: null,
  claude: (all) => `\n\nARGUMENTS: ${all}`,
  opencode: below,
  codex: null,
  gemini: below,
  pi: null,
  continue: below,
  "continue-v1": below,
  goose: below,
  copilot: below,
  plain: below,
  skill: null,
  mcp: null,
}

function below(all: string): string {
  return `\n\n${all}`
}

export function appendsArguments(dialect: CommandDialect): boolean {
  return APPENDED[dialect] !== null
}

function partOf(piece: TemplatePiece, filling: Filling): ExpandedPart | Refused {
  switch (piece.type) {
    case "literal":
      return { type: "text", text: piece.text }
    case "shell":
      return shellPart(piece, filling)
    case "file":
      return filePart(textOf(piece.pieces, filling), piece.raw)
    case "named": {
      const value = valueOf(piece, filling)?.join(" ")
      if (value && argumentOf(piece.name, filling)?.file) return filePart(value, piece.raw)
      return { type: "text", text: value ?? piece.raw }
    }
    case "positional":
    case "rest":
    case "all":
    case "host":
      return { type: "text", text: valueOf(piece, filling)?.join(" ") ?? piece.raw }
  }
}

/** The words for a slot; `undefined` where there are none, and the slot stays as written. */
function valueOf(piece: ArgumentPiece, filling: Filling): readonly string[] | undefined {
  const { all, words, named } = filling.values
  switch (piece.type) {
    case "positional":
      return one(words[piece.index])
    case "rest": {
      const end = piece.count === null ? undefined : piece.from + piece.count
      const rest = words.slice(piece.from, end)
      return rest.length > 0 || piece.orEmpty ? rest : undefined
    }
    case "all":
      return [all]
    case "named":
      return one(named.get(piece.name) ?? (argumentOf(piece.name, filling) ? "" : undefined))
    case "host":
      return Object.hasOwn(filling.host, piece.name) ? one(filling.host[piece.name]) : undefined
  }
}

function one(word: string | undefined): readonly string[] | undefined {
  return word === undefined ? undefined : [word]
}

function argumentOf(name: string, { command }: Filling): CommandArgument | undefined {
  return command.arguments?.find((argument) => argument.name === name)
}

function filePart(path: string | undefined, raw: string): ExpandedPart {
  const written = path?.trim() ?? ""
  if (written === "") return { type: "text", text: raw }
  return { type: "file-ref", ref: fileReference(written), raw }
}

/** The pieces as one text; `undefined` when a slot of it has no value. */
function textOf(pieces: readonly TemplatePiece[], filling: Filling): string | undefined {
  let text = ""
  for (const piece of pieces) {
    if (piece.type === "shell" || piece.type === "file") return undefined
    const value = piece.type === "literal" ? piece.text : valueOf(piece, filling)?.join(" ")
    if (value === undefined) return undefined
    text += value
  }
  return text
}

const MAY_RUN: readonly CommandScope[] = ["builtin", "bundled", "named", "user", "project"]

function shellPart(
  { pieces, raw }: Extract<TemplatePiece, { type: "shell" }>,
  filling: Filling,
): ExpandedPart | Refused {
  const { command } = filling
  if (!MAY_RUN.includes(command.source.scope))
    return refused("shell", `${placeOf(command)} may not run ${raw}: it came from elsewhere`)
  const made = shellCommand(pieces.map((piece) => shellPiece(piece, filling)))
  if (made.type === "refused")
    return refused("shell", `${placeOf(command)} cannot run ${raw}: ${made.reason}`)
  if (made.command.trim() === "") return { type: "text", text: raw }
  return { type: "shell", command: made.command, raw }
}

function shellPiece(piece: TemplatePiece, filling: Filling): ShellPiece {
  if (piece.type === "literal") return { type: "code", text: piece.text }
  if (piece.type === "shell" || piece.type === "file") return { type: "code", text: piece.raw }
  const value = valueOf(piece, filling)
  if (value === undefined) return { type: "code", text: piece.raw }
  // As `"$@"` does: every word stays one word. Gemini's {{args}} is one word altogether.
  const apart = piece.type === "all" && filling.command.dialect !== "gemini"
  return { type: "value", words: apart ? filling.values.words : value, raw: piece.raw }
}
