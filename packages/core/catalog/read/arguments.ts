import { type CommandArgument, oneLine } from "../command.ts"
import { MAX_ARGUMENTS } from "../limits.ts"
import { slotsOf } from "../piece.ts"
import { parseTemplate } from "../template.ts"
import type { FrontMatterHead } from "./head.ts"
import type { YamlValue } from "./yaml.ts"

/** The `arguments` key: names in a list or between spaces, or maps that say more of each. */
export function declaredArguments(head: FrontMatterHead): CommandArgument[] {
  const value = head.value("arguments")
  if (value === undefined || value === "") return []
  const items = Array.isArray(value)
    ? value
    : typeof value === "string"
      ? head.list("arguments")
      : mapItems(value)
  return (items ?? []).slice(0, MAX_ARGUMENTS).flatMap(argumentOf)
}

/** `{ path: "what to read" }` is a list of names with a description each. */
function mapItems(value: YamlValue): YamlValue[] {
  return Object.entries(value).map(([name, says]) =>
    typeof says === "string" ? { name, description: says } : { name, ...(says as object) },
  )
}

export function argumentOf(item: YamlValue): CommandArgument[] {
  if (typeof item === "string") return item === "" ? [] : [{ name: item, type: "string" }]
  if (Array.isArray(item)) return []
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is no text and no list is a map
  const map = item as Readonly<Record<string, YamlValue>>
  const name = textOf(map.name ?? map.key)
  if (!name) return []
  const description = textOf(map.description)
  const fallback = textOf(map.default)
  const options = Array.isArray(map.options) ? map.options.filter((o) => typeof o === "string") : []
  return [
    {
      name,
      type: typeOf(textOf(map.type ?? map.input_type)),
      ...(isRequired(map) && fallback === undefined ? { required: true } : {}),
      ...(description === undefined ? {} : { description: oneLine(description) }),
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(options.length === 0 ? {} : { options }),
      ...(map.input_type === "file" ? { file: true } : {}),
    },
  ]
}

function textOf(value: YamlValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined
}

function typeOf(word: string | undefined): CommandArgument["type"] {
  return word === "number" || word === "boolean" ? word : "string"
}

/** goose says `requirement: required`, or `user_prompt` where the user is always asked. */
function isRequired(map: Readonly<Record<string, YamlValue>>): boolean {
  return (
    map.required === "true" || map.requirement === "required" || map.requirement === "user_prompt"
  )
}

/** In these dialects a name is declared by using it, and must be given. */
export function usedArguments(body: string, dialect: "codex" | "copilot"): CommandArgument[] {
  const found = new Map<string, CommandArgument>()
  for (const slot of slotsOf(parseTemplate(body, dialect).pieces)) {
    if (slot.type !== "named" || found.has(slot.name) || found.size >= MAX_ARGUMENTS) continue
    const [, placeholder] = /^\$\{input:[^:}]*:([^}]*)\}$/.exec(slot.raw) ?? []
    const description = placeholder ? { description: oneLine(placeholder) } : {}
    found.set(slot.name, { name: slot.name, type: "string", required: true, ...description })
  }
  return [...found.values()]
}
