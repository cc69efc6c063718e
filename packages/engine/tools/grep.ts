import { z } from "zod"
import { decodeText } from "compositor-files/kinds/sniff"
import { readWorkspaceFile } from "compositor-files/workspace/workspace"
import { type Hiding, matching } from "./glob.ts"
import { LineScanner } from "./line-scanner.ts"
import { type LineMatch, SHOWN_CHARACTERS } from "./match-lines.ts"
import { cutList, textOutput } from "./output.ts"
import { type ToolPath, resolveToolPath, plainPath } from "./place.ts"
import { defineTool, type Tool, ToolError, type ToolOutput, type ToolRuntime } from "./tool.ts"

const SHOWN_MATCHES = 200
const MAX_MATCHES = 5000
const MAX_FILES = 100_000
const MAX_FILE_BYTES = 4 * 1024 * 1024
const MAX_TOTAL_BYTES = 512 * 1024 * 1024
const BATCH_BYTES = 1024 * 1024
const SEARCH_MS = 30_000

const Input = z.strictObject({
  pattern: z.string().min(1).max(1000).describe("A regular expression (JavaScript's)."),
  path: z.string().min(1).max(4096).optional().describe("A file or folder: all, if left out."),
  glob: z.string().min(1).max(1000).optional().describe("Only files that match, e.g. *.{ts,tsx}."),
  ignore_case: z.boolean().optional(),
})
type Input = z.output<typeof Input>

/** Lines that match, by a scanner of our own: what is hidden is not searched, and no pattern can hold
 *  the host. */
export function grepTool(hiding: Hiding): Tool {
  return defineTool({
    id: "grep",
    aliases: [],
    description: "Find lines that match a regular expression. What is ignored is not searched.",
    input: Input,
    requires: ["fs.read"],
    read_only: true,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ path = "." }) => plainPath(path),
    execute: (input, runtime) => search(input, { runtime, hiding }),
  })
}

interface Rooms {
  readonly runtime: ToolRuntime
  readonly hiding: Hiding
}

interface Found {
  readonly path: string
  readonly line: number
  readonly text: string
}

async function search(input: Input, rooms: Rooms): Promise<ToolOutput> {
  const { runtime } = rooms
  const scanner = LineScanner.open(input.pattern, { ignoreCase: input.ignore_case ?? false })
  if (typeof scanner === "string")
    throw new ToolError(`${input.pattern} is no regular expression: ${scanner}.`)
  const stop = AbortSignal.any([runtime.signal, AbortSignal.timeout(SEARCH_MS)])
  const found: Found[] = []
  const searched = { files: 0, bytes: 0, skipped: 0 }
  try {
    for await (const batch of batches(input, rooms, searched)) {
      const matches = await scanner.scan(batch, { most: MAX_MATCHES - found.length, signal: stop })
      found.push(...(await cleaned(batch, matches, runtime)))
      if (found.length >= MAX_MATCHES || stop.aborted) break
    }
  } catch (error) {
    runtime.signal.throwIfAborted()
    throw error
  } finally {
    await scanner.close()
  }
  runtime.signal.throwIfAborted()
  const line = ({ path, line, text }: Found) => `${path}:${line}:${text}`
  const cut = await cutList(found, SHOWN_MATCHES, { runtime, line })
  const notes = [
    ...(searched.skipped > 0
      ? [`${searched.skipped} large or binary files were not searched`]
      : []),
    ...(stop.aborted ? [`stopped after ${SEARCH_MS} ms`] : []),
  ]
  const about = { found: found.length, files: searched.files }
  const data = { ...about, ...(notes.length > 0 ? { notes } : {}) }
  return { data, ...textOutput(cut.items.map(line).join("\n")), ...cut.about }
}

interface TextFile {
  readonly path: string
  readonly realPath: string
  readonly text: string
}

interface Searched {
  files: number
  bytes: number
  skipped: number
}

/** The texts to search, some at a time. */
async function* batches(
  input: Input,
  rooms: Rooms,
  searched: Searched,
): AsyncGenerator<readonly TextFile[]> {
  let batch: TextFile[] = []
  let size = 0
  for await (const path of filesOf(input, rooms)) {
    if (searched.files >= MAX_FILES || searched.bytes >= MAX_TOTAL_BYTES) break
    const file = await textOf(path, rooms.runtime)
    if (file === undefined) {
      searched.skipped += 1
      continue
    }
    searched.files += 1
    searched.bytes += file.text.length
    size += file.text.length
    batch.push(file)
    if (size < BATCH_BYTES) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

async function* filesOf({ path = ".", glob }: Input, rooms: Rooms): AsyncGenerator<string> {
  const { runtime, hiding } = rooms
  const place = await resolveToolPath(path, runtime)
  if (await isFile(place)) yield path
  else yield* matching({ place, pattern: glob, hiding }, runtime)
}

async function isFile(place: ToolPath): Promise<boolean> {
  const range = { start: 0, end: 0, unit: "byte" } as const
  const read = await readWorkspaceFile(place.root, place.path, { range, maxBytes: 0 })
  if (read.type !== "refused") return true
  if (read.outcome === "denied") throw new ToolError(`${read.reason}.`)
  if (read.reason.endsWith("is a directory")) return false
  throw new ToolError(`${read.reason}.`)
}

async function textOf(path: string, runtime: ToolRuntime): Promise<TextFile | undefined> {
  const place = await resolveToolPath(path, runtime)
  const read = await readWorkspaceFile(place.root, place.path, { maxBytes: MAX_FILE_BYTES })
  if (read.type !== "content" || read.bytes.subarray(0, 8192).includes(0)) return undefined
  const verdict = await runtime.ingress({ origin: "ref", path: read.realPath })
  if (verdict.verdict === "deny") return undefined
  const text = decodeText(read.bytes)
  return text === undefined ? undefined : { path, realPath: read.realPath, text }
}

/** The lines of each file, without the secrets that all of the file holds: a line of a key is no key
 *  by itself (BEY-04). */
async function cleaned(
  batch: readonly TextFile[],
  matches: readonly LineMatch[],
  runtime: ToolRuntime,
): Promise<Found[]> {
  const found: Found[] = []
  for (const [at, lines] of Map.groupBy(matches, ({ file }) => file)) {
    const file = batch[at]
    if (file) found.push(...(await linesOf(file, lines, runtime)))
  }
  return found
}

async function linesOf(
  { path, realPath, text }: TextFile,
  matches: readonly LineMatch[],
  runtime: ToolRuntime,
): Promise<Found[]> {
  const verdict = await runtime.ingress({ origin: "ref", path: realPath, text })
  if (verdict.verdict === "deny") return []
  if (verdict.verdict === "allow") return matches.map(({ line, text }) => ({ path, line, text }))
  const [before, clean] = [text.split("\n"), verdict.text.split("\n")]
  return matches.map(({ line, text }) => {
    const kept = clean[line - 1] ?? ""
    const isSame = kept === before[line - 1]
    // Of a secret that goes over several lines only the first says what it was.
    const shown = isSame ? text : kept.trim() === "" ? REMOVED : kept.slice(0, SHOWN_CHARACTERS)
    return { path, line, text: shown }
  })
}

const REMOVED = "[redacted]"
