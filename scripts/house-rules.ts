// The floors of the house and who may look where. `house.ts` reads the tree and asks here.

import { isBuiltin } from "node:module"
import { posix } from "node:path"

export type Import = {
  readonly specifier: string
  readonly line: number
  readonly kind: "static" | "dynamic"
}

/** A file of the house; its path is relative to `src`. */
export type SourceFile = {
  readonly path: string
  readonly lines: number
  readonly imports: readonly Import[]
  /** Lines on which it writes to standard output or standard error by itself. */
  readonly prints: readonly number[]
}

export type Violation = { readonly path: string; readonly line: number; readonly message: string }

/** The rooms, from the ground up. A file looks only at rooms on lower floors. */
export const FLOORS: readonly (readonly string[])[] = [
  ["message", "model", "telemetry"],
  ["catalog", "files", "stream"],
  ["skill", "memory", "policy", "trigger"],
  ["compose", "store", "lower", "provider", "tool", "client", "interop"],
  ["submit", "session", "mcp", "react", "conformance"],
  ["entity", "inspect"],
  ["host"],
  ["server"],
  ["web", "tui", "cli", "acp"],
]

/** `index.ts` looks anywhere, and nobody looks at it. */
export const ENTRANCE = "index"
const FILES_AT_THE_ROOT = ["host.ts", "index.ts"]

const SURFACES = FLOORS[8] ?? []
const SEEN_BY_SURFACES = ["client", "message", "model", "compose", "catalog", "interop", "react"]
// What a surface may start, by a dynamic import.
const STARTED_BY: Readonly<Record<string, readonly string[]>> = {
  cli: ["server", "host", "files", "acp", "tui", "conformance"],
}
const USED_BY_A_BROWSER = [
  "message",
  "model",
  "compose",
  "catalog",
  "client",
  "interop",
  "react",
  "web",
]

// What they print may have been written by strangers, and reaches a terminal through one file.
const PRINTING_ROOMS = ["cli", "tui", "acp"]
const PRINTER = "cli/print.ts"

const MAX_LINES = 350
const ROOMS_WITHOUT_MAX_LINES = ["web"]

/** Every way in which the files break the rules of the house. */
export function judge(files: readonly SourceFile[]): Violation[] {
  return files.flatMap(judgeFile)
}

function judgeFile(file: SourceFile): Violation[] {
  const { path } = file
  const room = roomOf(path)
  if (!isKnown(room)) return [{ path, line: 1, message: `is in an unknown room, ${room}` }]
  const looks = file.imports.flatMap((imported) => {
    const message = judgeImport(path, imported)
    return message ? [{ path, line: imported.line, message }] : []
  })
  const faults = [...looks, ...judgePrinting(file)]
  if (file.lines <= MAX_LINES || ROOMS_WITHOUT_MAX_LINES.includes(room)) return faults
  const message = `has ${file.lines} lines, more than ${MAX_LINES}`
  return [...faults, { path, line: MAX_LINES + 1, message }]
}

function judgePrinting({ path, prints }: SourceFile): Violation[] {
  if (path === PRINTER || !PRINTING_ROOMS.includes(roomOf(path))) return []
  return prints.map((line) => ({ path, line, message: `prints past ${PRINTER}` }))
}

function judgeImport(path: string, { specifier, kind }: Import): string | undefined {
  const room = roomOf(path)
  if (isBuiltin(specifier)) {
    return USED_BY_A_BROWSER.includes(room)
      ? `imports "${specifier}", but a browser uses ${room}`
      : undefined
  }
  const target = roomOfImport(path, specifier)
  if (target === undefined || target === room) return undefined
  const fault = judgeLook(room, target, kind)
  return fault && `${fault} ("${specifier}")`
}

function judgeLook(room: string, target: string, kind: Import["kind"]): string | undefined {
  if (target === OUTSIDE) return "looks outside src"
  if (!isKnown(target)) return `looks at an unknown room, ${target}`
  if (target === ENTRANCE) return "looks at index.ts, which nobody does"
  if (room === ENTRANCE) return undefined
  if (kind === "dynamic" && STARTED_BY[room]?.includes(target)) return undefined
  const difference = floorOf(target) - floorOf(room)
  if (difference > 0) return `looks upstairs at ${target}`
  if (difference === 0) return `looks sideways at ${target}`
  if (SURFACES.includes(room) && !SEEN_BY_SURFACES.includes(target)) {
    return `is a surface and looks behind the client at ${target}`
  }
  return undefined
}

/** The room that holds a file; for a file that is in none, its own name. */
export function roomOf(path: string): string {
  if (FILES_AT_THE_ROOT.includes(path)) return posix.basename(path, ".ts")
  return path.split("/", 1)[0] ?? path
}

const OUTSIDE = ".."

/** The room an import leads to; `undefined` for a package. */
export function roomOfImport(path: string, specifier: string): string | undefined {
  if (specifier.startsWith("/")) return OUTSIDE
  if (!/^\.{1,2}(\/|$)/.test(specifier)) return undefined
  return roomOf(posix.join(posix.dirname(path), specifier))
}

