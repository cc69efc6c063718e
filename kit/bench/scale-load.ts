import { Agent, request } from "node:http"
import { text } from "node:stream/consumers"
import { newId } from "../../packages/core/message/id.ts"
import type { ServerReady } from "../torture/server-process.ts"

const NEXT_OFFSET = /"streamNextOffset":"([^"]+)"/g

/** Sends to several nodes over connections that stay open, and follows streams there. */
export class Load {
  readonly #nodes: readonly ServerReady[]
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 })
  readonly #readers: (() => void)[] = []
  #closed = false

  constructor(nodes: readonly ServerReady[]) {
    this.#nodes = nodes
  }

  async session(): Promise<string> {
    const id = newId("ses")
    await this.call(0, "POST", "/v1/sessions", { id, model: "scripted", workspace_root: null })
    return id
  }

  async send(node: number, session_id: string, mode: string): Promise<string> {
    const id = newId("msg")
    const message = { id, mode, parts: [{ type: "text", text: id }] }
    await this.call(node, "POST", `/v1/sessions/${session_id}/messages`, message)
    return id
  }

  /** Follow a session's stream from now on; `heard` is told all that comes. The server makes every
   *  connection anew now and then: who follows goes on from where it stood. */
  async follow(node: number, session_id: string, heard: (text: string) => void): Promise<void> {
    let offset = "now"
    const again = async () => {
      await this.#open(node, `/v1/stream/sessions/${session_id}?offset=${offset}&live=sse`, {
        data(said) {
          offset = [...said.matchAll(NEXT_OFFSET)].at(-1)?.[1] ?? offset
          heard(said)
        },
        end: () => void again(),
      })
    }
    await again()
  }

  #open(
    node: number,
    path: string,
    told: { data(said: string): void; end(): void },
  ): Promise<void> {
    const { url, token } = this.#at(node)
    const opened = Promise.withResolvers<void>()
    const headers = { authorization: `Bearer ${token}` }
    const sent = request(`${url}${path}`, { headers }, (response) => {
      if (response.statusCode !== 200)
        opened.reject(new Error(`${path} was answered with ${response.statusCode}`))
      response.setEncoding("utf8")
      response.on("data", (said: string) => told.data(said))
      response.on("end", () => this.#closed || told.end())
      opened.resolve()
    })
    sent.on("error", opened.reject)
    sent.end()
    this.#readers.push(() => sent.destroy())
    return opened.promise
  }

  async call(node: number, method: string, path: string, body?: object): Promise<unknown> {
    const { url, token } = this.#at(node)
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const sent = request(`${url}${path}`, { method, headers, agent: this.#agent }, (response) => {
      void text(response).then((said) => {
        if ((response.statusCode ?? 500) < 300) resolve(said)
        else
          reject(new Error(`${method} ${path} was answered with ${response.statusCode}: ${said}`))
      }, reject)
    })
    sent.on("error", reject)
    sent.end(body && JSON.stringify(body))
    return JSON.parse(await promise)
  }

  close() {
    this.#closed = true
    for (const close of this.#readers) close()
    this.#agent.destroy()
  }

  #at(node: number): ServerReady {
    const found = this.#nodes[node % this.#nodes.length]
    if (!found) throw new Error("there is no node")
    return found
  }
}
