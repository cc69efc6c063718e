import { spawn } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { temporaryFolder } from "../build.ts"
import { MAIN } from "../program.ts"

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

export interface Setting {
  readonly data: string
  readonly workspace: string
  /** The command line as a person starts it. */
  readonly run: (words: readonly string[], more?: More) => Promise<Ran>
}

export interface More {
  readonly stdin?: string | Uint8Array
  readonly environment?: Readonly<Record<string, string>>
}

/** A data folder and a workspace of their own. */
export async function setting(): Promise<Setting> {
  const folder = await temporaryFolder()
  const data = join(folder, "data")
  const workspace = join(folder, "workspace")
  await mkdir(workspace)
  return { data, workspace, run: (words, more = {}) => run({ data, workspace }, words, more) }
}

async function run(
  { data, workspace }: { data: string; workspace: string },
  words: readonly string[],
  { stdin, environment = {} }: More,
): Promise<Ran> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: workspace,
    COMPOSITOR_DATA: data,
    COMPOSITOR_MODELS_URL: "http://127.0.0.1:9/api.json",
    ...environment,
  }
  const command = [process.execPath, MAIN, ...words]
  // A pipe of a shell's, as a person has it; the one to a child of ours is a socket.
  const piped = ["-c", 'cat "$0" | exec "$@"', join(data, "..", "stdin"), ...command]
  if (stdin !== undefined) await writeFile(join(data, "..", "stdin"), stdin)
  const [program = "", ...args] = stdin === undefined ? command : ["sh", ...piped]
  const child = spawn(program, args, { cwd: workspace, env })
  let out = ""
  let error = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text))
  child.stdin.end()
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, error })))
}
