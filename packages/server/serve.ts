import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { getRequestListener } from "@hono/node-server"
import { setTimeout as pause } from "node:timers/promises"
import { makePrivate } from "compositor-files/disk/private-folder"
import { type Host, type HostOptions, openHost } from "compositor-engine/host/host"
import { withoutPassword } from "compositor-engine/store/store-address"
import type { Store } from "compositor-engine/store/store"
import { redact } from "compositor-engine/policy/secrets/redact"
import { type Log, type LogOptions, removeSecrets, newLog } from "compositor-engine/telemetry/log"
import { OtlpSink, readOtlpSettings } from "compositor-engine/telemetry/otlp"
import { tellSpansTo } from "compositor-engine/telemetry/span"
import { createApp } from "./app.ts"
import { watchBodies } from "./body-watch.ts"
import { Leaving } from "./health-leaving.ts"
import { Limits, readLimits } from "./limits.ts"
import { ServerMetrics } from "./metrics.ts"
import { observerOf } from "./metrics-observer.ts"
import { dismissReaders } from "./streams/change-notifier.ts"
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
  /** Listen where others reach us, as a container does; what is in front of us speaks TLS. */
  readonly exposed?: boolean
  /** Where records go, and which; without, failures go to `log`. */
  readonly records?: LogOptions
  /** A token that opens the figures and nothing else. */
  readonly metrics_token?: string
  /** How much each principal may ask for, like `requests=50/s,messages=60/m,uploads=5g/d`; without, as
   *  much as it likes. */
  readonly limits?: string
}

export interface Running {
  readonly host: Host
  readonly url: string
  readonly token: string
  /** The page's address; the token is in the fragment, which no server is sent. */
  readonly link: string
  close(): Promise<void>
  /** Leave without dropping anything: nothing new is begun, what runs is waited for as long as may be,
   *  and whoever reads is sent to another. What is not done by then is taken over. */
  leave(patience_ms: number): Promise<void>
}

const LOOPBACK = ["127.0.0.1", "::1", "localhost"]
const HEADER_BYTES = 64 * 1024
const HEADERS_MS = 30_000
const MIN_TOKEN_CHARACTERS = 24

/** Start the real server over a data folder. */
export async function serve(options: ServeOptions): Promise<Running> {
  const { address = "127.0.0.1", port = 0 } = options
  if (!LOOPBACK.includes(address) && !options.exposed)
    throw new Error(
      `${address} is not a loopback address; put a proxy in front to be reached from outside`,
    )
  const limits = new Limits(readLimits(options.limits ?? ""))
  await makePrivate(options.data)
  const token = options.environment.COMPOSITOR_SERVER_TOKEN ?? (await folderToken(options.data))
  if (token.length < MIN_TOKEN_CHARACTERS)
    throw new Error(`COMPOSITOR_SERVER_TOKEN must have at least ${MIN_TOKEN_CHARACTERS} characters`)
  const { records, metrics, observe, leaving } = watching(options)
  const failed = (message: string) => records("warn", message)
  const host = await openHost({
    extent: "full",
    fires: true,
    ...options,
    thread: true,
    log: failed,
    observe,
  })
  metrics.watch(host.store)
  const spans = tellSpans(options.environment, metrics)
  // How long a body may take depends on what it is: `watchBodies` says.
  const server = createServer({
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: HEADERS_MS,
    requestTimeout: 0,
  })
  watchBodies(server)
  // Known once it listens, which is before anyone can ask.
  let names: readonly string[] = []
  const hosts = () => names
  const app = createApp(host, {
    rules: { token, hosts },
    log: failed,
    operations: {
      store: host.store,
      metrics,
      tokens: [token, ...(options.metrics_token ? [options.metrics_token] : [])],
      leaving: () => leaving.begun,
      log: records,
      limits,
    },
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
    await register(host.data, {
      id,
      version: VERSION,
      url,
      pid: process.pid,
      token,
      ...elsewhere(options),
    })
  const close = async () => {
    await unregister(host.data, id)
    server.close()
    server.closeAllConnections()
    await host.close()
    tellSpansTo(undefined)
    await spans?.close()
  }
  const leave = async (patience_ms: number) => {
    leaving.begin()
    await unregister(host.data, id)
    await Promise.race([host.idle(), pause(patience_ms, undefined, { ref: false })])
    dismissReaders(host.store)
    server.close()
    server.closeIdleConnections()
    await pause(LAST_WORDS_MS)
    await close()
  }
  return { host, url, token, link: `${url}/#token=${token}`, close, leave }
}

/** What whoever finds the folder must know: that something of it is not there. */
function elsewhere({ environment, store, blobs }: ServeOptions) {
  const rows = store || environment.COMPOSITOR_STORE
  const files = blobs || environment.COMPOSITOR_BLOBS
  return {
    ...(rows ? { store: withoutPassword(rows) } : {}),
    ...(files ? { blobs: files } : {}),
  }
}

/** So long an answer may take to reach its reader when we leave. */
const LAST_WORDS_MS = 200

/** An error may quote what somebody wrote. */
function sieve(text: string): string {
  return redact(text).text
}

/** What looks at the house while it works. */
function watching(options: ServeOptions) {
  const records = options.records
    ? newLog({ ...options.records, sieve })
    : plainRecords(options.log)
  const metrics = new ServerMetrics()
  const leaving = new Leaving()
  const observed = observerOf(metrics, records)
  const observe = { ...observed, store: (store: Store) => observed.store(leaving.through(store)) }
  return { records, metrics, leaving, observe }
}

function plainRecords(write: (line: string) => void = () => undefined): Log {
  return (level, message) => {
    if (level === "warn" || level === "error") write(removeSecrets(sieve(message)))
  }
}

function tellSpans(environment: ServeOptions["environment"], metrics: ServerMetrics) {
  const settings = readOtlpSettings(environment, VERSION)
  if (!settings) return undefined
  const sink = new OtlpSink(settings)
  metrics.watchSpans(sink)
  tellSpansTo(sink)
  return sink
}

async function listen(server: Server, port: number, address: string) {
  server.listen(port, address)
  await once(server, "listening")
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return address.port
}

function namesOf(server: Server, more: readonly string[]): string[] {
  const port = portOf(server)
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, ...more]
}
