import type { LoadedFile } from "../file/loaded-file.ts"
import type { LoadedPart } from "./loaded-part.ts"
import type { AgentCircumstances } from "./policy.ts"
import {
  type CommandPart,
  type EditorContextPart,
  isKnown,
  type MentionPart,
  type Part,
  type QuotePart,
  type SkillContentPart,
  type UnknownPart,
} from "../message/part.ts"
import { acceptsSyntheticCall } from "../model/capabilities.ts"
import { editorMarker, escapeMarkers, escapeWholeMarker, skillMarker } from "../model/marker.ts"
import { custom } from "./custom.ts"
import { withDeclared } from "../file/declared-route.ts"
import type { Origin } from "../file/describe.ts"
import { lowerFile } from "../file/lower-file.ts"
import { keptOut, withMark } from "./ingress.ts"
import { showName } from "../file/name.ts"
import type { Circumstances, LoweringPolicy } from "../file/policy.ts"
import { type Verdict, verdict } from "../file/verdict.ts"

/** What becomes of one part. What policy keeps out comes to nobody, an agent's own lowering
 *  included. */
export function lowerPart(loaded: LoadedPart, at: AgentCircumstances): Verdict {
  const kept = keptOut(loaded.part)
  if (kept) return kept
  const { part, file } = loaded
  const lowered = custom(part, at.policy.custom, () =>
    withoutLookalikes(part, lowerAdmitted(loaded, at), at.policy),
  )
  return withMark(part, withDeclared(part, file, lowered))
}

function lowerAdmitted(loaded: LoadedPart, at: Circumstances): Verdict {
  const { part, file } = loaded
  if (!isKnown(part)) return lowerUnknown(part)
  switch (part.type) {
    case "text":
      return lowerText(part.text)
    case "file-ref":
      return part.attached === true && part.ref.kind === "mcp"
        ? verdict("resolved-out", "MCP-001", { reason: "What it names was attached on submit." })
        : lowerLoaded(file, "ref", at)
    case "file-attachment":
      return lowerLoaded(file, "attachment", at)
    case "command":
      return lowerCommand(part)
    case "mention":
      return file ? lowerMentioned(file, at) : lowerMention(part, at)
    case "editor-context":
      return lowerContext(part, at)
    case "directory-ref":
      return lowerDirectory(part)
    case "skill-content":
      return lowerSkill(part, at)
    case "quote":
      return lowerQuote(part)
  }
}

/** Nobody but the host speaks in its markers (TRU-001). What the user typed stays as it was typed
 *  unless it would be a whole block; where everything becomes one string nothing stays. */
function withoutLookalikes(
  part: Part | UnknownPart,
  lowered: Verdict,
  policy: LoweringPolicy,
): Verdict {
  const { block } = lowered
  if (block?.type !== "text" || policy.host_wrote || SPEAKS_IN_MARKERS.has(part.type))
    return lowered
  const escape =
    policy.nonce === undefined && isTypedOrShown(part, lowered) ? escapeWholeMarker : escapeMarkers
  const text = escape(block.text)
  return text === block.text ? lowered : { ...lowered, block: { ...block, text } }
}

/** Parts that the host itself puts into markers, with what is in them escaped. */
const SPEAKS_IN_MARKERS: ReadonlySet<string> = new Set([
  "editor-context",
  "mention",
  "skill-content",
])

/** The user's own words, and files word for word; the rest is told by others, or of their names. */
function isTypedOrShown(part: Part | UnknownPart, { outcome }: Verdict): boolean {
  if (part.derived_from !== undefined) return false
  if (part.type === "text" || part.type === "command") return true
  return part.type.startsWith("file-") && WORD_FOR_WORD.has(outcome)
}

const WORD_FOR_WORD: ReadonlySet<string> = new Set(["inlined", "range", "extracted"])

function lowerText(text: string): Verdict {
  if (text.trim() === "")
    return verdict("resolved-out", "CMP-103", { reason: "There is no text in it." })
  return verdict("inlined", "CMP-103", {
    reason: "Sent as it was typed.",
    text,
  })
}

function lowerLoaded(file: LoadedPart["file"], origin: Origin, at: Circumstances): Verdict {
  if (!file) throw new Error("its file was not loaded")
  return lowerFile(file, origin, at)
}

/** A command was resolved at submit: what it meant stands beside it in parts of its own. */
function lowerCommand(part: CommandPart): Verdict {
  if (part.outcome !== "pass-through")
    return verdict("resolved-out", "CMP-106", { reason: "The command was carried out on submit." })
  const reason = "No command has this name, so it is sent as it was typed."
  return verdict("inlined", "CMP-044", { reason, text: typedCommand(part) })
}

