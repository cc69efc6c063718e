import { errorMessage } from "../../message/untyped.ts"
import { z } from "zod"
import { commandName, oneLine, type TemplateCommand } from "../command.ts"
import type { CommandFileFinding } from "../finding.ts"
import { MAX_COMMANDS_PER_FILE } from "../limits.ts"
import { type CommandFile, type FileReading, readNoCommands, provenance } from "./file.ts"
import { withoutMark } from "./front-matter.ts"
import { readJson } from "./json.ts"

const Entry = z.looseObject({ template: z.string().min(1), description: z.string().optional() })
const Config = z.looseObject({ command: z.record(z.string(), z.unknown()).optional() })

/** The commands in `opencode.json`, under `command`. */
export function readOpencodeConfig(file: CommandFile): FileReading {
  const parsed = parse(file)
  if (parsed.type === "fault") return parsed.reading
  const entries = Object.entries(parsed.command).slice(0, MAX_COMMANDS_PER_FILE)
  const readings = entries.map(([name, value]) => readEntry(file, name, value))
  return {
    commands: readings.flatMap(({ commands }) => commands),
    findings: readings.flatMap(({ findings }) => findings),
  }
}

type Parsed =
  | { readonly type: "config"; readonly command: Readonly<Record<string, unknown>> }
  | { readonly type: "fault"; readonly reading: FileReading }

function parse(file: CommandFile): Parsed {
  try {
    const config = Config.safeParse(readJson(withoutMark(file.text)))
    if (config.success) return { type: "config", command: config.data.command ?? {} }
    return fault(file, "its command key is no map")
  } catch (error) {
    return fault(file, `it cannot be read: ${errorMessage(error)}`)
  }
}

function fault(file: CommandFile, message: string): Parsed {
  return { type: "fault", reading: readNoCommands(file, { level: "error", rule: "json", message }) }
}

function readEntry(file: CommandFile, key: string, value: unknown): FileReading {
  const line = lineOf(file.text, key)
  const name = commandName(key)
  const entry = Entry.safeParse(value)
  if (name === undefined || !entry.success)
    return readNoCommands(file, {
      level: "error",
      rule: "prompt",
      message: `its command ${key} has no template`,
      line,
    })
  const { template, description, ...hints } = entry.data
  const command: TemplateCommand = {
    kind: "template",
    name,
    dialect: "opencode",
    body: template.trim(),
    ...(description ? { description: oneLine(description) } : {}),
    ...(Object.keys(hints).length === 0 ? {} : { hints }),
    ...provenance(file, line),
  }
  const message = `/${name} has no description`
  const missing: CommandFileFinding = {
    level: "note",
    rule: "description",
    path: file.path,
    line,
    message,
  }
  return { commands: [command], findings: description ? [] : [missing] }
}

function lineOf(text: string, key: string): number {
  const at = text.indexOf(JSON.stringify(key))
  return at < 0 ? 1 : text.slice(0, at).split("\n").length
}
