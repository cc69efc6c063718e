// A process of the product that speaks JSON-RPC over its pipes, a line for a message.

import { type ChildProcess, spawn } from "node:child_process"
import { onTestFinished } from "vitest"
import { commandLine, type Environment, environmentOf, type Folders, until } from "./product.ts"

// oxlint-disable-next-line typescript/no-explicit-any
export type Message = any

/** Start a command, and speak with it as an editor does. */
export function startLines(
  folders: Folders,
  words: readonly string[],
  environment: Environment = {},
): Lines {
  const [program, ...args] = commandLine(words)
  const child = spawn(program, args, {
    cwd: folders.workspace,
    env: environmentOf(folders, environment),
  })
  const lines = new Lines(child)
  onTestFinished(async () => void (await lines.end()))
  return lines
}

export class Lines {
  /** All that it said, message by message; a line that is no JSON is kept as its bytes. */
  readonly heard: Message[] = []
  /** Lines that were no JSON in UTF-8. */
  readonly broken: Buffer[] = []
  /** What it wrote to standard error. */
  error = ""
  /** How requests of the other side are answered; nothing is, without. */
  answers: (request: Message) => object | undefined = () => undefined
  readonly ended: Promise<number | null>
  readonly #child: ChildProcess
  #rest = Buffer.alloc(0)
  #count = 0

  constructor(child: ChildProcess) {
    this.#child = child
    child.stdout?.on("data", (chunk: Buffer) => this.#hear(chunk))
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.error += text))
    child.stdin?.on("error", () => undefined)
    this.ended = new Promise((resolve) => child.on("close", resolve))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  say(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  }

  write(bytes: string | Uint8Array): void {
    this.#child.stdin?.write(bytes)
  }

  /** Ask, and wait for the answer. */
  async ask(method: string, params: object): Promise<Message> {
    const id = this.request(method, params)
    return this.answerTo(id)
  }

  /** Ask without waiting. */
  request(method: string, params: object): number {
    const id = ++this.#count
    this.say({ id, method, params })
    return id
  }

  async answerTo(id: number): Promise<Message> {
    const find = () => this.heard.find((one) => one.id === id && one.method === undefined)
    await until(() => find() !== undefined || this.isGone, `request ${id} was answered`)
    return find()
  }

  get isGone(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Hang up, and wait until it is gone. */
  async end(): Promise<number | null> {
    this.#child.stdin?.end()
    const patience = setTimeout(() => this.#child.kill("SIGKILL"), 15_000)
    const code = await this.ended
    clearTimeout(patience)
    return code
  }

  #hear(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (let end = this.#rest.indexOf(10); end >= 0; end = this.#rest.indexOf(10)) {
      const line = this.#rest.subarray(0, end)
      this.#rest = this.#rest.subarray(end + 1)
      this.#take(line)
    }
  }

  #take(line: Buffer): void {
    try {
      const message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line))
      this.heard.push(message)
      const answer = message.method && message.id !== undefined && this.answers(message)
      if (answer) this.say({ id: message.id, ...answer })
    } catch {
      this.broken.push(line)
    }
  }
}
