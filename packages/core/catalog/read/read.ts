import { MAX_FILE_BYTES } from "../limits.ts"
import { type CommandFile, type FileReading, readNoCommands } from "./file.ts"
import { readGeminiCommand } from "./gemini.ts"
import { readContinueRule, readMarkdownCommand } from "./markdown.ts"
import { readOpencodeConfig } from "./opencode.ts"
import { readContinueConfig, readRecipe } from "./recipe.ts"

export type ReaderName =
  | "markdown"
  | "toml"
  | "recipe"
  | "opencode-config"
  | "continue-config"
  | "continue-rule"

const READERS: Readonly<Record<ReaderName, (file: CommandFile) => FileReading>> = {
  markdown: readMarkdownCommand,
  toml: readGeminiCommand,
  recipe: readRecipe,
  "opencode-config": readOpencodeConfig,
  "continue-config": readContinueConfig,
  "continue-rule": readContinueRule,
}

/** The commands of a file. A file that cannot be read yields findings, never an exception. */
export function readCommandFile(file: CommandFile, reader: ReaderName): FileReading {
  if (file.text.length > MAX_FILE_BYTES)
    return readNoCommands(file, {
      level: "error",
      rule: "limit",
      message: `it is larger than ${MAX_FILE_BYTES} bytes`,
    })
  return READERS[reader](file)
}
