import {
  type CommandPart,
  type EditorContextPart,
  isKnown,
  type MentionPart,
  type Part,
  type SkillContentPart,
  type UnknownPart,
} from "../message/part.ts"
import { type Capabilities, mediaKind } from "../model/capabilities.ts"
import type { Block } from "../model/prompt.ts"
import { LOWERING_VERSION, type Receipt } from "../model/receipt.ts"
import { blockBytes, blockTokens } from "../model/tokens.ts"
import { lowerFile, type Origin } from "./file.ts"
import type { LoadedPart } from "./load.ts"
import { keptOut, withMark } from "./ingress.ts"
import { editorMarker, escapeAttribute } from "./marker.ts"
import { oneLine, showName } from "./name.ts"
import {
  type Circumstances,
  DEFAULT_POLICY,
  NOTHING_SPENT,
  type Policy,
  type Spent,
} from "./policy.ts"
import { type Verdict, verdict } from "./verdict.ts"

export interface Lowered {
  readonly blocks: readonly Block[]
  /** One for each part, in their order. */
  readonly receipts: readonly Receipt[]
}

/** What one user message says to a model, and what became of each of its parts. Pure and total: it
 *  reads nothing, and a part that cannot be lowered is described instead. */
export function lower(
  parts: readonly LoadedPart[],
  capabilities: Capabilities,
  policy: Policy = DEFAULT_POLICY,
): Lowered {
  const blocks: Block[] = []
  const receipts: Receipt[] = []
  let spent = NOTHING_SPENT
  for (const part of parts) {
    const result = lowerSafely(part, { capabilities, policy, spent })
    if (result.block) blocks.push(result.block)
    receipts.push(receiptOf(part, result))
    spent = spend(spent, part, result)
  }
  return { blocks, receipts }
}

function lowerSafely(loaded: LoadedPart, at: Circumstances): Verdict {
  try {
    return lowerPart(loaded, at)
  } catch (error) {
    const why = oneLine(error instanceof Error ? error.message : String(error))
    const text = `[${showName(typeOf(loaded))}: could not be shown]`
    return verdict("failed", "BEY-02", { reason: `Not shown: ${why}.`, text })
  }
}

function lowerPart(loaded: LoadedPart, at: Circumstances): Verdict {
  return keptOut(loaded.part) ?? withMark(loaded.part, lowerAdmitted(loaded, at))
}

function lowerAdmitted(loaded: LoadedPart, at: Circumstances): Verdict {
  const { part, file } = loaded
  if (!isKnown(part)) return lowerUnknown(part)
  switch (part.type) {
    case "text":
      return lowerText(part.text)
    case "file-ref":
      return lowerLoaded(file, "ref", at)
    case "file-attachment":
      return lowerLoaded(file, "attachment", at)
    case "command":
      return lowerCommand(part)
    case "mention":
      return file ? lowerFile(file, "ref", at) : lowerMention(part)
    case "editor-context":
      return lowerContext(part)
    case "directory-ref":
      return lowerDirectory(part)
    case "skill-content":
      return lowerSkill(part)
  }
}

function lowerText(text: string): Verdict {
  if (text.trim() === "")
    return verdict("resolved-out", "CMP-103", { reason: "There is no text in it." })
  return verdict("inlined", "CMP-103", {
    reason: "Sent as it was typed.",
    text: text.toWellFormed(),
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
  return verdict("inlined", "CMP-044", { reason, text: typedCommand(part).toWellFormed() })
}

function typedCommand(part: CommandPart): string {
  if (typeof part.raw === "string") return part.raw
  const { raw } = part.args
  return typeof raw === "string" && raw !== "" ? `${part.id} ${raw}` : part.id
}

/** What a mention of something inside a document is: the model gets its identifier (CMP-064). */
const ENTITY_KINDS: ReadonlySet<string> = new Set(["symbol", "node", "entity"])

function lowerMention(part: MentionPart): Verdict {
  const { kind } = part.target
  if (kind === "skill")
    return verdict("resolved-out", "CMP-107", { reason: "A skill arrives through the skill tool." })
  if (!ENTITY_KINDS.has(kind))
    return verdict("resolved-out", "CMP-065", {
      reason: "It names nothing that a model could be shown.",
    })
  const text = editorMarker({ kind: "ref", payload: part.target })
  return verdict("inlined", "CMP-064", { reason: "The model is given its identifier.", text })
}

/** The result of the skill's call, on the user's side of the conversation (decision 7). */
function lowerSkill(part: SkillContentPart): Verdict {
  const name = escapeAttribute(part.name)
  return verdict("tool", "CMP-062", {
    reason: `The skill ${showName(part.name)} is loaded.`,
    text: `<skill_content name="${name}">\n${part.text}\n</skill_content>`.toWellFormed(),
  })
}

function lowerContext(part: EditorContextPart): Verdict {
  return verdict("inlined", "CMP-108", {
    reason: "The editor's state is shown in a marker of its own.",
    text: editorMarker(part),
  })
}

function lowerDirectory({ ref }: Extract<Part, { type: "directory-ref" }>): Verdict {
  const directory = `${showName(ref.name)} (${showName(ref.id)})`
  return verdict("descriptor", "CMPH-005", {
    reason: "Only its name is shown: what is in it is found by tools.",
    text: `[directory: ${directory}, read only. Its contents are not included.]`,
  })
}

function lowerUnknown(part: UnknownPart): Verdict {
  const { text, type } = part
  if (typeof text === "string" && text.trim() !== "")
    return verdict("inlined", "CMP-121", {
      reason: "This version does not know the part, so its text is shown.",
      text: text.toWellFormed(),
    })
  return verdict("descriptor", "CMP-121", {
    reason: "This version does not know the part, and it has no text.",
    text: `[unsupported part: ${showName(type)}]`,
  })
}

function receiptOf(loaded: LoadedPart, result: Verdict): Receipt {
  const { block, outcome, rule, reason, content_id } = result
  return {
    part: loaded.id,
    type: typeOf(loaded),
    outcome,
    rule,
    reason,
    bytes: block ? blockBytes(block) : 0,
    tokens: block ? blockTokens(block) : 0,
    content_id,
    version: LOWERING_VERSION,
  }
}

// Rows from elsewhere may hold anything; a receipt's type is a string whatever they hold.
function typeOf(loaded: LoadedPart): string {
  const { type } = (loaded.part ?? {}) as { type?: unknown }
  return typeof type === "string" ? type : "unknown"
}

/** Only the text of files is budgeted: what the user wrote is always sent. */
function spend(spent: Spent, { file }: LoadedPart, { block, outcome }: Verdict): Spent {
  if (!file || !block || outcome === "descriptor") return spent
  if (block.type === "text") return { ...spent, text_bytes: spent.text_bytes + blockBytes(block) }
  const kind = mediaKind(block)
  return {
    ...spent,
    media_bytes: spent.media_bytes + block.media.size,
    media_count: { ...spent.media_count, [kind]: spent.media_count[kind] + 1 },
  }
}
