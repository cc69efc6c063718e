import {
  type CommandArgument,
  commandName,
  type CommandDialect,
  oneLine,
  type TemplateCommand,
} from "../command.ts"
import { declaredArguments, usedArguments } from "./arguments.ts"
import {
  type CommandFile,
  type FileReading,
  nameFromPath,
  readNoCommands,
  provenance,
  type PartialFinding,
} from "./file.ts"
import { type MarkdownFile, readMarkdown, readPromptFile } from "./front-matter.ts"
import type { FrontMatterHead } from "./head.ts"

/** How a tool writes its Markdown commands. */
interface MarkdownHabit {
  readonly dialect: CommandDialect
  readonly extension: RegExp
  /** Between the folders of a name. */
  readonly separator: ":" | "/"
  /** The head's `name` is the command's name; otherwise the file's is. */
  readonly named: boolean
  /** The head may describe the command. */
  readonly describes: boolean
}

const MD = /\.md$/i
const FLAT = { extension: MD, separator: ":", named: false, describes: true } as const

const HABITS: Readonly<Record<string, MarkdownHabit>> = {
  compositor: { ...FLAT, dialect: "compositor" },
  claude: { ...FLAT, dialect: "claude" },
  opencode: { ...FLAT, dialect: "opencode", separator: "/" },
  codex: { ...FLAT, dialect: "codex" },
  pi: { ...FLAT, dialect: "pi", describes: false },
  continue: { ...FLAT, dialect: "continue", extension: /\.(?:prompt|md)$/i, named: true },
  cline: {
    ...FLAT,
    dialect: "plain",
    extension: /\.(?:md|markdown|txt)$/i,
    named: true,
    describes: false,
  },
  copilot: { ...FLAT, dialect: "copilot", extension: /\.prompt\.md$/i, named: true },
  cursor: { ...FLAT, dialect: "plain", describes: false },
  windsurf: { ...FLAT, dialect: "plain", named: true },
  roo: { ...FLAT, dialect: "plain" },
}

/** A command per Markdown file, in the dialect of the tool whose folder it lies in. */
export function readMarkdownCommand(file: CommandFile): FileReading {
  const habit = HABITS[file.source.tool]
  if (!habit) throw new Error(`${file.source.tool} has no Markdown commands.`)
  const markdown = /\.prompt$/i.test(file.relative)
    ? readPromptFile(file.text, file.path)
    : readMarkdown(file.text, file.path)
  const { head, body } = markdown
  if (isOff(head)) return { commands: [], findings: head.findings }
  const name = nameOf(file, habit, head)
  if (name === undefined) return without(file, head, NO_NAME)
  if (body === "") return without(file, head, NO_TEXT)
  const command = commandOf(file, { habit, name, markdown })
  if (habit.describes && !head.has("description"))
    head.note({ level: "note", rule: "description", message: `/${name} has no description` })
  return { commands: [command], findings: head.findings }
}

const NO_NAME: PartialFinding = {
  level: "error",
  rule: "name",
  message: "its name cannot be typed",
}
const NO_TEXT: PartialFinding = {
  level: "warning",
  rule: "empty",
  message: "it has no text, so it is left out",
}

function without(file: CommandFile, head: FrontMatterHead, told: PartialFinding): FileReading {
  return { commands: [], findings: [...head.findings, ...readNoCommands(file, told).findings] }
}

/** Cline switches a workflow off in its head. */
function isOff(head: FrontMatterHead): boolean {
  return head.flag("disabled") === true || head.flag("enabled") === false
}

/** Rules that are not meant to be typed are no commands. */
export function readContinueRule(file: CommandFile): FileReading {
  const { head } = readMarkdown(file.text, file.path)
  if (head.flag("invokable") === true) return readMarkdownCommand(file)
  return { commands: [], findings: head.findings }
}

function nameOf(
  file: CommandFile,
  habit: MarkdownHabit,
  head: FrontMatterHead,
): string | undefined {
  const fromFile = nameFromPath(file.relative, habit.extension, habit.separator)
  const written = head.line("name")
  const fromHead = written === undefined ? undefined : commandName(written)
  if (!habit.named) {
    if (written !== undefined && fromHead !== fromFile)
      head.note({
        level: "warning",
        rule: "name",
        message: `it calls itself ${written}, but is typed as /${fromFile}`,
        line: head.lineOf("name"),
      })
    return fromFile
  }
  if (fromHead !== undefined && fromHead !== written)
    head.note({
      level: "note",
      rule: "name",
      message: `${written} is typed as /${fromHead}`,
      line: head.lineOf("name"),
    })
  return fromHead ?? fromFile
}

interface Reading {
  readonly habit: MarkdownHabit
  readonly name: string
  readonly markdown: MarkdownFile
}

function commandOf(file: CommandFile, { habit, name, markdown }: Reading): TemplateCommand {
  const { head, body, line } = markdown
  const dialect = dialectOf(file, habit, markdown)
  const description = head.line("description") ?? firstLine(body)
  const hint = head.hint()
  const declared = argumentsOf(head, body, dialect)
  const hints = hintsOf(head)
  return {
    kind: "template",
    name,
    dialect,
    body,
    ...(description === undefined ? {} : { description }),
    ...(hint === undefined ? {} : { argument_hint: hint }),
    ...(declared.length === 0 ? {} : { arguments: declared }),
    ...(hints === undefined ? {} : { hints }),
    ...provenance(file, line),
  }
}

/** Continue's first version was Handlebars, and is still found in `.prompts`. */
function dialectOf(
  file: CommandFile,
  habit: MarkdownHabit,
  { head, body }: MarkdownFile,
): CommandDialect {
  if (habit.dialect !== "continue") return habit.dialect
  const version = head.text("version")
  if (version !== undefined) return version.startsWith("1") ? "continue-v1" : "continue"
  const isOld = file.path.includes("/.prompts/") || /\{\{\{?\s*input\s*\}\}/.test(body)
  return isOld ? "continue-v1" : "continue"
}

const FIRST_LINE_CHARACTERS = 60

function firstLine(body: string): string | undefined {
  const [line = ""] = body.split("\n", 1)
  return oneLine(line.replace(/^#+\s+/, ""), FIRST_LINE_CHARACTERS) || undefined
}

function argumentsOf(
  head: FrontMatterHead,
  body: string,
  dialect: CommandDialect,
): CommandArgument[] {
  if (dialect === "codex" || dialect === "copilot") return usedArguments(body, dialect)
  return declaredArguments(head)
}

const READ_KEYS = [
  "name",
  "description",
  "argument-hint",
  "arguments",
  "disabled",
  "enabled",
  "invokable",
  "version",
]

/** Everything else the head says, in snake_case: shown, and left to whoever knows what to do. */
export function hintsOf(
  head: FrontMatterHead,
  taken = READ_KEYS,
): Record<string, unknown> | undefined {
  const tools = head.list("allowed-tools")
  const rest = Object.entries({ ...head.rest(taken), ...(tools ? { "allowed-tools": tools } : {}) })
  if (rest.length === 0) return undefined
  return Object.fromEntries(rest.map(([key, value]) => [key.replaceAll("-", "_"), value]))
}
