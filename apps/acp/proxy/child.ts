import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"

export interface ChildOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  readonly log: (message: string) => void
  /** Where its own words on standard error go. */
  readonly tell: (text: string) => void
}

/** A process that keeps dying is not started for ever. */
const MAX_RESTARTS = 5
const RESTART_WINDOW_MS = 60_000
const GRACE_MS = 3000

/** The agent's process. */
export class Child {
  readonly #options: ChildOptions
  readonly #deaths: number[] = []
  #process: ChildProcessWithoutNullStreams

  constructor(options: ChildOptions) {
    this.#options = options
    this.#process = this.#start()
  }

  get input() {
    return this.#process.stdin
  }

  get output() {
    return this.#process.stdout
  }

  /** How it ended, once it did. */
  async ended(): Promise<string> {
    const { exitCode, signalCode } = this.#process
    if (exitCode === null && signalCode === null && this.#process.pid !== undefined)
      await once(this.#process, "exit")
    const { exitCode: code, signalCode: signal } = this.#process
    return signal ? `was killed by ${signal}` : `exited with code ${code ?? "unknown"}`
  }

  /** Start it again; false when it died too often lately. */
  async restart(): Promise<boolean> {
    const now = performance.now()
    this.#deaths.push(now)
    const lately = this.#deaths.filter((at) => now - at < RESTART_WINDOW_MS).length
    if (lately > MAX_RESTARTS) return false
    const pause = 50 * 2 ** lately
    await new Promise((resolve) => setTimeout(resolve, pause))
    this.#process = this.#start()
    return true
  }

  async stop() {
    const child = this.#process
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    child.stdin.end()
    const over = once(child, "exit")
    const hurry = setTimeout(() => child.kill("SIGTERM"), GRACE_MS)
    const force = setTimeout(() => child.kill("SIGKILL"), 2 * GRACE_MS)
    await over
    clearTimeout(hurry)
    clearTimeout(force)
  }

  #start(): ChildProcessWithoutNullStreams {
    const { command, args, environment, log, tell } = this.#options
    const child = spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: withoutOurs(environment),
    })
    child.on("error", (error) => log(`${command} cannot be started: ${error.message}`))
    // It may be gone before we have written all: its end is told by its exit.
    child.stdin.on("error", () => undefined)
    child.stderr.setEncoding("utf8").on("data", tell)
    return child
  }
}

const OUR_SECRETS = /^COMPOSITOR_\w*(?:TOKEN|KEY|SECRET|STORE|PASSWORD)/

/** The agent needs its own keys; what is secret in our settings it does not. */
function withoutOurs(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(environment).filter(([name]) => !OUR_SECRETS.test(name))
  return Object.fromEntries(others)
}
