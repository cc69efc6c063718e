import { type CappedText, cappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { wholeText } from "../decode-text.ts"
import { readText } from "./text.ts"

const MAX_PARSED_BYTES = 4 * 1024 * 1024
const MAX_DEPTH = 8
const MAX_KEYS = 60

/** JSON as it is; where that is too long, what it is made of. */
export async function readJsonFile(job: Job): Promise<ReaderAnswer> {
  const { file, fragment, limits } = job
  const fits = file.size <= limits.text_bytes
  if (fragment || fits || file.size > MAX_PARSED_BYTES) return readText(job)
  const value = parsed(await wholeText(file, MAX_PARSED_BYTES))
  if (value === undefined) return readText(job)
  return cappedText(limits.text_bytes, (text) => {
    outline(value, "", { text, depth: 0 })
    return `${file.name} has ${file.size} bytes; this is its shape. Read lines of it for values.`
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function outline(value: unknown, label: string, at: { text: CappedText; depth: number }): void {
  const { text, depth } = at
  const indent = `${"  ".repeat(depth)}${label}`
  if (typeof value !== "object" || value === null) return text.line(`${indent}${leaf(value)}`)
  const inner = { text, depth: depth + 1 }
  text.line(`${indent}${Array.isArray(value) ? `array of ${value.length}` : "object"}`)
  if (depth >= MAX_DEPTH) return
  if (Array.isArray(value))
    return value.slice(0, 1).forEach((item) => outline(item, "first: ", inner))
  const entries = Object.entries(value)
  for (const [key, item] of entries.slice(0, MAX_KEYS))
    outline(item, `${key.slice(0, 100)}: `, inner)
  if (entries.length > MAX_KEYS)
    text.line(`${"  ".repeat(depth + 1)}… ${entries.length - MAX_KEYS} more keys`)
}

function leaf(value: unknown): string {
  const shown = JSON.stringify(value) ?? "nothing"
  return shown.length > 80 ? `${shown.slice(0, 80)}…` : shown
}
