import { isObject, type RpcObject } from "../json-rpc.ts"
import type { AgentTraits } from "./transform.ts"

/** No editor's request has an id that begins so. */
const MARK = "compositor-restore"

/** What an agent that was started again is told, so that it stands where the one before it stood. The
 *  editor hears nothing of it. */
export class Restorer {
  readonly #sessions = new Map<string, string>()
  #initialize: RpcObject | undefined
  readonly #ours = new Set<string>()
  readonly #loading = new Set<string>()
  #count = 0

  /** Keep what starts a connection. */
  heard(message: RpcObject) {
    if (message.method === "initialize") this.#initialize = message
    const params = isObject(message.params) ? message.params : {}
    if (message.method === "session/close" || message.method === "session/delete")
      this.#sessions.delete(String(params.sessionId))
  }

  opened(session: string, cwd: string) {
    this.#sessions.set(session, cwd)
  }

  lines({ loads, resumes }: AgentTraits): RpcObject[] {
    this.#ours.clear()
    this.#loading.clear()
    if (!this.#initialize) return []
    const lines = [this.#asked("initialize", this.#initialize.params)]
    if (!loads && !resumes) return lines
    const method = resumes ? "session/resume" : "session/load"
    for (const [sessionId, cwd] of this.#sessions) {
      lines.push(this.#asked(method, { sessionId, cwd, mcpServers: [] }))
      if (!resumes) this.#loading.add(sessionId)
    }
    return lines
  }

  /** Whether the agent says it because of us: our answers, and the history that a load tells again. */
  isOurs(message: RpcObject): boolean {
    if (typeof message.id === "string" && this.#ours.has(message.id)) {
      this.#ours.delete(message.id)
      if (this.#ours.size === 0) this.#loading.clear()
      return true
    }
    const params = isObject(message.params) ? message.params : {}
    return message.method === "session/update" && this.#loading.has(String(params.sessionId))
  }

  #asked(method: string, params: unknown): RpcObject {
    const id = `${MARK}-${this.#count++}`
    this.#ours.add(id)
    return { jsonrpc: "2.0", id, method, params }
  }
}
