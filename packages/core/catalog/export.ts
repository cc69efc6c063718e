import { type Command, commandName, type TemplateCommand } from "./command.ts"
import { appendsArguments } from "./expand.ts"
import { type TemplatePiece, takesArguments } from "./piece.ts"
import { printPieces, type PrintTarget } from "./print.ts"
import { templateOf } from "./template.ts"

interface ExportedFile {
  /** Relative to the project, or for Codex to the user's home. */
  readonly path: string
  readonly text: string
}

interface ExportLoss {
  /** The command's name. */
  readonly command: string
  /** One sentence on what the file does not say any more. */
  readonly message: string
}

export interface Exported {
  readonly files: readonly ExportedFile[]
  readonly losses: readonly ExportLoss[]
}

/** Write commands as files of another tool. Whatever cannot be said there is in `losses`; a command
 *  without a loss means the same in both. */
export function exportTo(target: PrintTarget, commands: readonly Command[]): Exported {
  const files = new Map<string, string>()
  const losses: ExportLoss[] = []
  for (const command of commands) {
    const lose = (message: string) => void losses.push({ command: command.name, message })
    if (command.source.scope === "builtin") continue
    if (command.kind !== "template") lose(`it is no file that ${target} could read`)
    else addFile(command, { target, files, lose })
  }
  return { files: Array.from(files, ([path, text]) => ({ path, text })), losses }
}

interface Exporting {
  readonly target: PrintTarget
  readonly files: Map<string, string>
  readonly lose: (message: string) => void
}

function addFile(command: TemplateCommand, { target, files, lose }: Exporting): void {
  const { name, source } = command
  const paths = [pathOf(name, target), pathOf(`${source.tool}:${name}`, target)]
  const path = paths.find((free) => free !== undefined && !files.has(free))
  if (path === undefined) return lose("its name makes no file name that is still free")
  if (templateOf(command).faults.some(({ fatal }) => fatal))
    return lose("its template uses what only its own tool can run")
  const pieces = withAppended(command, target)
  const { body, losses } = printPieces(pieces, target, command.arguments ?? [])
  files.set(path, target === "gemini" ? toml(command, body) : markdown(command, body, target))
  for (const message of [...losses, ...quietLosses(command, target)]) lose(message)
}

const FOLDERS: Readonly<Record<PrintTarget, string>> = {
  claude: ".claude/commands",
  opencode: ".opencode/command",
  gemini: ".gemini/commands",
  codex: ".codex/prompts",
}

/** Names come from strangers: each of their words becomes one plain file name. */
function pathOf(name: string, target: PrintTarget): string | undefined {
  const words = name
    .split(/[:/]/)
    .map((word) => (commandName(word) ?? "").replace(/[^\p{L}\p{N}_.-]/gu, "-").replace(/^\.+/, ""))
  if (words.includes("")) return undefined
  const file = words.join(target === "codex" ? "-" : "/")
  return `${FOLDERS[target]}/${file}.${target === "gemini" ? "toml" : "md"}`
}

/** Where what was typed is appended by one tool and not by the other, a slot says so. */
function withAppended(command: TemplateCommand, target: PrintTarget): readonly TemplatePiece[] {
  const { pieces } = templateOf(command)
  const isAppended = !takesArguments(pieces) && appendsArguments(command.dialect)
  if (!isAppended || appendsArguments(target)) return pieces
  return [...pieces, { type: "literal", text: "\n\n" }, { type: "all", raw: "$ARGUMENTS", at: 0 }]
}

/** Differences that no slot shows. */
function quietLosses(command: TemplateCommand, target: PrintTarget): string[] {
  const { pieces } = templateOf(command)
  const takes = takesArguments(pieces)
  const losses: string[] = []
  if (!takes && !appendsArguments(command.dialect) && appendsArguments(target))
    losses.push(`${target} appends what is typed after it`)
  if (command.dialect === "compositor" && takes && target !== "gemini")
    losses.push(`${target} takes words in quotes for one argument`)
  if (target !== "codex" && command.arguments?.some(({ required }) => required))
    losses.push(`${target} does not ask for arguments that are missing`)
  if (command.arguments?.some((argument) => argument.default !== undefined))
    losses.push(`${target} has no defaults for arguments`)
  if (command.hints !== undefined && command.source.tool !== target)
    losses.push(`${Object.keys(command.hints).join(", ")}: not carried over to ${target}`)
  return losses
}

function markdown(command: TemplateCommand, body: string, target: PrintTarget): string {
  const names = (command.arguments ?? []).map(({ name }) => name)
  const keys: Record<string, unknown> = {
    description: command.description,
    "argument-hint": target === "opencode" ? undefined : command.argument_hint,
    arguments: target === "claude" && names.length > 0 ? names : undefined,
    ...(command.source.tool === target ? hintKeys(command.hints) : {}),
  }
  const lines = Object.entries(keys)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  // A body that begins with a fence would be read as the head.
  const head = lines.length > 0 || body.startsWith("---") ? ["---", ...lines, "---"] : []
  return `${[...head, body].join("\n")}\n`
}

function hintKeys(hints: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(hints).map(([key, value]) => [key.replaceAll("_", "-"), value]),
  )
}

function toml({ description }: TemplateCommand, body: string): string {
  const prompt = NOT_LITERAL.test(body) ? basic(body) : `'''\n${body}\n'''`
  const says = description === undefined ? [] : [`description = ${basic(description)}`]
  return `${[...says, `prompt = ${prompt}`].join("\n")}\n`
}

/** Three quotes would close the text; other controls than these are not allowed in it. */
const NOT_LITERAL = /'''|'$|[^\P{Cc}\n\t]/u

/** JSON's escapes are TOML's, but for DEL, which TOML wants escaped. */
function basic(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007F")
}
