import { Range } from "../message/file-reference.ts"
import { z } from "zod"
import { MAX_NAME_CHARACTERS, MAX_PATH_CHARACTERS, MAX_URL_CHARACTERS } from "../message/limits.ts"
import { FileFragment, FragmentFault } from "../message/file-location.ts"

/** A span of the source that means something. Offsets count UTF-16 units, `end` is exclusive, and
 *  extra fields survive (EA-002, EA-004). The messages are part of the wire. */
const span = {
  start: z.int("must be an integer").min(0, "must be >= 0"),
  end: z.int("must be an integer"),
  raw: z.string("must be a string"),
}

const name = text("must be a non-empty string", MAX_NAME_CHARACTERS)
const path = text("must be a string", MAX_PATH_CHARACTERS).refine(
  (value) => !value.includes("\0"),
  "must not contain a NUL character",
)
const commandName = text("must be a lowercase kebab-case command name", MAX_NAME_CHARACTERS).regex(
  /^[^\s\p{Cc}]+$/u,
  "must be a lowercase kebab-case command name",
)

function text(message: string, characters: number) {
  return z
    .string(message)
    .min(1, message)
    .max(characters, `must be at most ${characters} characters`)
}

const TextNode = z.looseObject({ kind: z.literal("text"), ...span })
export const SlashCommandNode = z.looseObject({
  kind: z.literal("slash_command"),
  ...span,
  name: commandName,
  /** Nobody has a command of this name. */
  unknown: z.boolean().optional(),
  /** It was picked from a list, so it is meant wherever it stands (decision 5). */
  chosen: z.boolean().optional(),
  args: z.record(z.string(), z.unknown(), "must be an object").optional(),
})
const FileNode = z.looseObject({
  kind: z.literal("file"),
  ...span,
  path,
  range: Range.optional(),
  fragment: FileFragment.optional(),
  /** A path inside `path`, which is an archive. */
  entry: path.optional(),
  /** It names no place, so it stays what was typed. */
  fault: FragmentFault.optional(),
})
const SkillNode = z.looseObject({ kind: z.literal("skill"), ...span, name })
const SymbolNode = z.looseObject({ kind: z.literal("symbol"), ...span, name })
const BranchNode = z.looseObject({ kind: z.literal("branch"), ...span, name })
/** What the editor shows: `@selection`. */
const ContextNode = z.looseObject({ kind: z.literal("context"), ...span, name })
/** A resource of an MCP server. */
const ResourceNode = z.looseObject({
  kind: z.literal("resource"),
  ...span,
  server: name,
  uri: text("must be a non-empty string", MAX_URL_CHARACTERS),
})
/** A mention of a kind that the host added: `@ticket:42` is `{ of: "ticket", name: "42" }`. */
const MentionNode = z.looseObject({ kind: z.literal("mention"), ...span, of: name, name })

export const KnownNode = z.discriminatedUnion("kind", [
  TextNode,
  SlashCommandNode,
  FileNode,
  SkillNode,
  SymbolNode,
  BranchNode,
  ContextNode,
  ResourceNode,
  MentionNode,
])
/** What another version may have sent: the base of every node. */
export const UnknownNode = z.looseObject({
  kind: z.string("must be a non-empty string").min(1, "must be a non-empty string"),
  ...span,
})

type TextNode = z.infer<typeof TextNode>
export type SlashCommandNode = z.infer<typeof SlashCommandNode>
type FileNode = z.infer<typeof FileNode>
export type KnownNode = z.infer<typeof KnownNode>
export type UnknownNode = z.infer<typeof UnknownNode>
export type ComposerNode = KnownNode | UnknownNode
