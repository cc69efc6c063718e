import { access, constants } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { PassThrough, pipeline, Readable } from "node:stream"
import { startContained } from "./contained.ts"
import { watchMemory } from "./memory-watch.ts"
import type { ScratchQuota } from "../workspace/scratch.ts"
import type { Returned } from "../workspace/scratch-return.ts"
import { emptyWalls } from "./walls.ts"

export interface SandboxedRun {
  /** What `sh -c` runs. */
  readonly command: string
  /** The only folder of the user's that it sees, at its own path and read-only; null where there is
   *  none. */
  readonly workspace: string | null
  /** Words for bubblewrap that change what it sees of the workspace (`runInWorkspace`). */
  readonly mounts?: readonly string[]
  /** A folder of ours that it may fill, at its own path, as far as the quota goes. What it leaves
   *  there is brought back when it is done. */
  readonly scratch?: { readonly path: string; readonly quota: ScratchQuota }
  readonly timeout_ms?: number
  readonly max_output_bytes?: number
  readonly signal?: AbortSignal
}

export type SandboxResult =
  | {
      readonly type: "output"
      readonly code: number
      readonly text: string
      readonly truncated: boolean
      /** What of scratch could not be kept, and why. */
      readonly notes: readonly string[]
    }
  | { readonly type: "unavailable"; readonly reason: string }
  | { readonly type: "stopped"; readonly reason: string }

const TIMEOUT_MS = 10_000
const MAX_OUTPUT_BYTES = 200 * 1024
const TEMPORARY_BYTES = 16 * 1024 * 1024
/** For one process, and for all of them together. */
const MEMORY_BYTES = 1024 * 1024 * 1024
const ALL_MEMORY_BYTES = 2 * MEMORY_BYTES
const WATCH_MS = 50

/** Run a shell command where it can hurt nobody: no network, nothing of the user's but the workspace,
 *  and limits on time, memory, output and what it writes. Without bubblewrap there is no sandbox, and
 *  then nothing is run. */
export async function runSandboxed(run: SandboxedRun): Promise<SandboxResult> {
  const bubblewrap = await findProgram("bwrap")
  if (bubblewrap === undefined)
    return {
      type: "unavailable",
      reason: "bubblewrap is not installed, so no shell command is run",
    }
  if (run.signal?.aborted) return { type: "stopped", reason: "it was stopped" }
  return collect(bubblewrap, run)
}

/** Why no shell command can be run here; undefined when one can. */
export async function sandboxFault(): Promise<string | undefined> {
  const trial = await runSandboxed({ command: "true", workspace: null })
  if (trial.type !== "output") return trial.reason
  return trial.code === 0 ? undefined : trial.text.trim()
}

/** Where PATH leads for a program. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const file = join(folder, name)
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (folder !== "" && found) return file
  }
  return undefined
}

function walls(run: SandboxedRun): string[] {
  const { workspace, mounts = [], scratch } = run
  const seen = workspace === null ? [] : ["--ro-bind", workspace, workspace, ...mounts]
  // The root is in memory and has no limit of its own.
  const rest = ["--remount-ro", "/", "--chdir", workspace ?? scratch?.path ?? "/tmp"]
  const quiet = ["--setenv", "GIT_OPTIONAL_LOCKS", "0"]
  const before = [...emptyWalls(TEMPORARY_BYTES), ...quiet, ...seen, ...scratchPlace(run)]
  return [...before, ...rest, ...shell(run)]
}

const BEFORE = "/run/scratch"

/** A file system of the quota's size lies over the folder: nothing that fills it fills the disk. */
function scratchPlace({ scratch }: SandboxedRun): string[] {
  if (!scratch) return []
  const { path, quota } = scratch
  const aside = ["--size", "65536", "--tmpfs", "/run", "--ro-bind", path, BEFORE]
  const sized = ["--size", String(quota.bytes), "--tmpfs", path]
  return [...aside, ...sized, "--setenv", "SCRATCH", path, "--setenv", "TMPDIR", path]
}

function shell({ command, scratch }: SandboxedRun): string[] {
  const limited = ["prlimit", `--as=${MEMORY_BYTES}`, "--nproc=256", "sh", "-c"]
  return scratch ? [...limited, WITH_SCRATCH, "sh", scratch.path, command] : [...limited, command]
}

// Bring the folder in, run the command, and send the folder back if anything in it has changed. The
// clock of a file system goes in steps, of any length on a busy machine: the next one is waited for.
const WITH_SCRATCH = [
  `cp -R --preserve=mode,timestamps ${BEFORE}/. "$1"/; : > /run/mark`,
  'until : > /run/now; [ -n "$(find /run/now -cnewer /run/mark)" ]; do sleep 0.005; done',
  'sh -c "$2" 3>&-; code=$?',
  'if [ -n "$(find "$1" -cnewer /run/mark -print -quit)" ]',
  'then tar --hard-dereference -C "$1" -cf - . >&3 2>/dev/null; fi; exit $code',
].join("\n")

async function collect(bubblewrap: string, run: SandboxedRun): Promise<SandboxResult> {
  const { timeout_ms = TIMEOUT_MS, max_output_bytes = MAX_OUTPUT_BYTES } = run
  const child = startContained(bubblewrap, walls(run), {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  })
  // What nobody has begun to read when a child ends is thrown away, so it is taken here at once.
  const back = new PassThrough()
  const sent = child.stdio[3]
  if (!(sent instanceof Readable)) throw new Error("a shell without a way back was started")
  pipeline(sent, back, () => undefined)
  const returned = whatIsLeft(run, back)
  const { promise, resolve } = Promise.withResolvers<SandboxResult>()
  const chunks: Buffer[] = []
  let size = 0
  const take = (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size > max_output_bytes) child.kill("SIGKILL")
  }
  const stop = (reason: string) => {
    resolve({ type: "stopped", reason })
    child.kill("SIGKILL")
  }
  const timer = setTimeout(() => stop(`it ran longer than ${timeout_ms} ms`), timeout_ms)
  const watch = watchMemory(child.pid, {
    bytes: ALL_MEMORY_BYTES,
    every_ms: WATCH_MS,
    exceeded: () =>
      stop(`its processes took more than ${ALL_MEMORY_BYTES} bytes of memory together`),
  })
  const abort = () => stop("it was stopped")
  run.signal?.addEventListener("abort", abort, { once: true })
  child.stdout?.on("data", take)
  child.stderr?.on("data", take)
  child.on("error", (error) => resolve({ type: "unavailable", reason: error.message }))
  child.on("close", (code) => {
    const text = Buffer.concat(chunks).subarray(0, max_output_bytes).toString("utf8")
    // It speaks for itself only when it could not put up the walls; then nothing was run.
    if (code === 1 && text.startsWith("bwrap: "))
      return resolve({ type: "unavailable", reason: text.trim() })
    const truncated = size > max_output_bytes
    resolve({ type: "output", code: code ?? -1, text, truncated, notes: [] })
  })
  const result = await promise
  clearTimeout(timer)
  watch.end()
  run.signal?.removeEventListener("abort", abort)
  return withNotes(result, await returned)
}

function withNotes(result: SandboxResult, returned: Returned): SandboxResult {
  if (result.type !== "output") return result
  const notes = returned.type === "kept" ? returned.notes : [`${returned.reason}: nothing was kept`]
  return { ...result, notes }
}

async function whatIsLeft({ scratch }: SandboxedRun, back: Readable): Promise<Returned> {
  if (scratch) return (await import("../workspace/scratch-return.ts")).takeBack(scratch, back)
  back.resume()
  return { type: "kept", notes: [] }
}
