import { spawn } from "node:child_process"
import { createClient } from "compositor-client/client"
import { type CommonOptions, dataFolder, workspaceFolder } from "../connect.ts"
import { UsageError } from "../complain.ts"
import { printJson, printLine, tell, tellLine } from "../print.ts"

interface ServeOptions extends CommonOptions {
  readonly port?: string
  readonly open?: boolean
  readonly another?: boolean
  readonly store?: string
  readonly blobs?: string
  readonly listen?: string
  readonly allowHost?: readonly string[]
  readonly limit?: string
  readonly metricsToken?: string
  readonly log?: "text" | "json"
  readonly logLevel?: "debug" | "info" | "warn" | "error"
  readonly drain?: string
  readonly trust?: boolean
}

const USUAL_PORT = 4747
const USUAL_DRAIN_SECONDS = "25"
/** One Ctrl-C reaches us twice when npm runs us: from the terminal and from npm. */
const SAME_PRESS_MS = 500

export async function serveCommand(options: ServeOptions) {
  const data = dataFolder(options)
  if (!options.another && (await tellRunning(data, options))) return
  const running = await start(data, options)
  const { url, link, token } = running
  if (options.trust) {
    const workspace = workspaceFolder(options)
    await createClient({ url, token }).commands.trust({ workspace })
  }
  if (options.json) printJson({ url, link, token, pid: process.pid, data })
  // What a server for others prints ends up in logs.
  else greet(options.listen ? url : link, data, workspaceFolder(options))
  if (options.open) openPage(link)
  const drain_ms = secondsOf(options.drain ?? USUAL_DRAIN_SECONDS) * 1000
  stopOnSignal((signal) => (signal === "SIGTERM" ? running.leave(drain_ms) : running.close()))
}

async function tellRunning(data: string, options: ServeOptions): Promise<boolean> {
  const { findServer } = await import("compositor-server/registration")
  const other = await findServer(data)
  if (!other) return false
  const link = `${other.url}/#token=${other.token}`
  if (options.json) printJson({ ...other, link, already_running: true })
  else printLine(`A server lives on ${data} already:\n\n  ${link}\n`)
  if (options.open) openPage(link)
  return true
}

async function start(data: string, options: ServeOptions) {
  const { serve } = await import("compositor-server/serve")
  const wanted = {
    data,
    workspace: workspaceFolder(options),
    environment: process.env,
    fresh_models: true,
    log: (text: string) => tellLine(`${new Date().toISOString()} ${text}`),
    // Nothing may be acknowledged after the disk failed to sync.
    broken: giveUp,
    ...operations(options),
  }
  if (options.port !== undefined) return serve({ ...wanted, port: portOf(options.port) })
  return serve({ ...wanted, port: USUAL_PORT }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE") return serve({ ...wanted, port: 0 })
    throw error
  })
}

/** The disk failed (EX_IOERR). */
function giveUp(reason: string): never {
  tellLine(`compositor: ${reason}`)
  process.exit(74)
}

/** What the command line says, or the environment. */
function operations({
  store,
  blobs,
  listen,
  allowHost,
  limit,
  metricsToken,
  log,
  logLevel,
}: ServeOptions) {
  const { COMPOSITOR_LIMITS, COMPOSITOR_METRICS_TOKEN, COMPOSITOR_ALLOW_HOSTS } = process.env
  const allow_hosts = allowHost ?? COMPOSITOR_ALLOW_HOSTS?.split(",")
  const limits = limit ?? COMPOSITOR_LIMITS
  const metrics_token = metricsToken ?? COMPOSITOR_METRICS_TOKEN
  const write = (line: string) => tell(line)
  const level = logLevel ?? (log === "json" ? "info" : "warn")
  return {
    ...(store === undefined ? {} : { store }),
    ...(blobs === undefined ? {} : { blobs }),
    ...(listen === undefined ? {} : { address: listen, exposed: true }),
    ...(allow_hosts ? { allow_hosts } : {}),
    ...(limits ? { limits } : {}),
    ...(metrics_token ? { metrics_token } : {}),
    ...(log || logLevel ? { records: { format: log ?? "text", level, write } as const } : {}),
  }
}

function secondsOf(text: string): number {
  const seconds = Number(text)
  if (seconds >= 0 && seconds <= 3600) return seconds
  throw new UsageError(`--drain ${text}: so long is 0 to 3600 seconds`)
}

function portOf(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new UsageError(`--port ${text}: a port is a number from 0 to 65535`)
}

function greet(link: string, data: string, workspace: string) {
  printLine(`\nCompositor is ready. Open this link:\n\n  ${link}\n`)
  printLine(`data       ${data}\nworkspace  ${workspace}\nstop       Ctrl-C\n`)
}

function openPage(link: string) {
  const opener = openerOf()
  if (!opener) return
  spawn(opener, [link], { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref()
}

function openerOf(): string | undefined {
  if (process.platform === "darwin") return "open"
  if (process.platform === "win32") return undefined
  const desktop = process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY
  return desktop ? "xdg-open" : undefined
}

function stopOnSignal(close: (signal: NodeJS.Signals) => Promise<void>) {
  let first = 0
  const stop = (signal: NodeJS.Signals) => {
    const now = performance.now()
    if (first === 0) {
      first = now
      void close(signal).then(
        () => process.exit(0),
        (error: unknown) => giveUp(`the folder could not be closed: ${String(error)}`),
      )
    } else if (now - first > SAME_PRESS_MS) process.exit(130)
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop)
}
