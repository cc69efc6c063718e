import { mkdtemp } from "node:fs/promises"
import { join } from "node:path"
import { type Host, openHost } from "../../packages/engine/host/host.ts"
import { newId } from "../../packages/core/message/id.ts"
import type { Store } from "../../packages/engine/store/store.ts"
import { kilobyteOfText } from "./text.ts"

export interface SubmitLoad {
  readonly callers: number
  readonly sessions: number
}

/** Callers in this process that submit messages, each one after the other, where no turns run. */
export class Submitters {
  readonly #host: Host
  readonly #sessions: readonly string[]
  readonly #callers: number

  static async open(folder: string, { callers, sessions }: SubmitLoad): Promise<Submitters> {
    const data = await mkdtemp(join(folder, "submit-"))
    const options = { data, workspace: null, environment: {}, thread: true, turns: false }
    const host = await openHost(options)
    return new Submitters(host, await newSessions(host.store, sessions), callers)
  }

  private constructor(host: Host, sessions: readonly string[], callers: number) {
    this.#host = host
    this.#sessions = sessions
    this.#callers = callers
  }

  /** Messages per second. */
  async rate(duration_ms: number): Promise<number> {
    const began = performance.now()
    const end = began + duration_ms
    const callers = Array.from({ length: this.#callers }, (_, at) => this.#submitUntil(end, at))
    const counts = await Promise.all(callers)
    const seconds = (performance.now() - began) / 1000
    return counts.reduce((sum, count) => sum + count, 0) / seconds
  }

  close(): Promise<void> {
    return this.#host.close()
  }

  async #submitUntil(end: number, caller: number): Promise<number> {
    const session_id = this.#sessions[caller % this.#sessions.length] ?? ""
    let sent = 0
    for (; performance.now() < end; sent++)
      await this.#host.submit({ session_id, parts: [{ type: "text", text: kilobyteOfText() }] })
    return sent
  }
}

/** Empty sessions of a model that is never asked. */
export async function newSessions(store: Store, count: number): Promise<string[]> {
  const sessions = Array.from({ length: count }, () =>
    store.createSession({
      id: newId("ses"),
      agent: "assistant",
      title: null,
      workspace_root: null,
      model: { provider_id: "scripted", model_id: "scripted" },
      metadata: {},
    }),
  )
  return (await Promise.all(sessions)).map(({ session }) => session.id)
}
