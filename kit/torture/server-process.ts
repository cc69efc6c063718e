import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { compiledEnvironment } from "./compiled.ts"

export interface ServerInput {
  readonly data: string
  /** Where the model's calls are written down. */
  readonly calls: string
}

export interface ServerReady {
  readonly url: string
  readonly token: string
}

/** A server that runs until it is killed. */
export class ServerProcess {
  readonly #process: ChildProcess
  readonly #ended: Promise<unknown>

  /** `script` is which of the servers here. */
  constructor(input: object, script = "server.ts") {
    const env = compiledEnvironment()
    this.#process = fork(join(import.meta.dirname, script), [JSON.stringify(input)], { env })
    this.#ended = once(this.#process, "exit")
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  ready(): Promise<ServerReady> {
    const { promise, resolve, reject } = Promise.withResolvers<ServerReady>()
    this.#process.once("message", (message) => resolve(message as ServerReady))
    void this.#ended.then(() => reject(new Error("the server ended before it was ready")))
    return promise
  }

  /** Without warning; it is gone when this returns. */
  kill() {
    return this.#end("SIGKILL")
  }

  /** It lives and does nothing, until it is let go. */
  freeze() {
    this.#process.kill("SIGSTOP")
  }

  thaw() {
    this.#process.kill("SIGCONT")
  }

  close() {
    return this.#end("SIGTERM")
  }

  async #end(signal: NodeJS.Signals) {
    this.#process.kill(signal)
    await this.#ended
  }
}
