import { z } from "zod"
import { CommandArgument, CommandSource, CommandDialect, type SkillCommand } from "./command.ts"

/** A skill: what the index says of it, and the body that only the `skill` tool hands out. */
export const Skill = z.object({
  name: z.string(),
  description: z.string(),
  when_to_use: z.string().optional(),
  source: CommandSource,
  trust: z.enum(["trusted", "untrusted"]),
  digest: z.string(),
  /** The folder of the package, where its resources lie. */
  folder: z.string(),
  dialect: CommandDialect,
  body: z.string(),
  arguments: z.array(CommandArgument).optional(),
  argument_hint: z.string().optional(),
  /** May be typed as a slash command. */
  user_invocable: z.boolean(),
  /** May be chosen by the model; otherwise it is not in the index. */
  model_invocable: z.boolean(),
  /** Files of the package, relative to its folder; listed, not read. */
  resources: z.array(z.string()),
  hints: z.record(z.string(), z.unknown()).optional(),
})
export type Skill = z.infer<typeof Skill>

/** The slash command a skill exposes (CMP-046). */
export function skillCommand(skill: Skill): SkillCommand {
  const { name, description, source, trust, digest, dialect, body, argument_hint, hints } = skill
  return {
    kind: "skill",
    skill: name,
    name,
    description,
    source,
    trust,
    digest,
    dialect,
    body,
    ...(skill.arguments === undefined ? {} : { arguments: skill.arguments }),
    ...(argument_hint === undefined ? {} : { argument_hint }),
    ...(hints === undefined ? {} : { hints }),
  }
}
