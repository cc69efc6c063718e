import { z } from "zod"
import { Command } from "../catalog/command.ts"
import { CommandFileFinding } from "../catalog/finding.ts"
import { MAX_PATH_CHARACTERS, MAX_TEXT_CHARACTERS } from "../message/limits.ts"
import { ApprovedShell, Fault, WrittenPart, CommandsQuery } from "./fields.ts"
import { type DeepReadonly, route, type SentRequest } from "./route.ts"

const MAX_COMPLETIONS = 200
const DEFAULT_COMPLETIONS = 20
const MAX_TRUSTED_AT_ONCE = 64

/** A command under the name it is typed by. */
export const ListedCommand = z.object({
  name: z.string(),
  /** Why it is not typed by its own name; absent when it is. */
  because: z.string().optional(),
  command: Command,
})
export type ListedCommand = z.infer<typeof ListedCommand>

/** A command that cannot be typed, and what stands before it. */
const HiddenCommand = z.object({ command: Command, by: Command, because: z.string() })

export type CommandFinding = CommandFileFinding

/** A tool whose files commands can be written as. */
export const ExportTarget = z.enum(["claude", "opencode", "gemini", "codex"])
export type ExportTarget = z.infer<typeof ExportTarget>

const TypedSource = z.strictObject({
  ...CommandsQuery,
  source: z.string().max(MAX_TEXT_CHARACTERS),
  nodes: z.array(z.unknown()).optional(),
})

/** One thing that could be meant at the cursor. */
export const CompletionItem = z.object({
  kind: z.enum(["command", "argument", "file", "skill", "context", "symbol", "resource"]),
  /** What stands in the source when it is chosen. */
  insert: z.string(),
  label: z.string(),
  description: z.string().optional(),
  hint: z.string().optional(),
  /** Which letters of the label were meant. */
  positions: z.array(z.int()),
})
export type CompletionItem = DeepReadonly<z.infer<typeof CompletionItem>>

export const CompletionAnswer = z.object({
  /** The span of the source that is being completed. */
  from: z.int(),
  to: z.int(),
  items: z.array(CompletionItem),
  /** What is asked for at the cursor: the argument that is being typed. */
  hint: z.string().optional(),
})
export type CompletionAnswer = DeepReadonly<z.infer<typeof CompletionAnswer>>

export const commands = {
  listCommands: route("GET /v1/commands", {
    about: "Everything that can be typed after a slash, with where it comes from",
    query: z.object(CommandsQuery),
    answer: z.object({ commands: z.array(ListedCommand), hidden: z.array(HiddenCommand) }),
  }),
  checkCommands: route("GET /v1/commands/doctor", {
    about: "What shadows what, where dialects mislead, what is not trusted",
    query: z.object(CommandsQuery),
    answer: z.object({ findings: z.array(CommandFileFinding) }),
  }),
  exportCommands: route("GET /v1/commands/export", {
    about: "The commands as files of another tool, with what they lose there",
    query: z.object({ ...CommandsQuery, to: ExportTarget }),
    answer: z.object({
      /** Each path is relative to the project, or for Codex to the user's home. */
      files: z.array(z.object({ path: z.string(), text: z.string() })),
      /** What the file of a command does not say any more, a sentence each. */
      losses: z.array(z.object({ command: z.string(), message: z.string() })),
    }),
  }),
  parseSource: route("POST /v1/parse", {
    about: "What is recognised in a source",
    body: TypedSource,
    answer: z.object({
      source: z.string(),
      nodes: z.array(z.looseObject({})),
      /** What would be sent of it. */
      parts: z.array(WrittenPart),
      warnings: z.array(Fault),
    }),
  }),
  complete: route("GET /v1/complete", {
    about: "What could be meant at the cursor: commands, arguments, files, skills, symbols …",
    query: z.object({
      ...CommandsQuery,
      source: z.string().max(MAX_TEXT_CHARACTERS),
      cursor: z.coerce.number<number>().int().min(0).optional(),
      limit: z.coerce
        .number<number>()
        .int()
        .min(1)
        .max(MAX_COMPLETIONS)
        .default(DEFAULT_COMPLETIONS),
    }),
    answer: CompletionAnswer,
  }),
  completeLong: route("POST /v1/complete", {
    about: "The same for a draft that is too long for an address",
    body: z.strictObject({
      ...CommandsQuery,
      source: z.string().max(MAX_TEXT_CHARACTERS),
      cursor: z.int().min(0).optional(),
      limit: z.int().min(1).max(MAX_COMPLETIONS).default(DEFAULT_COMPLETIONS),
    }),
    answer: CompletionAnswer,
  }),
  expandSource: route("POST /v1/expand", {
    about: "What a source comes to: commands expanded, mentions resolved; nothing is kept",
    body: TypedSource.extend({ approved_shell: ApprovedShell }),
    answer: z.object({
      parts: z.array(WrittenPart),
      actions: z.array(z.looseObject({ type: z.string() })),
      shown: z.array(z.object({ command: z.string(), text: z.string() })),
      warnings: z.array(Fault),
    }),
  }),
}

/** A file in which a project says how to work in it. */
export const InstructionFile = z.object({
  path: z.string(),
  digest: z.string(),
  trusted: z.boolean(),
  /** As a model would be shown it: without its secrets. */
  text: z.string(),
})
export type InstructionFile = z.infer<typeof InstructionFile>

/** What the user agreed to: this file, with this content. */
export const Pin = z.object({
  path: z.string(),
  /** `sha256:` of the file; of a skill, of everything in its package. */
  digest: z.string(),
  trusted_at: z.int(),
})
export type Pin = z.infer<typeof Pin>

/** A file, and what it held when the user was shown it. */
const SeenFile = z.strictObject({
  path: z.string().min(1).max(MAX_PATH_CHARACTERS),
  digest: z.string().max(128).optional(),
})

/** One file, several, or, where none is named, all the instructions of the workspace. */
const TrustBody = z.strictObject({
  ...CommandsQuery,
  path: z.string().min(1).max(MAX_PATH_CHARACTERS).optional(),
  digest: z.string().max(128).optional(),
  files: z.array(SeenFile).max(MAX_TRUSTED_AT_ONCE).optional(),
  trusted: z.boolean().default(true),
})
type TrustBody = SentRequest<typeof TrustBody>

export const trust = {
  listInstructions: route("GET /v1/trust", {
    about: "The files of instructions that a workspace holds, and whether they are trusted",
    query: z.object(CommandsQuery),
    answer: z.object({ workspace: z.string().nullable(), files: z.array(InstructionFile) }),
  }),
  trustFiles: route("POST /v1/trust", {
    about:
      "Let a file of a repository be used as it is now: a command, a skill, or all its instructions",
    body: TrustBody,
    answer: z.object({ trusted: z.boolean(), pin: Pin.nullable(), pins: z.array(Pin) }),
  }),
}
