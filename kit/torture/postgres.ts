import { execFile, spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { chown, mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { promisify } from "node:util"
import pg from "pg"

const PLACES = ["/usr/lib/postgresql", "/usr/local/pgsql", "/opt/homebrew/opt/postgresql"]
const START_MS = 60_000

/** A PostgreSQL of our own on a loopback port, in a folder that goes with it. */
export interface PostgresServer {
  readonly url: string
  /** The address of rooms that nobody else has: a schema of their own, made when it is asked for. */
  room(name: string): Promise<string>
  /** As a machine that loses its power does. */
  crash(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

export interface PostgresServerOptions {
  /** Whether commits wait for the disk: yes where that is measured, no where only rules are. */
  readonly durable: boolean
  readonly settings?: readonly string[]
}

/** Where initdb and postgres are; undefined where no PostgreSQL is installed. */
export function postgresBinaries(): string | undefined {
  const onPath = (process.env.PATH ?? "").split(":").find((at) => existsSync(join(at, "initdb")))
  const versions = PLACES.flatMap((place) => versionsIn(place))
  return [onPath, ...versions].find((at) => at !== undefined && existsSync(join(at, "initdb")))
}

function versionsIn(place: string): string[] {
  if (!existsSync(place)) return []
  const newest = readdirSync(place).toSorted((one, other) => Number(other) - Number(one))
  return [...newest.map((version) => join(place, version, "bin")), join(place, "bin")]
}

export async function startPostgres(options: PostgresServerOptions): Promise<PostgresServer> {
  const binaries = postgresBinaries()
  if (binaries === undefined) throw new Error("no PostgreSQL is installed (apt install postgresql)")
  const folder = await mkdtemp(join(tmpdir(), "compositor-postgres-"))
  const identity = unprivileged()
  if (identity) await chown(folder, identity.uid, identity.gid)
  const data = join(folder, "data")
  const run = promisify(execFile)
  const setup = ["-D", data, "-A", "trust", "-U", "compositor", "-E", "UTF8", "--locale=C", "-N"]
  await run(join(binaries, "initdb"), setup, { ...identity, cwd: folder })
  const port = await freePort()
  const url = `postgres://compositor@127.0.0.1:${port}/postgres`
  const durable = options.durable
    ? []
    : ["fsync=off", "synchronous_commit=on", "full_page_writes=off"]
  const settings = [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "max_connections=200",
    ...durable,
    ...(options.settings ?? []),
  ].flatMap((setting) => ["-c", setting])
  const launch = () =>
    spawn(join(binaries, "postgres"), ["-D", data, ...settings], {
      ...identity,
      cwd: folder,
      stdio: "ignore",
    })
  let child = launch()
  await answering(url)
  const ended = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once("exit", resolve))
    child.kill(signal)
    await gone
  }
  return {
    url,
    room: (name) => roomAt(url, name),
    // Its children go with it: they see that it is gone.
    crash: () => ended("SIGQUIT"),
    async start() {
      child = launch()
      await answering(url)
    },
    async stop() {
      await ended("SIGQUIT")
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The address of a schema of that name in this database, made if it is not there. */
export async function roomAt(url: string, name: string): Promise<string> {
  await asking(url, `CREATE SCHEMA IF NOT EXISTS "${name}"`)
  return `${url}?options=${encodeURIComponent(`-c search_path=${name}`)}`
}

/** PostgreSQL does not run as root: it runs as its own user, or as us when we are nobody special. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync("/etc/passwd", "utf8").split("\n")
  const entry = users.find((line) => line.startsWith("postgres:")) ?? "nobody:x:65534:65534"
  const [, , uid, gid] = entry.split(":")
  return { uid: Number(uid), gid: Number(gid) }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

async function answering(url: string) {
  const until = performance.now() + START_MS
  for (;;) {
    try {
      return await asking(url, "SELECT 1")
    } catch (error) {
      if (performance.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** One statement on a connection of its own. */
export async function asking(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on("error", () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query(sql)
    return rows
  } finally {
    await client.end()
  }
}
