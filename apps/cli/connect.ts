import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { type Client, createClient } from "compositor-client/client"
import { UsageError } from "./complain.ts"
import { tellLine } from "./print.ts"

export interface CommonOptions {
  readonly json?: boolean
  readonly data?: string
  readonly url?: string
  readonly token?: string
  readonly workspace?: string
}

export interface EngineConnection {
  readonly client: Client
  /** Whether the rooms run in this process: then it must stay until its turns are done. */
  readonly local: boolean
  /** Wait until nothing runs in this process. */
  readonly idle: () => Promise<void>
  readonly close: () => Promise<void>
}

interface ConnectOptions {
  /** Trust the files of the workspace for this connection, in this process. */
  readonly trust_all?: boolean
  /** A message will be sent at once. */
  readonly sends?: boolean
}

export function dataFolder(options: CommonOptions): string {
  const given = options.data ?? process.env.COMPOSITOR_DATA
  if (given) return resolve(given)
  return join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "compositor")
}

export function workspaceFolder(options: CommonOptions): string {
  return resolve(options.workspace ?? ".")
}

/** Reach the rooms: the server that was named, the one that lives on the data folder, or, where none
 *  lives, the same rooms in this process. */
export async function connect(
  options: CommonOptions,
  more: ConnectOptions = {},
): Promise<EngineConnection> {
  if (more.trust_all) return inProcess(options, more)
  if (options.url !== undefined) return remote(options.url, tokenOf(options))
  const { findServer } = await import("compositor-server/registration")
  const running = await findServer(dataFolder(options))
  return running ? remote(running.url, running.token) : inProcess(options, more)
}

function tokenOf(options: CommonOptions): string {
  const token = options.token ?? process.env.COMPOSITOR_TOKEN
  if (token) return token
  throw new UsageError("--url needs a token: --token or COMPOSITOR_TOKEN")
}

function remote(url: string, token: string): EngineConnection {
  const nothing = async () => undefined
  return { client: createClient({ url, token }), local: false, idle: nothing, close: nothing }
}

async function inProcess(options: CommonOptions, more: ConnectOptions): Promise<EngineConnection> {
  const { openHost, TRUST_ALL } = await import("compositor-engine/host/host")
  const { within } = await import("compositor-server/within")
  const host = await openHost({
    data: dataFolder(options),
    workspace: workspaceFolder(options),
    environment: process.env,
    extent: "full",
    sends: more.sends ?? false,
    ...(more.trust_all ? { trust: TRUST_ALL } : {}),
  })
  const client = createClient({
    url: "http://in.process",
    token: "none",
    fetch: within(host, tellLine),
  })
  return { client, local: true, idle: () => host.idle(), close: () => host.close() }
}

/** Connect, do it, and leave nothing open behind, whatever happened. */
export async function withConnection<T>(
  options: CommonOptions,
  use: (connection: EngineConnection) => Promise<T>,
  more: ConnectOptions = {},
): Promise<T> {
  const connection = await connect(options, more)
  try {
    return await use(connection)
  } finally {
    await connection.close()
  }
}
