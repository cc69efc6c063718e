import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdir } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { getRequestListener } from "@hono/node-server"
import { type Host, type HostOptions, openHost } from "../host.ts"
import { createApp } from "./app.ts"
import { folderToken, register, unregister } from "./registration.ts"
import { VERSION } from "./version.ts"

export interface ServeOptions extends Omit<HostOptions, "thread"> {
  /** 0 takes a free port. */
  readonly port?: number
  readonly address?: string
  /** Further names under which the server may be addressed, with their port. */
  readonly allow_hosts?: readonly string[]
  /** Tell the folder about this server, so that commands find it. */
  readonly registered?: boolean
}

export interface Running {
  readonly host: Host
  readonly url: string
  readonly token: string
  /** The page's address; the token is in the fragment, which no server is sent. */
  readonly link: string
  close(): Promise<void>
}

const LOOPBACK = ["127.0.0.1", "::1", "localhost"]
const HEADER_BYTES = 64 * 1024
const HEADERS_MS = 30_000

/** Start the real server over a data folder. */
export async function serve(options: ServeOptions): Promise<Running> {
  const { address = "127.0.0.1", port = 0 } = options
  if (!LOOPBACK.includes(address))
    throw new Error(
      `${address} is not a loopback address; put a proxy in front to be reached from outside`,
    )
  await mkdir(options.data, { recursive: true, mode: 0o700 })
  const token = await folderToken(options.data)
  const host = await openHost({ extent: "full", fires: true, ...options, thread: true })
  const server = createServer({ maxHeaderSize: HEADER_BYTES, headersTimeout: HEADERS_MS })
  // Known once it listens, which is before anyone can ask.
  let names: readonly string[] = []
  const hosts = () => names
  const app = createApp(host, {
    rules: { token, hosts },
    ...(options.log ? { log: options.log } : {}),
  })
  const answer = getRequestListener(app.fetch)
  server.on("request", (request, response) => void answer(request, response))
  await listen(server, port, address).catch(async (error: unknown) => {
    await host.close()
    throw error
  })
  names = namesOf(server, options.allow_hosts ?? [])
  const url = `http://${address.includes(":") ? `[${address}]` : address}:${portOf(server)}`
  const id = randomUUID()
  if (options.registered !== false)
    await register(host.data, { id, version: VERSION, url, pid: process.pid, token })
  return {
    host,
    url,
    token,
    link: `${url}/#token=${token}`,
    async close() {
      await unregister(host.data, id)
      server.close()
      server.closeAllConnections()
      await host.close()
    },
  }
}

async function listen(server: Server, port: number, address: string) {
  server.listen(port, address)
  await once(server, "listening")
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function namesOf(server: Server, more: readonly string[]): string[] {
  const port = portOf(server)
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, ...more]
}
