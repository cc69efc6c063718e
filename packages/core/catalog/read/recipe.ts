import { recordOf } from "../../message/untyped.ts"
import { commandName, oneLine, type TemplateCommand } from "../command.ts"
import { MAX_ARGUMENTS, MAX_COMMANDS_PER_FILE } from "../limits.ts"
import { argumentOf } from "./arguments.ts"
import {
  type CommandFile,
  type FileReading,
  nameFromPath,
  readNoCommands,
  provenance,
} from "./file.ts"
import { withoutMark } from "./front-matter.ts"
import { FrontMatterHead } from "./head.ts"
import { hintsOf } from "./markdown.ts"
import { readYaml, type YamlReading } from "./yaml.ts"

/** A goose recipe: what it instructs and what it asks, with its parameters. JSON is YAML too. */
export function readRecipe(file: CommandFile): FileReading {
  const yaml = readYaml(withoutMark(file.text))
  if (yaml.type === "fault") return unreadable(file, yaml)
  const head = new FrontMatterHead(file.path, 1, inner(yaml))
  const body = ["instructions", "prompt"]
    .flatMap((key) => head.text(key)?.trim() || [])
    .join("\n\n")
  const name = nameFromPath(file.relative.replace(/\/recipe(?=\.)/i, ""), RECIPE, ":")
  if (name === undefined)
    return readNoCommands(file, {
      level: "error",
      rule: "name",
      message: "its name cannot be typed",
    })
  if (body === "")
    return readNoCommands(file, {
      level: "error",
      rule: "prompt",
      message: "it has neither instructions nor a prompt",
    })
  const parameters = head.value("parameters")
  const declared = Array.isArray(parameters)
    ? parameters.slice(0, MAX_ARGUMENTS).flatMap(argumentOf)
    : []
  const description = head.line("description") ?? head.line("title")
  const hints = hintsOf(head, RECIPE_KEYS)
  const command: TemplateCommand = {
    kind: "template",
    name,
    dialect: "goose",
    body,
    ...(description === undefined ? {} : { description }),
    ...(declared.length === 0 ? {} : { arguments: declared }),
    ...(hints === undefined ? {} : { hints }),
    ...provenance(file, head.lineOf(head.has("instructions") ? "instructions" : "prompt")),
  }
  return { commands: [command], findings: head.findings }
}

const RECIPE_KEYS = ["version", "title", "description", "instructions", "prompt", "parameters"]
const RECIPE = /\.(?:ya?ml|json)$/i

function unreadable(file: CommandFile, { line, message }: Extract<YamlReading, { type: "fault" }>) {
  return readNoCommands(file, {
    level: "error",
    rule: "yaml",
    message: `it cannot be read: ${message}`,
    line,
  })
}

/** goose's desktop writes the recipe one level down. */
function inner(yaml: Extract<YamlReading, { type: "map" }>): YamlReading {
  const recipe = yaml.entries.get("recipe")
  if (recipe === undefined || typeof recipe.value === "string" || Array.isArray(recipe.value))
    return yaml
  const entries = Object.entries(recipe.value).map(
    ([key, value]) => [key, { value, written: "", line: recipe.line }] as const,
  )
  return { ...yaml, entries: new Map(entries) }
}

/** The prompts of Continue's `config.yaml`. */
export function readContinueConfig(file: CommandFile): FileReading {
  const yaml = readYaml(withoutMark(file.text))
  if (yaml.type === "fault") return unreadable(file, yaml)
  const prompts = yaml.entries.get("prompts")
  const items = Array.isArray(prompts?.value) ? prompts.value : []
  return {
    commands: items
      .slice(0, MAX_COMMANDS_PER_FILE)
      .flatMap((item) => configPrompt(file, item, prompts?.line ?? 1)),
    findings: [],
  }
}

function configPrompt(file: CommandFile, item: unknown, line: number): TemplateCommand[] {
  const { name, description, prompt } = recordOf(item)
  const typed = typeof name === "string" ? commandName(name) : undefined
  if (typed === undefined || typeof prompt !== "string" || prompt.trim() === "") return []
  const says = typeof description === "string" ? { description: oneLine(description) } : {}
  const body = prompt.trim()
  return [
    {
      kind: "template",
      name: typed,
      dialect: "continue",
      body,
      ...says,
      ...provenance(file, line),
    },
  ]
}

/** The slash commands that goose's own `config.yaml` gives to recipes: a name and a path each. */
export function readGooseSlashMap(text: string): { name: string; path: string }[] {
  const yaml = readYaml(withoutMark(text))
  const value = yaml.type === "map" ? yaml.entries.get("slash_commands")?.value : undefined
  const items = Array.isArray(value) ? value.slice(0, MAX_COMMANDS_PER_FILE) : []
  return items.flatMap((item) => {
    const { command, recipe_path: path } = recordOf(item)
    const name = typeof command === "string" ? commandName(command) : undefined
    return name === undefined || typeof path !== "string" || path === "" ? [] : [{ name, path }]
  })
}
