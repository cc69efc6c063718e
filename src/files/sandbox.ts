import { spawn } from "node:child_process"
import { access, constants } from "node:fs/promises"
import { delimiter, join } from "node:path"

export interface SandboxedRun {
  /** What `sh -c` runs. */
  readonly command: string
  /** The only folder of the user's that it sees, read-only. */
  readonly workspace: string
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
    }
  | { readonly type: "unavailable"; readonly reason: string }
  | { readonly type: "stopped"; readonly reason: string }

const TIMEOUT_MS = 10_000
const MAX_OUTPUT_BYTES = 200 * 1024
const SCRATCH_BYTES = 16 * 1024 * 1024
const MEMORY_BYTES = 1024 * 1024 * 1024
const SYSTEM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32"]
const SYSTEM_FILES = ["/etc/alternatives", "/etc/ld.so.cache", "/etc/passwd", "/etc/group"]

/** Run a shell command where it can hurt nobody: no network, nothing of the user's but the workspace
 *  and that read-only, a small scratch that goes with it, and limits on time, memory and output.
 *  Without bubblewrap there is no sandbox, and then nothing is run. */
export async function runSandboxed(run: SandboxedRun): Promise<SandboxResult> {
  const bubblewrap = await findProgram("bwrap")
  if (bubblewrap === undefined)
    return {
      type: "unavailable",
      reason: "bubblewrap is not installed, so no shell command is run",
    }
  return collect(bubblewrap, run)
}

async function findProgram(name: string): Promise<string | undefined> {
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

function walls({ workspace, command }: SandboxedRun): string[] {
  const readable = [...SYSTEM_FOLDERS, ...SYSTEM_FILES].flatMap((path) => [
    "--ro-bind-try",
    path,
    path,
  ])
  const words = [
    "--unshare-all --die-with-parent --new-session --clearenv --proc /proc --dev /dev",
    `--size ${SCRATCH_BYTES} --tmpfs /tmp`,
    "--setenv PATH /usr/local/bin:/usr/bin:/bin --setenv HOME /tmp",
    "--setenv LANG C.UTF-8 --setenv GIT_OPTIONAL_LOCKS 0",
  ]
  const shell = ["prlimit", `--as=${MEMORY_BYTES}`, "--nproc=256", "sh", "-c", command]
  const place = ["--ro-bind", workspace, workspace, "--chdir", workspace]
  return [...readable, ...words.join(" ").split(" "), ...place, ...shell]
}

function collect(bubblewrap: string, run: SandboxedRun): Promise<SandboxResult> {
  const { timeout_ms = TIMEOUT_MS, max_output_bytes = MAX_OUTPUT_BYTES } = run
  const child = spawn(bubblewrap, walls(run), { stdio: ["ignore", "pipe", "pipe"] })
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
  const abort = () => stop("it was stopped")
  run.signal?.addEventListener("abort", abort, { once: true })
  child.stdout.on("data", take)
  child.stderr.on("data", take)
  child.on("error", (error) => resolve({ type: "unavailable", reason: error.message }))
  child.on("close", (code) => {
    clearTimeout(timer)
    run.signal?.removeEventListener("abort", abort)
    const text = Buffer.concat(chunks).subarray(0, max_output_bytes).toString("utf8")
    // It speaks for itself only when it could not put up the walls; then nothing was run.
    if (code === 1 && text.startsWith("bwrap: "))
      return resolve({ type: "unavailable", reason: text.trim() })
    resolve({ type: "output", code: code ?? -1, text, truncated: size > max_output_bytes })
  })
  return promise
}
