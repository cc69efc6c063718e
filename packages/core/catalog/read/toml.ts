import { parse, TomlError } from "smol-toml"
import { linesBefore } from "../finding.ts"
import { MAX_TOML_DEPTH } from "../limits.ts"

type TomlReading =
  | { readonly type: "table"; readonly table: Readonly<Record<string, unknown>> }
  | { readonly type: "fault"; readonly line: number; readonly message: string }

export function readToml(text: string): TomlReading {
  try {
    return {
      type: "table",
      table: parse(text, { maxDepth: MAX_TOML_DEPTH, unsafeKeyBehaviour: "drop" }),
    }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    return { type: "fault", line: error.line, message: faultOf(error, text) }
  }
}

function faultOf({ message, line, column }: TomlError, text: string): string {
  // The library calls a string that its line ends a control character.
  const isLineBreak = column > (text.split(/\r?\n/)[line - 1] ?? "").length
  if (isLineBreak && message.includes("control characters")) return "unfinished string"
  return (message.split("\n", 1)[0] ?? "").replace("Invalid TOML document: ", "")
}

const MAX_CANDIDATES = 8

/** The 1-based line of a key that the text has outside of every table: the first line that looks like
 *  it and has TOML before it, so that a line within a longer text is not taken for it. */
export function lineOfKey(text: string, key: string): number {
  const candidates = [...text.matchAll(new RegExp(`^[ \\t]*(["']?)${key}\\1[ \\t]*=`, "gm"))]
  for (const { index } of candidates.slice(0, MAX_CANDIDATES))
    if (readToml(text.slice(0, index)).type === "table") return linesBefore(text, index) + 1
  return 1
}
