import { isDeepStrictEqual } from "node:util"
import type { Outcome } from "./points.ts"
import { wholeLines } from "./recording.ts"
import { endedTurns, faultsOf } from "./script-verdict.ts"
import { CLOSING, EXIT_BROKEN, type Line } from "./traced.ts"

export type FaultError = "ENOSPC" | "EIO"

interface Fault {
  readonly error: FaultError
  readonly call: string
}

/** What is promised when one call of the folder fails: nothing acknowledged is lost or false; whoever
 *  asked is told, with a code; after a failed sync nothing more is acknowledged and the process ends;
 *  after a full disk it goes on. */
export async function judgeFault(fault: Fault, outcome: Outcome) {
  const trace = readTrace(outcome)
  const faults = await faultsOf(outcome.data, outcome.lines)
  for (const line of outcome.lines) if (line.type === "refused") faults.push(...uncoded(line))
  if (!trace.failed) return { counts: {}, faults }
  const ending = isSync(fault)
    ? afterSync(outcome, trace)
    : await afterFailure(fault, outcome, trace)
  const where = ` (${trace.failed})`
  return {
    counts: { [ending.name]: 1 },
    faults: [...faults, ...ending.faults].map((one) => `${one}${where}`),
  }
}

interface Ending {
  /** How it is counted. */
  readonly name: string
  readonly faults: readonly string[]
}

function isSync({ call }: Fault): boolean {
  return call === "fsync" || call === "fdatasync"
}

function uncoded({ method, path, status, code }: Extract<Line, { type: "refused" }>): string[] {
  const isCoded = code !== "" && code !== "internal" && status >= 500
  return isCoded ? [] : [`${method} ${path} was refused with ${status} ${code}`]
}

/** Nothing that was synced before is lost; what was asked of the disk since may be. */
function afterSync({ code, lines }: Outcome, trace: Trace): Ending {
  if (trace.syncedAgain) return { name: "folder synced again before a word was said", faults: [] }
  if (trace.trusted)
    return { name: "trusted a later sync", faults: ["it was acknowledged after a failed sync"] }
  if (code === EXIT_BROKEN) return { name: "ended after a failed sync", faults: [] }
  if (code !== 0 && !isOpen(lines)) return { name: "did not start", faults: [] }
  const faults = [`the disk failed to sync and the process ended with ${String(code)}`]
  return { name: "went on after a failed sync", faults }
}

async function afterFailure(
  { error }: Fault,
  { code, lines, data }: Outcome,
  { after }: Trace,
): Promise<Ending> {
  if (!isOpen(lines))
    return code === 0
      ? { name: "said nothing", faults: ["it ended well and never opened"] }
      : { name: "did not start", faults: lines.length === 0 ? ["it said nothing"] : [] }
  if (code !== 0 && !(error === "EIO" && code === EXIT_BROKEN))
    return { name: "ended", faults: [`one call failed and it ended with ${String(code)}`] }
  const { unended, failed } = endedTurns(data)
  const faults = [...unfinished(lines), ...unended]
  const told = after.some(({ type }) => type === "refused") || failed > 0
  if (!told) faults.push("a call failed and nobody was told")
  return { name: "told, and went on", faults }
}

function isOpen(lines: readonly Line[]): boolean {
  return lines.some(({ type }) => type === "asked")
}

/** What was asked for and never acknowledged, though the next try would have been heard. */
function unfinished(lines: readonly Line[]): string[] {
  const open = new Set<string>()
  for (const line of lines) {
    if (line.type === "acknowledged") open.delete(`${line.method} ${line.path}`)
    if (line.type === "asked" && !isDeepStrictEqual(line, CLOSING))
      open.add(`${line.method} ${line.path}`)
  }
  return [...open].map((what) => `${what} was never acknowledged`)
}

interface Trace {
  /** The file of the folder whose call failed; other calls of the process may fail beside it. */
  readonly failed: string | undefined
  /** What the script noted after that. */
  readonly after: readonly Line[]
  /** A folder was synced after that, and before the script noted anything. */
  readonly syncedAgain: boolean
  /** Something was asked for, or synced, after that, and acknowledged: what was acknowledged before it
   *  was asked is on its way already, and true. */
  readonly trusted: boolean
}

function readTrace({ log, data, lines }: Outcome): Trace {
  const calls = [...wholeLines(log)]
  const at = calls.findIndex((line) => line.includes("(INJECTED)") && line.includes(data))
  const path = new RegExp(`${data}([^>"]*)`).exec(calls[at] ?? "")?.[1]
  if (at < 0 || path === undefined)
    return { failed: undefined, after: [], syncedAgain: false, trusted: false }
  const after = lines.slice(calls.slice(0, at).filter(isNote).length)
  const next = calls.slice(at + 1)
  const syncedAt = next.findIndex((line) => line.includes(`<${data}${path}>) = 0`))
  const notedAt = next.findIndex(isNote)
  const isFolder = !path.includes(".")
  const last = after.findLastIndex(({ type }) => type === "acknowledged")
  const asked = after.slice(0, Math.max(0, last)).some(({ type }) => type === "asked")
  return {
    failed: path === "" ? "/" : path,
    after,
    syncedAgain: isFolder && syncedAt >= 0 && (notedAt < 0 || syncedAt < notedAt),
    trusted: last >= 0 && (asked || syncedAt >= 0),
  }
}

// The script's own notes are the only calls of their kind.
function isNote(line: string): boolean {
  return /^\d+ +writev\(\d+<[^>]*ledger>/.test(line)
}
