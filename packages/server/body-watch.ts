import type { IncomingMessage, ServerResponse } from "node:http"

/** A body is whole within this time, except a file's, which may be long. */
const WHOLE_MS = 60_000
/** In each such time, any body brings at least so much of itself. */
const WINDOW_MS = 15_000
const WINDOW_BYTES = 15 * 1024
const LOOK_MS = 1000

/** Where files come in: these take as long as their line is slow. */
const LONG_BODIES = [/^\/v1\/(?:blobs|import)$/, /^\/_electric\/entities\/.+\/attachments$/]

type Watched = Pick<IncomingMessage, "url" | "headers" | "complete" | "readableLength"> & {
  readonly socket: { readonly bytesRead: number }
}

interface Arrival {
  readonly began: number
  /** When this window began, and what had come by then. */
  since: number
  bytes: number
}

/** Whether a body has been too slow by now. It looks at the socket, so whoever reads the body is asked
 *  nothing; while we ourselves leave unread what has come, nobody is called slow. */
export class BodyWatch<Request extends Watched = IncomingMessage> {
  readonly #open = new Map<Request, Arrival>()

  begin(request: Request, now: number) {
    const { "content-length": length, "transfer-encoding": encoding } = request.headers
    if (encoding === undefined && (length === undefined || length === "0")) return
    this.#open.set(request, { began: now, since: now, bytes: request.socket.bytesRead })
  }

  end(request: Request) {
    this.#open.delete(request)
  }

  /** Those that were too slow; they are watched no longer. */
  tooSlow(now: number): Request[] {
    const slow = [...this.#open].filter(([request, arrival]) => isSlow(request, arrival, now))
    return slow.map(([request]) => {
      this.end(request)
      return request
    })
  }
}

function isSlow(request: Watched, arrival: Arrival, now: number): boolean {
  if (request.complete) return false
  if (now - arrival.began >= WHOLE_MS && !isLong(request)) return true
  if (now - arrival.since < WINDOW_MS) return false
  const { bytesRead } = request.socket
  const isWaitingForUs = request.readableLength > 0
  const isSlow = bytesRead - arrival.bytes < WINDOW_BYTES && !isWaitingForUs
  arrival.since = now
  arrival.bytes = bytesRead
  return isSlow
}

function isLong({ url = "" }: Watched): boolean {
  const [path = ""] = url.split("?", 1)
  return LONG_BODIES.some((pattern) => pattern.test(path))
}

const TOO_SLOW = JSON.stringify({
  error: { code: "request_timeout", message: "the body came too slowly" },
})

/** Watch the bodies of a server: who sends one too slowly is told so, and let go. */
export function watchBodies(server: {
  on(
    event: "request",
    listener: (request: IncomingMessage, response: ServerResponse) => void,
  ): unknown
  on(event: "close", listener: () => void): unknown
}) {
  const watch = new BodyWatch()
  const answers = new WeakMap<IncomingMessage, ServerResponse>()
  server.on("request", (request, response) => {
    watch.begin(request, performance.now())
    answers.set(request, response)
    const end = () => watch.end(request)
    request.once("end", end).once("close", end)
  })
  const timer = setInterval(() => {
    for (const request of watch.tooSlow(performance.now())) letGo(request, answers.get(request))
  }, LOOK_MS).unref()
  server.on("close", () => clearInterval(timer))
}

// Whoever waits for the rest of the body hears that it broke off; the answer is given past them.
function letGo({ socket }: IncomingMessage, response: ServerResponse | undefined) {
  if (response?.headersSent) return void socket.destroy()
  const head = [
    "HTTP/1.1 408 Request Timeout",
    "content-type: application/json",
    `content-length: ${TOO_SLOW.length}`,
    "connection: close",
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${TOO_SLOW}`, () => socket.destroy())
}
