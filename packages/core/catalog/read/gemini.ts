import { oneLine, type TemplateCommand } from "../command.ts"
import type { CommandFileFinding } from "../finding.ts"
import { type CommandFile, type FileReading, readNoCommands, provenance } from "./file.ts"
import { withoutMark } from "./front-matter.ts"
import { lineOfKey, readToml } from "./toml.ts"

/** A command per TOML file: `git/commit.toml` is /git:commit. */
export function readGeminiCommand(file: CommandFile): FileReading {
  const text = withoutMark(file.text)
  const toml = readToml(text)
  if (toml.type === "fault")
    return readNoCommands(file, {
      level: "error",
      rule: "toml",
      message: `it cannot be read: ${toml.message}`,
      line: toml.line,
    })
  const { prompt, description } = toml.table
  if (typeof prompt !== "string" || prompt.trim() === "")
    return readNoCommands(file, {
      level: "error",
      rule: "prompt",
      message: "it has no prompt, which every command needs",
    })
  const name = nameOf(file.relative)
  const command: TemplateCommand = {
    kind: "template",
    name,
    dialect: "gemini",
    body: prompt.trim(),
    ...(typeof description === "string" ? { description: oneLine(description) } : {}),
    ...provenance(file, lineOfKey(text, "prompt")),
  }
  const message = `/${name} has no description`
  const missing: CommandFileFinding = {
    level: "note",
    rule: "description",
    path: file.path,
    line: 1,
    message,
  }
  return { commands: [command], findings: command.description ? [] : [missing] }
}

const SEGMENT_CHARACTERS = 50

/** As Gemini CLI names them: what it does not allow in a name becomes an underscore. */
function nameOf(relative: string): string {
  return relative
    .replace(/\.toml$/i, "")
    .split("/")
    .map((part) => part.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, SEGMENT_CHARACTERS))
    .join(":")
}
