import type { ChildProcess } from "node:child_process"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { ReaderAnswer, type Job } from "./converted.ts"
import { startContained } from "../sandbox/contained.ts"
import { type MemoryWatch, watchMemory } from "../sandbox/memory-watch.ts"
import { findProgram } from "../sandbox/sandbox.ts"

interface ReaderResult {
  readonly answer: ReaderAnswer
  /** The most memory that the child had resident, where it lived to tell or we saw it. */
  readonly peak_rss: number
}

const Told = z.object({ answer: ReaderAnswer, peak_rss: z.number() })

const WATCH_MS = 20
/** What V8 maps before it has read a line; the kernel's limit must leave room for that. */
const RUNTIME_BYTES = 640 * 1024 * 1024
/** JSON at its worst writes a byte as six. */
const ANSWER_FACTOR = 6
const ANSWER_MARGIN = 1024 * 1024

/** Read a file in a child that may take so much memory and time and may write to its scratch only. */
export async function runReader(job: Job, signal?: AbortSignal): Promise<ReaderResult> {
  if (signal?.aborted) return { answer: refusal("The conversion was stopped."), peak_rss: 0 }
  const [program = "", ...args] = await fenceReader(job, CHILD)
  const child = startContained(program, args, {
    stdio: ["pipe", "ignore", "pipe", "pipe"],
    environment: { LANG: "C.UTF-8", PATH: "/usr/bin:/bin", VIPS_CONCURRENCY: "1" },
    cwd: job.scratch,
  })
  return attend(child, job, signal)
}

const CHILD = fileURLToPath(new URL(`./child${extname(import.meta.url)}`, import.meta.url))

/** The command that runs a script as our readers run. */
export async function fenceReader(job: Job, script: string): Promise<string[]> {
  return [...(await fenceAround(job)), ...(await withLimits(job)), ...command(job), script]
}

async function withLimits({ limits }: Job): Promise<string[]> {
  const program = await findProgram("prlimit")
  return program ? [program, `--data=${limits.memory_bytes + RUNTIME_BYTES}`, "--core=0"] : []
}

let fence: Promise<Fence> | undefined

/** What stands around a reader, for the scratch that it may fill. */
type Fence = (scratch: string) => string[]

/** The best fence that the system lets us put up: asked once. */
async function fenceAround({ scratch }: Job): Promise<string[]> {
  fence ??= findFence()
  return (await fence)(scratch)
}

async function findFence(): Promise<Fence> {
  const bubblewrap = await findProgram("bwrap")
  const unshare = await findProgram("unshare")
  if (bubblewrap !== undefined && (await stands(behindWalls(bubblewrap)("/tmp"))))
    return behindWalls(bubblewrap)
  if (unshare !== undefined && (await stands(withoutNetwork(unshare)))) {
    const words = withoutNetwork(unshare)
    return () => words
  }
  return () => []
}

/** No network, and no process but its own: what ours were started with cannot be read from theirs. */
function behindWalls(bubblewrap: string): Fence {
  const alone = "--unshare-all --die-with-parent --new-session --cap-drop ALL".split(" ")
  const machine = "--ro-bind / / --dev /dev --remount-ro /dev --proc /proc".split(" ")
  return (scratch) => [bubblewrap, ...alone, ...machine, "--bind", scratch, scratch, "--"]
}

function withoutNetwork(unshare: string): string[] {
  return [unshare, "--user", "--map-current-user", "--net", "--"]
}

async function stands([program = "", ...words]: readonly string[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const environment = { PATH: "/usr/bin:/bin" }
  const trial = startContained(program, [...words, "true"], {
    stdio: ["ignore", "ignore", "ignore"],
    environment,
  })
  trial.on("error", () => resolve(false))
  trial.on("close", (code) => resolve(code === 0))
  return promise
}

// The file that is read may lie anywhere, and so may the packages: reading is open. Writing, other
// processes and the environment are not.
function command({ scratch, limits }: Job): string[] {
  return [
    process.execPath,
    `--max-old-space-size=${Math.floor(limits.memory_bytes / 2 / 1024 / 1024)}`,
    "--permission",
    "--allow-fs-read=*",
    `--allow-fs-write=${scratch}`,
    "--allow-addons",
    "--disable-warning=PERM0001",
    "--disable-warning=ExperimentalWarning",
  ]
}

function attend(
  child: ChildProcess,
  job: Job,
  signal: AbortSignal | undefined,
): Promise<ReaderResult> {
  const { name } = job.file
  const { promise, resolve } = Promise.withResolvers<ReaderResult>()
  const said: Buffer[] = []
  const most = job.limits.text_bytes * ANSWER_FACTOR + ANSWER_MARGIN
  let length = 0
  let complaint = ""
  let stopped: string | undefined
  const stop = (reason: string) => {
    stopped ??= reason
    child.kill("SIGKILL")
  }
  const timer = setTimeout(
    () => stop(`Reading ${name} took longer than ${job.limits.milliseconds} ms.`),
    job.limits.milliseconds,
  )
  const watch: MemoryWatch = watchMemory(child.pid, {
    bytes: job.limits.memory_bytes,
    every_ms: WATCH_MS,
    exceeded: () => stop(tooMuchMemory(job)),
  })
  const abort = () => stop("The conversion was stopped.")
  signal?.addEventListener("abort", abort, { once: true })
  child.stdio[3]?.on("data", (chunk: Buffer) => {
    said.push(chunk)
    length += chunk.length
    if (length > most) stop(`What was read of ${name} is more than was allowed.`)
  })
  child.stderr?.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(-4096)
  })
  // It may be gone before it has listened.
  child.stdin?.on("error", () => undefined)
  child.on("error", (error) => stop(`${name} was not read: ${error.message}`))
  child.on("close", () => {
    clearTimeout(timer)
    watch.end()
    const peak_rss = watch.peak()
    signal?.removeEventListener("abort", abort)
    if (stopped !== undefined) return resolve({ answer: refusal(stopped), peak_rss })
    resolve(heard(Buffer.concat(said), { job, complaint, peak_rss }))
  })
  child.stdin?.end(JSON.stringify(job))
  return promise
}

function heard(
  bytes: Buffer,
  { job, complaint, peak_rss }: { job: Job; complaint: string; peak_rss: number },
): ReaderResult {
  if (bytes.length > 0) return Told.parse(JSON.parse(bytes.toString("utf8")))
  const outOfMemory = /out of memory|memory allocation|bad_alloc/i.test(complaint)
  const reason = outOfMemory
    ? tooMuchMemory(job)
    : `Reading ${job.file.name} failed: ${last(complaint)}`
  return { answer: refusal(reason), peak_rss }
}

function last(complaint: string): string {
  const lines = complaint.split("\n").filter((line) => /error/i.test(line))
  return lines.at(-1)?.trim().slice(0, 300) ?? "its reader ended without an answer"
}

function tooMuchMemory({ file, limits }: Job): string {
  return `Reading ${file.name} needs more than ${Math.floor(limits.memory_bytes / 1024 / 1024)} MB of memory.`
}

function refusal(reason: string): ReaderAnswer {
  return { type: "refused", reason }
}
