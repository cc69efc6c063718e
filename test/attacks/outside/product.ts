// The product as strangers meet it: a program that is started, an address that answers. Nothing here
// imports it, so COMPOSITOR_UNDER_TEST=<checkout> points every test beside this folder at another build.

import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { onTestFinished } from "vitest"
import { MAIN } from "../../program.ts"

const OTHER = process.env["COMPOSITOR_UNDER_TEST"]

/** The checkout whose program is started. */
export const CHECKOUT = resolve(OTHER ?? join(import.meta.dirname, "..", "..", ".."))

/** The words that start the command line of the checkout. */
export function commandLine(words: readonly string[]): [string, ...string[]] {
  // The launcher of another checkout knows where its program is, and whether it is built.
  if (OTHER !== undefined) return [join(CHECKOUT, "bin", "compositor"), ...words]
  return [process.execPath, MAIN, ...words]
}

/** Folders of a test's own: a home, a data folder that is not made yet, and a workspace. */
export interface Folders {
  readonly root: string
  readonly home: string
  readonly data: string
  readonly workspace: string
}

/** Files by their path below the root: `workspace/a.ts`, `home/.agents/…`. */
export type Files = Readonly<Record<string, string | Uint8Array>>

export async function makeFolders(files: Files = {}): Promise<Folders> {
  const root = await mkdtemp(join(tmpdir(), "compositor-outside-"))
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 3 }))
  const folders = {
    root,
    home: join(root, "home"),
    data: join(root, "data"),
    workspace: join(root, "workspace"),
  }
  await mkdir(folders.home)
  await mkdir(folders.workspace)
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), content)
  }
  return folders
}

export type Environment = Readonly<Record<string, string>>

/** What a process of the product is started with: nothing of ours but PATH. */
export function environmentOf(folders: Folders, more: Environment = {}): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: folders.home,
    TMPDIR: tmpdir(),
    LANG: "C.UTF-8",
    COMPOSITOR_DATA: folders.data,
    COMPOSITOR_MODELS_URL: "http://127.0.0.1:9/api.json",
    ...more,
  }
}

// The command line

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

export interface RunOptions {
  readonly environment?: Environment
  readonly stdin?: string
  readonly timeout_ms?: number
}

/** Run a command to its end, without a terminal. One that does not end by itself is ended: code null. */
export function run(
  folders: Folders,
  words: readonly string[],
  { environment, stdin = "", timeout_ms = 60_000 }: RunOptions = {},
): Promise<Ran> {
  const [program, ...args] = commandLine(words)
  const child = spawn(program, args, {
    cwd: folders.workspace,
    env: environmentOf(folders, environment),
  })
  return finished(child, { stdin, timeout_ms })
}

/** Run a command with a text piped into it, as a shell does; it must end well. */
export function pipe(folders: Folders, text: string, words: readonly string[]): string {
  const line = ["-c", 'printf %s "$0" | "$@"', text, ...commandLine(words)]
  return execFileSync("sh", line, {
    cwd: folders.workspace,
    env: environmentOf(folders),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  })
}

/** The same in a terminal of its own: what it prints is what the terminal would be sent. `stdin` is what
 *  somebody types there. */
export function runInTerminal(
  folders: Folders,
  words: readonly string[],
  { environment, stdin, timeout_ms = 60_000 }: RunOptions = {},
): Promise<Ran> {
  const quoted = commandLine(words).map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
  const child = spawn("script", ["-qec", quoted.join(" "), "/dev/null"], {
    cwd: folders.workspace,
    env: { ...environmentOf(folders, environment), TERM: "xterm-256color" },
  })
  return finished(child, { timeout_ms, ...(stdin === undefined ? {} : { stdin }) })
}

function finished(
  child: ChildProcess,
  { stdin, timeout_ms }: { readonly stdin?: string; readonly timeout_ms: number },
): Promise<Ran> {
  let out = ""
  let error = ""
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text))
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (error += text))
  if (stdin !== undefined) child.stdin?.end(stdin)
  const timer = setTimeout(() => child.kill("SIGKILL"), timeout_ms)
  return new Promise((resolve) =>
    child.on("close", (code) => {
      clearTimeout(timer)
      resolve({ code, out, error })
    }),
  )
}