export function floorOf(room: string): number {
  return room === ENTRANCE ? FLOORS.length : FLOORS.findIndex((rooms) => rooms.includes(room))
}

function isKnown(room: string): boolean {
  return floorOf(room) >= 0
}

/** What a file imports, in the order of its lines: static, dynamic, re-exported, or as a type. */
export function scan(path: string, text: string): SourceFile {
  const { code, strings } = mask(text)
  const imports = IMPORTS.flatMap(({ kind, pattern }) =>
    Array.from(code.matchAll(pattern), ([, index]) => {
      const { value, line } = strings[Number(index)] ?? { value: "", line: 1 }
      return { specifier: value, line, kind }
    }),
  )
  return {
    path,
    lines: countLines(text),
    imports: imports.sort((a, b) => a.line - b.line),
    prints: printingLines(text),
  }
}

const PRINTS = /(?<![\w.#])process\s*\.\s*std(?:out|err)\b|\bconsole\s*\.\s*\w+\s*\(/g

// By the text itself, since masked code has lost its lines; a comment that says it is told as well.
function printingLines(text: string): number[] {
  return Array.from(text.matchAll(PRINTS), ({ index }) => text.slice(0, index).split("\n").length)
}

// In masked code a string is its number: `from "3"`.
const IMPORTS: readonly { kind: Import["kind"]; pattern: RegExp }[] = [
  { kind: "static", pattern: /(?<![.\w$])import\s*"(\d+)"/g },
  { kind: "dynamic", pattern: /(?<![.\w$])import\s*\(\s*"(\d+)"/g },
  {
    kind: "static",
    pattern:
      /(?<![.\w$])(?:import|export)\b\s*(?:type\b\s*)?(?:[\w$]+\s*,?\s*)?(?:\*\s*(?:as\s+[\w$]+\s*)?|\{[^{}]*\}\s*)?from\s*"(\d+)"/g,
  },
]

function countLines(text: string): number {
  const breaks = text.split("\n").length - 1
  return text === "" || text.endsWith("\n") ? breaks : breaks + 1
}

type Masked = { code: string; strings: { value: string; line: number }[] }

// The code without what only looks like code: comments, templates and regular expressions are blanked,
// and strings are replaced by their number.
function mask(text: string): Masked {
  const masked: Masked = { code: "", strings: [] }
  const holes: number[] = [] // For each template hole we are in, how many braces are open in it.
  let line = 1
  for (let at = 0; at < text.length; ) {
    const { kind, value } = read(text, at, { before: masked.code, inHole: holes.at(-1) === 0 })
    if (kind === "string") masked.strings.push({ value: value.slice(1, -1), line })
    if (kind === "string") masked.code += `"${masked.strings.length - 1}"`
    else masked.code += kind === "code" ? value : " "
    follow(holes, kind, value)
    line += value.split("\n").length - 1
    at += value.length
  }
  return masked
}

type Kind = "string" | "blank" | "template" | "code"
type Place = { readonly before: string; readonly inHole: boolean }

function read(text: string, at: number, place: Place): { kind: Kind; value: string } {
  for (const { kind, pattern, fits } of TOKENS) {
    if (fits && !fits(text.charAt(at), place)) continue
    pattern.lastIndex = at
    const value = pattern.exec(text)?.[0]
    if (value) return { kind, value }
  }
  throw new Error(`No token begins at character ${at}.`)
}

type TokenRule = { kind: Kind; pattern: RegExp; fits?: (first: string, place: Place) => boolean }

// The first that fits is taken. A quote or a slash that opens nothing (in the text of JSX) is a mark.
const TOKENS: readonly TokenRule[] = [
  { kind: "blank", pattern: /\/\/[^\n]*|\/\*[^]*?\*\//y },
  { kind: "string", pattern: /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y },
  { kind: "string", pattern: /`(?:\\[^]|\$(?!\{)|[^`\\$])*`/y },
  {
    kind: "template",
    pattern: /[`}](?:\\[^]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y,
    fits: (first, { inHole }) => first === "`" || inHole,
  },
  {
    kind: "blank",
    pattern: /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y,
    fits: (first, { before }) => first === "/" && !A_VALUE_OR_A_TAG.test(before),
  },
  { kind: "code", pattern: /[\w$]+|\s+|[^]/y },
]

// After a value a slash divides; after anything else it opens a regular expression.
const A_VALUE_OR_A_TAG = /[\w$)\]}"<](?<!\b(?:return|typeof|case|in|of|throw|else|await|yield))\s*$/

function follow(holes: number[], kind: Kind, value: string): void {
  const open = holes.at(-1)
  if (kind === "template" && value.startsWith("}")) holes.pop()
  if (kind === "template" && value.endsWith("${")) holes.push(0)
  if (kind !== "code" || open === undefined) return
  if (value === "{") holes[holes.length - 1] = open + 1
  if (value === "}") holes[holes.length - 1] = open - 1
}
