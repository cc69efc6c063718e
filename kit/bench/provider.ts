import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface FakeProvider {
  readonly url: string
  /** How many connections were made so far. */
  connections(): number
  /** When the headers of the next request are here, by this process's clock. */
  nextArrival(): Promise<number>
  close(): void
}

const PATIENCE_MS = 10_000

/** A provider on the loopback that speaks anthropic-messages and says little. */
export async function fakeProvider(): Promise<FakeProvider> {
  let waiting: ((at: number) => void) | undefined
  let connections = 0
  const server = createServer((request, response) => {
    waiting?.(performance.now())
    waiting = undefined
    request.resume()
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(ANSWER)
    })
  })
  server.on("connection", () => {
    connections += 1
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    nextArrival() {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      const patience = setTimeout(() => reject(new Error("nobody asked the provider")), PATIENCE_MS)
      waiting = (at) => {
        clearTimeout(patience)
        resolve(at)
      }
      return promise
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const ANSWER = [
  { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Certainly." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
  { type: "message_stop" },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("")