function typedCommand(part: CommandPart): string {
  if (typeof part.raw === "string") return part.raw
  const { raw } = part.args
  return typeof raw === "string" && raw !== "" ? `${part.id} ${raw}` : part.id
}

/** What a mention of something inside a document is: the model gets its identifier (CMP-064). */
const ENTITY_KINDS: ReadonlySet<string> = new Set(["symbol", "node", "entity"])

function lowerMentioned(file: LoadedFile, at: Circumstances): Verdict {
  return withoutLookalikes({ type: "file-ref" }, lowerFile(file, "ref", at), at.policy)
}

function lowerMention(part: MentionPart, { policy }: Circumstances): Verdict {
  const { kind } = part.target
  if (kind === "skill") return verdict("resolved-out", "CMP-107", { reason: skillReason(part) })
  if (!ENTITY_KINDS.has(kind))
    return verdict("resolved-out", "CMP-065", {
      reason: "It names nothing that a model could be shown.",
    })
  const text = editorMarker({ kind: "ref", payload: part.target }, policy.nonce)
  return verdict("inlined", "CMP-064", { reason: "The model is given its identifier.", text })
}

function skillReason({ loaded, target }: MentionPart): string {
  if (loaded !== "before") return "A skill arrives through the skill tool."
  return `The model has the skill ${showName(String(target.name))} already, so it is not sent again.`
}

function lowerContext(part: EditorContextPart, { policy }: Circumstances): Verdict {
  const claimed = policy.claimed ?? {}
  const tool = Object.hasOwn(claimed, part.kind) ? claimed[part.kind] : undefined
  if (tool !== undefined)
    return verdict("tool", "CMP-113", {
      reason: `The tool ${showName(tool)} receives it; the model is told so.`,
      text: `[editor context: ${showName(part.kind)}. The tool ${showName(tool)} has it.]`,
    })
  return verdict("inlined", "CMP-108", {
    reason: "The editor's state is shown in a marker of its own.",
    text: editorMarker(part, policy.nonce),
  })
}

function lowerDirectory({ ref }: Extract<Part, { type: "directory-ref" }>): Verdict {
  const directory = `${showName(ref.name)} (${showName(ref.id)})`
  return verdict("descriptor", "CMPH-005", {
    reason: "Only its name is shown: what is in it is found by tools.",
    text: `[directory: ${directory}, read only. Its contents are not included.]`,
  })
}

/** Words of another conversation under a line that says so; nobody takes them for the user's own. */
function lowerQuote({ session_id, message_id, text }: QuotePart): Verdict {
  if (text.trim() === "")
    return verdict("resolved-out", "BEY-09", { reason: "There is no text in the quote." })
  const from = `[quoted from message ${showName(message_id)} of session ${showName(session_id)}]`
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/)
  return verdict("inlined", "BEY-09", {
    reason: "The quoted words are shown under their source.",
    text: [from, ...lines.map((line) => `> ${line}`)].join("\n"),
  })
}

const SKILL_TOOL = "skill"

/** A skill's body is the result of a call of the skill tool: as such where the model takes a call that
 *  it did not make, else on the user's side of the conversation (decision 7). */
function lowerSkill(
  part: SkillContentPart,
  { part_id, capabilities, policy }: Circumstances,
): Verdict {
  const name = showName(part.name)
  if (!acceptsSyntheticCall(capabilities, policy.thinking_budget ?? false))
    return verdict("tool", "CMP-062", {
      reason: `The skill ${name} is loaded, as words of the user's: this model takes no call for it.`,
      text: skillMarker(part, policy.nonce),
    })
  const about = { id: part_id, name: SKILL_TOOL }
  const given = part.arguments === undefined ? {} : { arguments: part.arguments.toWellFormed() }
  const body = escapeMarkers(part.text.toWellFormed())
  const text = body.trim() === "" ? "(the skill is empty)" : body
  const loaded = verdict("tool", "CMP-062", {
    reason: `The skill ${name} is loaded, as the result of a call.`,
  })
  return {
    ...loaded,
    call: {
      call: {
        type: "tool-call",
        ...about,
        input: { name: escapeMarkers(part.name.toWellFormed()), ...given },
      },
      result: {
        type: "tool-result",
        ...about,
        blocks: [{ type: "text", text }],
        is_error: false,
      },
    },
  }
}

function lowerUnknown(part: UnknownPart): Verdict {
  const { text, type } = part
  if (typeof text === "string" && text.trim() !== "")
    return verdict("inlined", "CMP-121", {
      reason: "This version does not know the part, so its text is shown.",
      text,
    })
  return verdict("descriptor", "CMP-121", {
    reason: "This version does not know the part, and it has no text.",
    text: `[unsupported part: ${showName(type)}]`,
  })
}
