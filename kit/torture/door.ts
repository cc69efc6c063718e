import type { ServerReady } from "./server-process.ts"

export interface Reply {
  readonly status: number
  readonly body: Record<string, unknown>
  /** An earlier try got no answer: whether it was heard, nobody knows. */
  readonly retried: boolean
}

const TIMEOUT_MS = 20_000

/** Where the clients find the server of the moment. A call that got no answer is made again, to the
 *  next one. */
export class Door {
  #server = Promise.withResolvers<ServerReady>()
  #since = 0
  /** Milliseconds from each opening to the first answer. */
  readonly firstAnswers: number[] = []

  open(server: ServerReady, since: number) {
    this.#since = since
    this.#server.resolve(server)
  }

  close() {
    this.#server = Promise.withResolvers<ServerReady>()
  }

  async call(method: string, path: string, body?: object): Promise<Reply> {
    for (let tries = 1; ; tries++) {
      const { promise } = this.#server
      const reply = await request(await promise, { method, path, body }).catch(unheard)
      if (reply) {
        this.#note()
        return { ...reply, retried: tries > 1 }
      }
      await this.#changed(promise)
    }
  }

  #note() {
    if (this.#since === 0) return
    this.firstAnswers.push(performance.now() - this.#since)
    this.#since = 0
  }

  // The socket may tell of the death before whoever killed the server has closed the door.
  async #changed(promise: Promise<ServerReady>) {
    while (this.#server.promise === promise) await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body: object | undefined
}

async function request({ url, token }: ServerReady, { method, path, body }: Asked) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

function unheard(error: unknown): undefined {
  if ((error as Error).name === "TimeoutError")
    throw new Error(`the server did not answer within ${TIMEOUT_MS / 1000} s`, { cause: error })
}
