import { commandName, oneLine } from "../command.ts"
import type { CommandFileFinding } from "../finding.ts"
import type { Skill } from "../skill.ts"
import { declaredArguments } from "./arguments.ts"
import { type CommandFile, provenance } from "./file.ts"
import { type MarkdownFile, readMarkdown } from "./front-matter.ts"
import type { FrontMatterHead } from "./head.ts"
import { hintsOf } from "./markdown.ts"

/** A `SKILL.md`, with the package it lies in. */
interface SkillFile extends CommandFile {
  readonly folder: string
  /** The name of its folder, which by the specification is its own. */
  readonly folderName: string
  /** For a skill of a nested package, the package: `web` of `packages/web`. */
  readonly within?: string | undefined
  readonly resources: readonly string[]
}

export interface SkillReading {
  readonly skill?: Skill
  readonly findings: readonly CommandFileFinding[]
}

/** Lenient, as the specification asks: warned about wherever it can still be used, and skipped only
 *  when it has no description or cannot be read. */
export function readSkill(file: SkillFile): SkillReading {
  const markdown = readMarkdown(file.text, file.path)
  const { head } = markdown
  const description = head.line("description")
  const name = commandName(head.line("name") ?? file.folderName)
  if (isOff(head)) return { findings: head.findings }
  if (name === undefined)
    head.note({ level: "error", rule: "name", message: "its name cannot be typed" })
  if (description === undefined)
    head.note({
      level: "error",
      rule: "description",
      message: "it has no description, so nobody would know when to use it",
    })
  if (name === undefined || description === undefined) return { findings: head.findings }
  judge(file, head, name)
  return { skill: skillOf(file, markdown, { name, description }), findings: head.findings }
}

function isOff(head: FrontMatterHead): boolean {
  const off = head.flag("disabled") === true || head.flag("enabled") === false
  if (off) head.note({ level: "note", rule: "disabled", message: "it is switched off in its head" })
  return off
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const MAX_NAME = 64
const MAX_DESCRIPTION = 1024
const MAX_COMPATIBILITY = 500

function judge(file: SkillFile, head: FrontMatterHead, name: string): void {
  if (name !== file.folderName)
    head.note({
      level: "warning",
      rule: "name",
      message: `it calls itself ${name}, but its folder is ${file.folderName}`,
      line: head.lineOf("name"),
    })
  if (!NAME.test(name) || name.length > MAX_NAME)
    head.note({
      level: "warning",
      rule: "name",
      message: `${name} is not in lower-case words joined by hyphens`,
      line: head.lineOf("name"),
    })
  for (const [key, limit] of [
    ["description", MAX_DESCRIPTION],
    ["compatibility", MAX_COMPATIBILITY],
  ] as const)
    if ((head.text(key)?.length ?? 0) > limit)
      head.note({
        level: "warning",
        rule: key,
        message: `its ${key} is longer than ${limit} characters`,
        line: head.lineOf(key),
      })
}

const READ_KEYS = [
  "name",
  "description",
  "when-to-use",
  "argument-hint",
  "arguments",
  "user-invocable",
  "disable-model-invocation",
  "slash",
  "disabled",
  "enabled",
]

function skillOf(
  file: SkillFile,
  { head, body, line }: MarkdownFile,
  { name, description }: { readonly name: string; readonly description: string },
): Skill {
  const whenToUse = head.line("when-to-use")
  const declared = declaredArguments(head)
  const hint = head.hint()
  const hints = hintsOf(head, READ_KEYS)
  return {
    ...provenance(file, line),
    name: file.within === undefined ? name : `${file.within}:${name}`,
    description: oneLine(description),
    folder: file.folder,
    dialect: file.source.tool === "claude" ? "claude" : "skill",
    body,
    user_invocable: head.flag("user-invocable") ?? head.flag("slash") ?? true,
    model_invocable: head.flag("disable-model-invocation") !== true,
    resources: [...file.resources],
    ...(whenToUse === undefined ? {} : { when_to_use: whenToUse }),
    ...(declared.length === 0 ? {} : { arguments: declared }),
    ...(hint === undefined ? {} : { argument_hint: hint }),
    ...(hints === undefined ? {} : { hints }),
  }
}
