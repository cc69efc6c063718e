// The packages, their folders, and who may look where. `house.ts` reads the tree and asks here.

import { isBuiltin } from "node:module"
import { posix } from "node:path"

export type Import = {
  readonly specifier: string
  readonly line: number
  readonly kind: "static" | "dynamic"
  /** Nothing of it is left when the program runs. */
  readonly isType: boolean
}

/** A source file; its path is relative to the checkout. */
export type SourceFile = {
  readonly path: string
  readonly lines: number
  readonly imports: readonly Import[]
  /** Lines on which it writes to standard output or standard error by itself. */
  readonly prints: readonly number[]
}

export type Violation = { readonly path: string; readonly line: number; readonly message: string }

/** Every package by its folder. `folders`: each of its folders stands on a floor of its own. */
export const PACKAGES: readonly { folder: string; name: string; folders?: true }[] = [
  { folder: "packages/core", name: "core", folders: true },
  { folder: "packages/files", name: "files", folders: true },
  { folder: "packages/engine", name: "engine", folders: true },
  { folder: "packages/client", name: "client", folders: true },
  { folder: "packages/server", name: "server" },
  { folder: "apps/web", name: "web" },
  { folder: "apps/tui", name: "tui" },
  { folder: "apps/cli", name: "cli" },
  { folder: "apps/acp", name: "acp" },
  { folder: "kit/conformance", name: "conformance" },
]

/** Packages and their folders, from the ground up. A file looks only at lower floors. */
export const FLOORS: readonly (readonly string[])[] = [
  ["core/acp", "core/markdown", "core/message", "core/model", "core/triggers"],
  ["core/file", "core/wires"],
  ["core/parts"],
  ["core/catalog", "core/interop"],
  ["core/commands", "core/compose", "core/lower"],
  ["core/contract"],
  ["client", "files", "files/disk", "files/finder", "files/kinds"],
  ["client/react", "files/archives", "files/blobs"],
  ["files/workspace"],
  ["files/sandbox"],
  ["files/formats"],
  ["files/fetch"],
  ["engine/policy", "engine/streams", "engine/telemetry"],
  ["engine/loading", "engine/providers", "engine/store"],
  ["engine/completion", "engine/principals", "engine/skills", "engine/tools", "engine/uploads"],
  ["engine/agents", "engine/memory", "engine/submit"],
  ["engine/mcp", "engine/triggers", "engine/workspaces"],
  ["engine/turns"],
  ["engine/entities", "engine/reports"],
  ["engine/host", "engine/inspect"],
  ["server"],
  ["web", "tui", "cli", "acp", "conformance"],
]

const SURFACES = FLOORS.at(-1) ?? []
const SEEN_BY_SURFACES = ["core", "client"]
// What a surface may start, by a dynamic import.
const STARTED_BY: Readonly<Record<string, readonly string[]>> = {
  cli: ["server", "engine", "files", "acp", "tui", "conformance"],
}
const USED_BY_A_BROWSER = ["core", "client", "web"]

// What they print may have been written by strangers, and reaches a terminal through one file.
const PRINTING = ["cli", "tui", "acp"]
const PRINTER = "apps/cli/print.ts"

const MAX_LINES = 350
const WITHOUT_MAX_LINES = ["web"]

/** Every way in which the files break the rules. */
export function judge(files: readonly SourceFile[]): Violation[] {
  return [...files.flatMap(judgeFile), ...valueCycles(files)]
}

function judgeFile(file: SourceFile): Violation[] {
  const { path } = file
  const room = roomOf(path)
  if (!isKnown(room)) return [{ path, line: 1, message: `is in an unknown folder, ${room}` }]
  const looks = file.imports.flatMap((imported) => {
    const message = judgeImport(path, imported)
    return message ? [{ path, line: imported.line, message }] : []
  })
  const faults = [...looks, ...judgePrinting(file)]
  if (file.lines <= MAX_LINES || WITHOUT_MAX_LINES.includes(room)) return faults
  const message = `has ${file.lines} lines, more than ${MAX_LINES}`
  return [...faults, { path, line: MAX_LINES + 1, message }]
}

function judgePrinting({ path, prints }: SourceFile): Violation[] {
  if (path === PRINTER || !PRINTING.includes(roomOf(path))) return []
  return prints.map((line) => ({ path, line, message: `prints past ${PRINTER}` }))
}

function judgeImport(path: string, { specifier, kind }: Import): string | undefined {
  const room = roomOf(path)
  if (isBuiltin(specifier)) {
    return USED_BY_A_BROWSER.includes(packageOf(room))
      ? `imports "${specifier}", but a browser uses ${packageOf(room)}`
      : undefined
  }
  const target = roomOfImport(path, specifier)
  if (target === undefined || target === room) return undefined
  const fault = judgeDoor(room, target, specifier) ?? judgeLook(room, target, kind)
  return fault && `${fault} ("${specifier}")`
}

