import type { Command, CommandDialect, SkillCommand, TemplateCommand } from "./command.ts"
import { type CommandFileFinding, linesBefore } from "./finding.ts"
import { slotsOf, takesArguments } from "./piece.ts"
import { type Template, templateOf } from "./template.ts"

type WithTemplate = TemplateCommand | SkillCommand

/** What in a template does not mean what its author may think. */
export function trapsOf(command: Command): CommandFileFinding[] {
  if (command.kind !== "template" && command.kind !== "skill") return []
  const template = templateOf(command)
  return [
    ...template.faults.slice(0, MAX_FINDINGS).map(({ at, message, fatal }) =>
      told(command, at, {
        level: fatal ? "error" : "warning",
        rule: "template",
        message: `it ${message}`,
      }),
    ),
    ...countingTraps(command, template),
    ...foreignSlots(command, template),
    ...money(command, template),
    ...shellSlots(command, template),
    ...idleHint(command, template),
  ]
}

function told(
  command: Command,
  at: number,
  finding: Pick<CommandFileFinding, "level" | "rule" | "message">,
): CommandFileFinding {
  const { path = `/${command.name}`, line = 1 } = command.source
  const body = "body" in command ? command.body : ""
  return { ...finding, path, line: line + linesBefore(body, at) }
}

/** Claude Code counts from 0, everyone else from 1, and its own guides show both. */
function countingTraps(command: WithTemplate, { pieces }: Template): CommandFileFinding[] {
  if (command.dialect !== "claude") return []
  const places = [...slotsOf(pieces)].filter((slot) => slot.type === "positional")
  const first = places.find(({ raw }) => raw === "$1")
  if (!first || places.some(({ index }) => index === 0)) return []
  const message = "$1 is the second argument here: Claude Code counts from $0"
  return [told(command, first.at, { level: "warning", rule: "counting", message })]
}

interface Foreign {
  readonly pattern: RegExp
  /** Where it is a slot; everywhere else it is text. */
  readonly of: readonly CommandDialect[]
}

const FOREIGN: readonly Foreign[] = [
  { pattern: /\$ARGUMENTS\b/, of: ["compositor", "claude", "opencode", "codex", "pi"] },
  { pattern: /\$0\b/, of: ["claude"] },
  { pattern: /\$[1-9]\b(?![.,]\d)/, of: ["compositor", "claude", "opencode", "codex", "pi"] },
  { pattern: /\{\{args\}\}/, of: ["gemini"] },
  { pattern: /!\{[^{}\n]+\}/, of: ["gemini"] },
  { pattern: /@\{[^{}\n]+\}/, of: ["gemini", "compositor"] },
  { pattern: /(?:^|\s)!`[^`\n]+`/, of: ["compositor", "claude", "opencode"] },
  { pattern: /\$\{input:[^}\n]{1,320}\}/, of: ["copilot"] },
  { pattern: /\{\{\{\s*input\s*\}\}\}/, of: ["continue-v1"] },
  { pattern: /\$\{@:\d+/, of: ["pi"] },
]

/** Skills and prompts of servers are text through and through: what looks like a slot there is
 *  more often an example than a mistake. */
const WITHOUT_SLOTS: readonly CommandDialect[] = ["skill", "mcp"]

function foreignSlots(command: WithTemplate, { pieces }: Template): CommandFileFinding[] {
  if (WITHOUT_SLOTS.includes(command.dialect)) return []
  const literals = pieces.filter((piece) => piece.type === "literal")
  return FOREIGN.flatMap(({ pattern, of }) => {
    if (of.includes(command.dialect)) return []
    const found = literals.map(({ text }) => pattern.exec(text)?.[0].trim()).find(Boolean)
    if (found === undefined) return []
    const message = `${found} is a slot for ${of.join(", ")}, but text for ${command.dialect}`
    const at = Math.max(0, command.body.indexOf(found))
    return [told(command, at, { level: "warning", rule: "dialect", message })]
  })
}

/** `$1,000` is a slot and a comma. */
function money(command: WithTemplate, { pieces }: Template): CommandFileFinding[] {
  for (const slot of slotsOf(pieces)) {
    const after = slot.type === "positional" && command.body.slice(slot.at + slot.raw.length)
    if (!after || !/^[.,]\d/.test(after)) continue
    const message = `${slot.raw} looks like money, but is a slot: write \\${slot.raw}`
    return [told(command, slot.at, { level: "note", rule: "money", message })]
  }
  return []
}

/** Of one kind, for one command: more would hide the rest. */
const MAX_FINDINGS = 20

function shellSlots(command: WithTemplate, { pieces }: Template): CommandFileFinding[] {
  if (command.trust === "trusted") return []
  return [...slotsOf(pieces)]
    .filter((slot) => slot.type === "shell")
    .slice(0, MAX_FINDINGS)
    .map(({ raw, at }) =>
      told(command, at, {
        level: "warning",
        rule: "untrusted-shell",
        message: `it would run ${raw} once it is trusted`,
      }),
    )
}

/** A hint promises that arguments go somewhere. */
function idleHint(command: WithTemplate, { pieces }: Template): CommandFileFinding[] {
  const drops =
    command.dialect === "compositor" || command.dialect === "codex" || command.dialect === "pi"
  if (!drops || command.argument_hint === undefined || takesArguments(pieces)) return []
  const message = `it hints at ${command.argument_hint}, but no slot takes what is typed`
  return [told(command, 0, { level: "warning", rule: "unused-arguments", message })]
}
