// A provider that answers with whatever bytes it likes, for as long as somebody listens.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import type { Environment } from "./product.ts"

/** Chunks of an answer's body; the sender waits while nobody reads. */
export type Bytes = (request: { readonly words: string }) => Iterable<string>

export interface RawModel {
  readonly environment: Environment
  /** Bytes that it sent so far. */
  sent(): number
}

export async function startRawModel(bytes: Bytes): Promise<RawModel> {
  let sent = 0
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const words = Buffer.concat(chunks).toString("utf8")
    if (request.method !== "POST" || /count_tokens/.test(request.url ?? ""))
      return void response.writeHead(404).end("{}")
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const chunk of bytes({ words })) {
      if (response.destroyed) return
      sent += chunk.length
      if (!response.write(chunk)) await drained(response)
    }
    response.end()
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    environment: { ANTHROPIC_API_KEY: "sk-ant-loopback", ANTHROPIC_BASE_URL: url },
    sent: () => sent,
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done)
      resolve()
    }
    response.on("drain", done).on("close", done)
  })
}