// The server

export interface ServerOptions {
  /** Folders of an earlier server, to start on what it left. */
  readonly folders?: Folders
  readonly files?: Files
  readonly environment?: Environment
  /** Further words behind `serve`. */
  readonly words?: readonly string[]
  /** An embedder's program that starts the server instead, and says its address as `serve --json` does. */
  readonly program?: string
  /** Words in front of the program: `setpriv …`, a shell that leaves something open. */
  readonly launcher?: readonly string[]
}

/** A server in a process of its own, ended with the test. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const folders = options.folders ?? (await makeFolders(options.files))
  const words = ["serve", "--json", "--port", "0", ...(options.words ?? [])]
  const started = options.program ? [process.execPath, options.program] : commandLine(words)
  const [program = "", ...args] = [...(options.launcher ?? []), ...started]
  const child = spawn(program, args, {
    cwd: folders.workspace,
    env: environmentOf(folders, { CHECKOUT, ...options.environment }),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const server = new Server(child, folders)
  onTestFinished(() => server.stop())
  await server.started
  return server
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
}

export class Server {
  readonly folders: Folders
  readonly started: Promise<void>
  /** What it wrote to its log. */
  log = ""
  url = ""
  token = ""
  link = ""
  readonly #child: ChildProcess
  readonly #ended: Promise<void>

  constructor(child: ChildProcess, folders: Folders) {
    this.#child = child
    this.folders = folders
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.log += text))
    this.#ended = new Promise((resolve) => child.on("close", () => resolve()))
    this.started = this.#hearAddress()
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** End it as an operator does; `kill` as a power cut does. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill(signal)
    const patience = setTimeout(() => this.#child.kill("SIGKILL"), 10_000)
    await this.#ended
    clearTimeout(patience)
  }

  async call(method: string, path: string, body?: unknown, headers: object = {}): Promise<Reply> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: readJson(text) }
  }

  get(path: string): Promise<Reply> {
    return this.call("GET", path)
  }

  post(path: string, body: unknown = {}): Promise<Reply> {
    return this.call("POST", path, body)
  }

  /** A new session's id. */
  async session(model: string | undefined = "mirror/mirror", more: object = {}): Promise<string> {
    const [provider_id, model_id] = model.split(/\/(.*)/s)
    const reply = await this.post("/v1/sessions", { model: { provider_id, model_id }, ...more })
    if (reply.status !== 201) throw new Error(`no session: ${reply.status} ${reply.text}`)
    return reply.json.session.id
  }

  /** Send a text or parts, and say what the server answered. */
  send(session: string, message: string | readonly object[], more: object = {}): Promise<Reply> {
    const parts = typeof message === "string" ? [{ type: "text", text: message }] : message
    return this.post(`/v1/sessions/${session}/messages`, { parts, ...more })
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  async messages(session: string): Promise<any[]> {
    return (await this.get(`/v1/sessions/${session}/messages?limit=500`)).json.messages
  }

  /** Until nothing runs or waits in the session. */
  async settled(session: string): Promise<void> {
    await until(async () => {
      const { json } = await this.get(`/v1/sessions/${session}`)
      return !["busy", "retrying"].includes(json.status.state) && json.queued === 0
    }, `session ${session} came to rest`)
  }

  async #hearAddress(): Promise<void> {
    let out = ""
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text))
    await until(() => {
      if (this.#child.exitCode !== null) throw new Error(`serve ended: ${out}${this.log}`)
      return readJson(out) !== undefined
    }, "the server said its address")
    Object.assign(this, { ...pick(readJson(out)) })
  }
}

// oxlint-disable-next-line typescript/no-explicit-any
function pick({ url, token, link }: any) {
  return { url, token, link }
}

function readJson(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Wait for a condition, not for a clock: a busy machine is slow, not wrong. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what = "what was waited for",
  timeout_ms = 45_000,
): Promise<void> {
  for (const end = Date.now() + timeout_ms; Date.now() < end; ) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 40))
  }
  throw new Error(`It never happened that ${what}.`)
}
