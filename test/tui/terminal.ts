import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { createClient } from "../../packages/client/client.ts"
import { type ScriptStep, scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { serve } from "../../packages/server/serve.ts"
import type { HostOptions } from "../../packages/engine/host/host.ts"
import { MAIN } from "../program.ts"

/** A server of its own with a model that can be held, and the terminal program in a real terminal. */
export class Terminal {
  readonly client: ReturnType<typeof createClient>
  readonly workspace: string
  readonly #socket = `compositor-${randomUUID()}`
  readonly #gate = { held: Promise.withResolvers<void>() }
  #command = ""

  private constructor(client: Terminal["client"], workspace: string) {
    this.client = client
    this.workspace = workspace
  }

  static async open(options: TerminalOptions = {}): Promise<Terminal> {
    const root = await mkdtemp(join(tmpdir(), "compositor-tui-"))
    const workspace = join(root, "workspace")
    const data = join(root, "data")
    await mkdir(join(workspace, "src"), { recursive: true })
    await writeFile(join(workspace, "src", "main.ts"), "one\ntwo\nthree\n")
    await writeFile(join(workspace, "notes.md"), "# Notes\n")
    const script = options.script ?? (() => [{ text: "ok" }])
    let terminal: Terminal | undefined
    const held = () => terminal?.held ?? Promise.resolve()
    const model = scriptedProvider(({ newest }) => {
      const blocks = newest?.blocks ?? []
      const words = blocks.map((block) => ("text" in block ? block.text : `<${block.type}>`))
      return script(words.join("|"), held())
    })
    const running = await serve({
      data,
      workspace,
      environment: {},
      providers: new Map([["mirror", model]]),
      ...options.host,
    })
    const client = createClient({ url: running.url, token: running.token })
    terminal = new Terminal(client, workspace)
    const made = terminal
    onTestFinished(async () => {
      made.release()
      made.#tmux("kill-server")
      await running.close()
      await rm(root, { recursive: true, force: true })
    })
    const env = { NO_COLOR: "1", ...options.environment }
    const settings = Object.entries(env).map(([name, value]) => `${name}='${value}'`)
    const command = [...settings, process.execPath, MAIN, "--data", data, ...(options.args ?? [])]
    const shell = ["env", ...command].join(" ")
    made.#command = shell
    const { columns = 80, rows = 24 } = options
    made.#tmux(
      "new-session",
      "-d",
      "-x",
      `${columns}`,
      "-y",
      `${rows}`,
      "-c",
      workspace,
      options.shell ? "sh" : shell,
    )
    if (options.shell) made.type(shell, "Enter")
    return made
  }

  get held(): Promise<void> {
    return this.#gate.held.promise
  }

  /** Let the model go on. */
  release() {
    this.#gate.held.resolve()
    this.#gate.held = Promise.withResolvers()
  }

  /** Type words; a single argument that names a key presses it. */
  type(text: string, ...keys: readonly string[]) {
    if (text !== "") this.#tmux("send-keys", "-l", text)
    for (const key of keys) this.#tmux("send-keys", key)
  }

  press(...keys: readonly string[]) {
    this.#tmux("send-keys", ...keys)
  }

  /** Paste as a terminal does, in brackets. */
  async paste(text: string) {
    const file = join(this.workspace, "..", "paste.txt")
    await writeFile(file, text)
    this.#tmux("load-buffer", file)
    this.#tmux("paste-buffer", "-p")
  }

  /** Start it again from the shell, with further words. */
  again(...words: readonly string[]) {
    this.type([this.#command, ...words].join(" "), "Enter")
  }

  /** Tell the program in the terminal to end. */
  end() {
    const shell = this.#tmux("list-panes", "-F", "#{pane_pid}").trim()
    const children = execFileSync("ps", ["-o", "pid=", "--ppid", shell], { encoding: "utf8" })
    for (const pid of children.trim().split(/\s+/)) process.kill(Number(pid), "SIGTERM")
  }

  resize(columns: number, rows: number) {
    this.#tmux("resize-window", "-x", `${columns}`, "-y", `${rows}`)
  }

  /** What is on the screen, without the white space behind it. */
  get screen(): string {
    return this.#tmux("capture-pane", "-p")
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
      .trim()
  }

  async shows(words: string | RegExp): Promise<string> {
    const isThere = (screen: string) =>
      typeof words === "string" ? screen.includes(words) : words.test(screen)
    for (const end = Date.now() + 15_000; Date.now() < end; ) {
      const { screen } = this
      if (isThere(screen)) return screen
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    throw new Error(`The screen never showed ${String(words)}:\n${this.screen}`)
  }

  async shut(words: string): Promise<void> {
    for (const end = Date.now() + 15_000; Date.now() < end; ) {
      if (!this.screen.includes(words)) return
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    throw new Error(`The screen still shows ${words}:\n${this.screen}`)
  }

  /** The session on the screen: the newest one. */
  async session(): Promise<string> {
    const { sessions } = await this.client.sessions.list({ ephemeral: true })
    return sessions[0]?.id ?? ""
  }

  /** What people said in it, part by part. */
  async said(id?: string) {
    const { messages } = await this.client.messages(id ?? (await this.session()), { limit: 100 })
    return messages
      .filter(({ role }) => role === "user")
      .map(({ parts }) => parts.map(({ data }) => data))
  }

  #tmux(...args: readonly string[]): string {
    try {
      return execFileSync("tmux", ["-L", this.#socket, "-f", "/dev/null", ...args], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      })
    } catch (error) {
      if (args[0] === "kill-server") return ""
      throw error
    }
  }
}

export interface TerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly host?: Partial<HostOptions>
  /** Start it from a shell, so that there is something to go back to. */
  readonly shell?: boolean
  readonly script?: (words: string, held: Promise<void>) => ScriptStep[]
}
