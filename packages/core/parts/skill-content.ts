import type { z } from "zod"
import { resourceBlock } from "../acp/acp-block.ts"
import { showName } from "../file/name.ts"
import type { Circumstances } from "../file/policy.ts"
import { type LoweredPart, verdict } from "../file/verdict.ts"
import { MAX_TEXT_CHARACTERS } from "../message/limits.ts"
import { acceptsSyntheticCall } from "../model/capabilities.ts"
import { escapeMarkers, skillMarker } from "../model/marker.ts"
import { nothing, noTitle, type PartChip } from "./chip.ts"
import { asItCame, definePart, none } from "./define-part.ts"
import type { Schemas } from "./schemas.ts"

const schema = ({ z, shortName }: Schemas) =>
  z.looseObject({
    type: z.literal("skill-content"),
    name: shortName,
    arguments: z.string().max(MAX_TEXT_CHARACTERS).optional(),
    text: z.string().max(MAX_TEXT_CHARACTERS),
    initiator: z.enum(["user", "model", "handler"]),
  })
type SkillContentPart = z.infer<ReturnType<typeof schema>>

export const skillContentChip: PartChip<SkillContentPart> = {
  look: "chip",
  tone: "good",
  icon: "none",
  label: ({ name }) => `skill ${name}`,
  title: noTitle,
  mark: ({ name }) => `skill ${name}`,
  line: ({ text }) => text.trimEnd(),
  file: nothing,
  needs: nothing,
}

/** A skill's body, as its `skill` call gave it out: recorded where the user named the skill, and lowered
 *  by the one path that skills take. */
export const skillContentPart = /* @__PURE__ */ definePart({
  type: "skill-content",
  schema,
  texts: { text: "paste" },
  blobs: none,
  handles: none,
  load: none,
  origin: "ref",
  lower: lowerSkill,
  voice: () => "host",
  words: ({ name }) => `[the skill ${name.toWellFormed()} was loaded]`,
  acp: ({ name, text }) => ({
    block: resourceBlock(`skill/${name}`, text, "text/markdown"),
    lost: "a skill is carried as a resource",
  }),
  keep: asItCame,
  source: none,
  names: none,
  chip: skillContentChip,
  example: { type: "skill-content", name: "pdf", text: "Read it page by page.", initiator: "user" },
})

const SKILL_TOOL = "skill"

/** A skill's body is the result of a call of the skill tool: as such where the model takes a call that
 *  it did not make, else on the user's side of the conversation (decision 7). */
function lowerSkill(
  part: SkillContentPart,
  { part_id, capabilities, policy }: Circumstances,
): LoweredPart {
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