// Node itself lets nobody in past the `exports` of a package that is called by its name.
function judgeDoor(room: string, target: string, specifier: string): string | undefined {
  if (target === OUTSIDE) return "looks outside the packages"
  const isOther = isKnown(target) && packageOf(room) !== packageOf(target)
  return isOther && specifier.startsWith(".")
    ? `looks into ${packageOf(target)} past its front door`
    : undefined
}

function judgeLook(room: string, target: string, kind: Import["kind"]): string | undefined {
  if (!isKnown(target)) return `looks at an unknown folder, ${target}`
  const [own, other] = [packageOf(room), packageOf(target)]
  if (kind === "dynamic" && STARTED_BY[own]?.includes(other)) return undefined
  const difference = floorOf(target) - floorOf(room)
  if (difference > 0) return `looks upstairs at ${target}`
  if (difference === 0) return `looks sideways at ${target}`
  if (SURFACES.includes(room) && !SEEN_BY_SURFACES.includes(other)) {
    return `is a surface and looks behind the client at ${target}`
  }
  return undefined
}

/** Where a file stands: its package, or the folder of its package that has a floor of its own. */
export function roomOf(path: string): string {
  const home = PACKAGES.find(({ folder }) => path.startsWith(`${folder}/`))
  if (!home) return OUTSIDE
  const [first, ...below] = path.slice(home.folder.length + 1).split("/")
  return home.folders && below.length > 0 ? `${home.name}/${first}` : home.name
}

function packageOf(room: string): string {
  return room.split("/", 1)[0] ?? room
}

const OUTSIDE = ".."

/** Where an import leads to; `undefined` for a package of others. */
export function roomOfImport(path: string, specifier: string): string | undefined {
  const target = targetOf(path, specifier)
  return target === undefined ? undefined : roomOf(target)
}

/** The path that an import names, without its extension where it is named by a package. */
function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith("/")) return specifier
  if (/^\.{1,2}(\/|$)/.test(specifier)) return posix.join(posix.dirname(path), specifier)
  const [name = "", ...rest] = specifier.split("/")
  const home = PACKAGES.find((one) => name === `compositor-${one.name}`)
  return home && [home.folder, ...rest, ...(rest.length === 0 ? ["index"] : [])].join("/")
}

export function floorOf(room: string): number {
  return FLOORS.findIndex((rooms) => rooms.includes(room))
}

function isKnown(room: string): boolean {
  return floorOf(room) >= 0
}

// Cycles

/** Files that need each other to run, each circle told once, at its first file. */
function valueCycles(files: readonly SourceFile[]): Violation[] {
  const graph = new Map(files.map((file) => [withoutExtension(file.path), valueTargets(file)]))
  const paths = new Map(files.map(({ path }) => [withoutExtension(path), path]))
  return circlesIn(graph).map((circle) => {
    const [first = "", ...others] = circle.toSorted()
    const path = paths.get(first) ?? first
    return { path, line: 1, message: `needs itself to run, by way of ${others.join(", ")}` }
  })
}

function valueTargets({ path, imports }: SourceFile): string[] {
  return imports
    .filter(({ kind, isType }) => kind === "static" && !isType)
    .flatMap(({ specifier }) => targetOf(path, specifier) ?? [])
    .map(withoutExtension)
}

function withoutExtension(path: string): string {
  return path.replace(/\.tsx?$/, "")
}

/** Tarjan's strongly connected components with more than one member. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (node: string): number => {
    const index = order.size
    order.set(node, index)
    open.push(node)
    let low = index
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? low)
    }
    if (low === index) close(node)
    return low
  }
  const close = (node: string) => {
    const members = open.splice(open.indexOf(node))
    if (members.length > 1) circles.push(members)
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return circles
}

// Reading

/** What a file imports, in the order of its lines: static, dynamic, re-exported, or as a type. */
export function scan(path: string, text: string): SourceFile {
  const { code, strings } = mask(text)
  const imports = IMPORTS.flatMap(({ kind, pattern }) =>
    Array.from(code.matchAll(pattern), ([statement, index]) => {
      const { value, line } = strings[Number(index)] ?? { value: "", line: 1 }
      return { specifier: value, line, kind, isType: isTypeOnly(statement) }
    }),
  )
  return {
    path,
    lines: countLines(text),
    imports: imports.sort((a, b) => a.line - b.line),
    prints: printingLines(text),
  }
}

// `import type …`, and a list of which every name is a type.
function isTypeOnly(statement: string): boolean {
  if (/^(?:import|export)\s+type\b/.test(statement)) return true
  const names = /^(?:import|export)\s*\{([^{}]*)\}/.exec(statement)?.[1]
  if (names === undefined) return false
  const each = names.split(",").filter((name) => name.trim() !== "")
  return each.length > 0 && each.every((name) => /^\s*type\s/.test(name))
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
export function mask(text: string): Masked {
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
