import type { Skill } from "../skill.ts"
import { withoutMark } from "./front-matter.ts"
import { readYaml, type YamlValue } from "./yaml.ts"

/** What Codex keeps beside a skill, in `agents/openai.yaml`: how it is shown, and whether the model
 *  may choose it by itself. A manifest that cannot be read changes nothing. */
export function withOpenaiManifest(skill: Skill, text: string): Skill {
  const yaml = readYaml(withoutMark(text))
  if (yaml.type === "fault") return skill
  const sections = Object.fromEntries(Array.from(yaml.entries, ([key, { value }]) => [key, value]))
  const implicit = valueAt(sections.policy, "allow_implicit_invocation")
  return {
    ...skill,
    model_invocable: skill.model_invocable && implicit !== "false",
    hints: { ...skill.hints, openai: sections },
  }
}

function valueAt(section: YamlValue | undefined, key: string): YamlValue | undefined {
  if (section === undefined || typeof section === "string" || Array.isArray(section))
    return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is no text and no list is a map
  return (section as Readonly<Record<string, YamlValue>>)[key]
}
