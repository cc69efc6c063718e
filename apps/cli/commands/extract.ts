import { UsageError } from "../complain.ts"
import { showSize, table } from "../show.ts"
import { endProgress, printJson, printLine, tellLine, tellProgress } from "../print.ts"

interface ExtractCommandOptions {
  readonly to?: string
  readonly limit?: string
  readonly maxBytes?: string
  readonly maxFiles?: string
  readonly list?: boolean
  readonly json?: boolean
}

const REFUSED = 1
const UNSUPPORTED = 3

/** Extract an archive into a new or empty folder, or show what it holds. */
export async function extractCommand(path: string, options: ExtractCommandOptions) {
  const { MOST_OF_AN_ARCHIVE } = await import("compositor-files/archives/limits")
  const limits = limitsOf(options, MOST_OF_AN_ARCHIVE)
  const result = options.list
    ? await list(path, limits)
    : await extract(path, destinationOf(options), limits)
  if (options.json) printJson(result)
  else show(result)
  if (result.type === "refused") process.exitCode = REFUSED
  if (result.type === "unsupported") process.exitCode = UNSUPPORTED
}

const SIZE = /^(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?$/i
const UNITS = ["", "K", "M", "G", "T"]

interface Most {
  readonly bytes: number
  readonly files: number
}

function bytesOf(option: string, limit: string, most: Most): number {
  const [, number, unit = ""] = SIZE.exec(limit) ?? []
  if (number === undefined) throw new UsageError(`${option}: ${limit} is not a number of bytes`)
  const bytes = Math.floor(Number(number) * 1024 ** UNITS.indexOf(unit.toUpperCase()))
  if (bytes <= most.bytes) return bytes
  throw new UsageError(`${option}: ${limit} is more than ${most.bytes} bytes`)
}

function filesOf(limit: string, most: Most): number {
  const files = /^\d+$/.test(limit) ? Number(limit) : Number.NaN
  if (files >= 1 && files <= most.files) return files
  throw new UsageError(`--max-files: ${limit} is not a number from 1 to ${most.files}`)
}

const LEAST_MS = 9_000
/** Who allows more allows the time that it takes on a slow disk. */
const BYTES_PER_MS = 10_000
const MS_PER_FILE = 2

function limitsOf({ limit, maxBytes, maxFiles }: ExtractCommandOptions, most: Most): Limits {
  const [option, given] = maxBytes === undefined ? ["--limit", limit] : ["--max-bytes", maxBytes]
  const bytes = given === undefined ? undefined : bytesOf(option, given, most)
  const files = maxFiles === undefined ? undefined : filesOf(maxFiles, most)
  const needed = (bytes ?? 0) / BYTES_PER_MS + (files ?? 0) * MS_PER_FILE
  return {
    ...(bytes === undefined ? {} : { bytes }),
    ...(files === undefined ? {} : { files }),
    milliseconds: Math.max(LEAST_MS, Math.ceil(needed)),
  }
}

function destinationOf({ to }: ExtractCommandOptions): string {
  if (to) return to
  throw new UsageError("--to says where to extract; --list shows what is inside")
}

interface Limits {
  readonly bytes?: number
  readonly files?: number
  readonly milliseconds: number
}

async function list(path: string, limits: Limits) {
  const { listArchive } = await import("compositor-files/archives/archive")
  return listArchive({ path }, limits)
}

async function extract(path: string, to: string, limits: Limits) {
  const { extractArchive } = await import("compositor-files/archives/archive")
  const leaving = new AbortController()
  // Who interrupts leaves no half of a folder behind.
  const leave = () => leaving.abort(new Error("interrupted; nothing was extracted"))
  process.once("SIGINT", leave)
  try {
    return await extractArchive({ path }, { to, limits, signal: leaving.signal, progress })
  } finally {
    process.off("SIGINT", leave)
    endProgress()
  }
}

function progress(files: number, bytes: number) {
  tellProgress(`${files} files, ${showSize(bytes)}`)
}

type Result = Awaited<ReturnType<typeof list>> | Awaited<ReturnType<typeof extract>>

function show(result: Result) {
  switch (result.type) {
    case "listed":
      return showList(result)
    case "extracted":
      for (const note of result.notes) tellLine(note)
      return printLine(`${result.files} files, ${showSize(result.bytes)}`)
    case "refused":
      tellLine(`compositor: ${result.reason}`)
      return
    case "unsupported":
      tellLine(`compositor: the format (${result.format}) is not one that is read`)
  }
}

function showList({ entries, more }: Result & { readonly type: "listed" }) {
  const rows = entries.map(({ name, type, size }) => [
    size === undefined ? "?" : String(size),
    type,
    name,
  ])
  printLine(table(rows))
  if (more) printLine("… and more")
}
