import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

/** A process of the benchmark's own, spoken to by questions and answers, one at a time. */
export class Child {
  readonly #process: ChildProcess
  readonly #ended: Promise<number | null>

  /** Its first word says that it is ready. */
  static async start(file: string, input: object): Promise<Child> {
    const child = new Child(fork(join(import.meta.dirname, file), [JSON.stringify(input)]))
    await child.#answer()
    return child
  }

  private constructor(process: ChildProcess) {
    this.#process = process
    this.#ended = once(process, "exit").then(([code]) => code as number | null)
  }

  async ask<Answer>(question: object): Promise<Answer> {
    this.#process.send(question)
    return (await this.#answer()) as Answer
  }

  async stop() {
    this.#process.kill("SIGTERM")
    await this.#ended
  }

  async #answer(): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#process.once("message", resolve)
    const name = this.#process.spawnargs.at(-2)
    void this.#ended.then((code) => reject(new Error(`${name} ended with ${code}`)))
    return promise
  }
}
