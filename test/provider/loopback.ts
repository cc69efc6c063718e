import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { onTestFinished } from "vitest"
import { collectBytes } from "../build.ts"

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

/** A real server for one test; gives its address. */
export async function listen(handler: Handler): Promise<string> {
  const server = createServer((request, response) => void handler(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export async function readRequest(request: IncomingMessage) {
  const { url, headers } = request
  return { url, headers, body: await collectBytes(request) }
}

/** Write in small pieces, so that lines and characters are cut. */
export async function slowly(response: ServerResponse, bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size))
    await wait(1)
  }
  response.end()
}
