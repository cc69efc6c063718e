import { spawn, spawnSync } from "node:child_process"
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pack } from "../../scripts/pack.ts"
import { median, milliseconds, sized, table, times } from "./figures.ts"
import { describeMachine, type Noise, noise } from "./machine.ts"
import { peer, type PeerName } from "./peers.ts"
import { type Started, startInTerminal } from "./terminal-start.ts"

const ROUNDS = sized(15, 3)
const SENDS = sized(9, 3)
const TERMINALS = sized(3, 1)
const NODE = process.execPath

interface Row {
  readonly what: string
  readonly figure: string
  readonly ratio: string
  readonly gate: string
  readonly passed: boolean
}

/** How soon the command line does what it is asked, beside the bare Node that runs it and beside other
 *  programs, all in one run, each round interleaved. True if all gates hold. */
export async function benchCli({ json }: { json: boolean }): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-bench-cli-"))
  try {
    const before = noise()
    const bin = await install(folder)
    const rows = [
      ...startRows(await starts(bin, folder)),
      ...(await sendRows(bin, folder)),
      ...(await terminalRows(bin, folder)),
    ]
    const report = { machine: describeMachine(folder), before, after: noise(), rows }
    console.log(json ? JSON.stringify(report, null, 2) : show(report))
    return rows.every(({ passed }) => passed)
  } finally {
    // What a peer began may still write there for a moment.
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }
}

/** The package as it is published, with the packages of this checkout. */
async function install(folder: string): Promise<string> {
  const [packed] = await pack(join(folder, "pack"), ["compositor"])
  if (!packed) throw new Error("Nothing was packed.")
  await symlink(
    join(import.meta.dirname, "..", "..", "node_modules"),
    join(packed.folder, "node_modules"),
  )
  await mkdir(join(folder, "home"))
  await mkdir(join(folder, "workspace"))
  return join(packed.folder, "bin", "compositor")
}

function environment(folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: join(folder, "home"),
    TERM: "xterm-256color",
    COMPOSITOR_DATA: join(folder, "home", "data"),
    COMPOSITOR_MODELS_URL: "http://127.0.0.1:9/api.json",
  }
}

type Starts = Readonly<Record<"node" | "version" | "help", number>>

async function starts(bin: string, folder: string): Promise<Starts> {
  const env = environment(folder)
  const commands = {
    node: [NODE, "-e", "0"],
    version: [bin, "--version"],
    help: [bin, "--help"],
  } as const
  const took: Record<keyof typeof commands, number[]> = { node: [], version: [], help: [] }
  // The first round fills the cache that every later start has.
  for (let round = -1; round < ROUNDS; round++)
    for (const name of ["node", "version", "help"] as const) {
      const [program, ...args] = commands[name]
      const began = performance.now()
      const { status } = spawnSync(program, args, { env, stdio: "ignore" })
      if (status !== 0) throw new Error(`${name} ended with ${status}.`)
      if (round >= 0) took[name].push(performance.now() - began)
    }
  return { node: median(took.node), version: median(took.version), help: median(took.help) }
}

function startRows({ node, version, help }: Starts): Row[] {
  return [
    plain("node -e 0", milliseconds(node)),
    gated("--version", version, { limit: 1.5, base: node }),
    gated("--help", help, { limit: 2, base: node }),
  ]
}

/** The least that a cold `send` can do: open a database, commit a row to the disk, call. */
const LEAST = `
import { mkdirSync } from "node:fs"
import { createRequire } from "node:module"
const Database = createRequire(import.meta.url)("better-sqlite3")
mkdirSync(process.env.COMPOSITOR_DATA, { recursive: true })
const database = new Database(process.env.COMPOSITOR_DATA + "/compositor.db")
database.pragma("journal_mode = WAL")
database.pragma("synchronous = FULL")
database.exec("CREATE TABLE chat_messages (role TEXT, text TEXT)")
database.prepare("INSERT INTO chat_messages VALUES ('user', ?)").run("hello")
const { request } = process.getBuiltinModule("node:http")
request(process.env.ANTHROPIC_BASE_URL, { method: "POST" }, (answer) => answer.resume()).end("hello")
`

/** A message from a cold start to the model's door; it must be on disk by then. */
async function sendRows(bin: string, folder: string): Promise<Row[]> {
  const database = join(folder, "home", "data", "compositor.db")
  const { default: Database } = await import("better-sqlite3")
  let called: (durable: boolean) => void = () => undefined
  const server = createServer((request, response) => {
    request.resume()
    request.on("end", () => {
      const rows = new Database(database, { readonly: true })
      const found = rows
        .prepare("SELECT count(*) AS n FROM chat_messages WHERE role = 'user'")
        .get()
      rows.close()
      called((found as { n: number }).n > 0)
      response.writeHead(400, { "content-type": "application/json" })
      response.end('{"type":"error","error":{"type":"invalid_request_error","message":"seen"}}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { ...environment(folder), ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: url }
  const least = join(bin, "..", "..", "least.mjs")
  await writeFile(least, LEAST)
  const place = { cwd: join(folder, "workspace"), env, stdio: "ignore" } as const
  let durable = true
  const untilCalled = async (program: string, args: readonly string[]) => {
    await rm(join(folder, "home", "data"), { recursive: true, force: true })
    const began = performance.now()
    const arrived = new Promise<boolean>((resolve) => (called = resolve))
    const child = spawn(program, args, place)
    const ended = new Promise((resolve) => child.once("exit", resolve))
    const silent = ended.then((code) => {
      throw new Error(`${program} ended with ${String(code)} and called nobody.`)
    })
    durable = (await Promise.race([arrived, silent])) && durable
    silent.catch(() => undefined)
    const took = performance.now() - began
    await ended
    return took
  }
  const took = { bare: [] as number[], least: [] as number[], send: [] as number[] }
  for (let round = -1; round < SENDS; round++) {
    const began = performance.now()
    spawnSync(NODE, ["-e", "0"], { env, stdio: "ignore" })
    const bare = performance.now() - began
    const sent = await untilCalled(bin, ["send", "hello"])
    const floor = await untilCalled(NODE, [least])
    // The first round fills the cache that every later start has.
    if (round < 0) continue
    took.bare.push(bare)
    took.send.push(sent)
    took.least.push(floor)
  }
  server.close()
  // What the least one wrote is no database of ours: the terminal must not find it.
  await rm(join(folder, "home", "data"), { recursive: true, force: true })
  const base = median(took.bare)
  const ratio = `${times(median(took.least) / base)} node`
  return [
    gated("send, until the model is called", median(took.send), { limit: 5, base }),
    {
      ...plain("  an empty file, SQLite and one call", milliseconds(median(took.least))),
      ratio,
    },
    { ...plain("  the message was on disk by then", durable ? "yes" : "no"), passed: durable },
  ]
}

async function terminalRows(bin: string, folder: string): Promise<Row[]> {
  const ours = await terminal(bin, folder, {})
  if (!ours) return [{ ...plain("terminal", "never drew"), passed: false }]
  const rows = [
    plain("terminal: first frame", milliseconds(ours.first)),
    plain("  a key is taken", milliseconds(ours.ready)),
    plain("  key to echo, p50", milliseconds(ours.echo)),
  ]
  for (const name of ["pi", "opencode"] as const) rows.push(...(await besides(name, folder, ours)))
  return rows
}

async function besides(name: PeerName, folder: string, ours: Figures): Promise<Row[]> {
  const path = peer(name)
  const theirs = path ? await terminal(path, folder, { ANTHROPIC_API_KEY: "none" }) : undefined
  if (!theirs) return [plain(`${name}: not measured`, "")]
  return [
    faster(`${name}: first frame`, theirs.first, ours.first),
    faster(`${name}: a key is taken`, theirs.ready, ours.ready),
    faster(`${name}: key to echo, p50`, theirs.echo, ours.echo),
  ]
}

interface Figures {
  readonly first: number
  readonly ready: number
  readonly echo: number
}

async function terminal(
  command: string,
  folder: string,
  more: NodeJS.ProcessEnv,
): Promise<Figures | undefined> {
  const runs: Started[] = []
  for (let run = 0; run < TERMINALS; run++) {
    const env = { ...environment(folder), ...more }
    const place = { command, folder: join(folder, "workspace"), environment: env }
    const started = await startInTerminal(place)
    if (started) runs.push(started)
  }
  if (runs.length === 0) return undefined
  return {
    first: median(runs.map(({ first_ms }) => first_ms)),
    ready: median(runs.map(({ ready_ms }) => ready_ms)),
    echo: median(runs.flatMap(({ echo_ms }) => echo_ms)),
  }
}

function plain(what: string, figure: string): Row {
  return { what, figure, ratio: "", gate: "", passed: true }
}

function gated(what: string, took: number, { limit, base }: { limit: number; base: number }): Row {
  const ratio = took / base
  const passed = ratio <= limit
  const gate = `≤ ${limit}x ${passed ? "pass" : "FAIL"}`
  return { what, figure: milliseconds(took), ratio: `${times(ratio)} node`, gate, passed }
}

function faster(what: string, theirs: number, ours: number): Row {
  const passed = ours < theirs
  const gate = `ours is faster: ${passed ? "pass" : "FAIL"}`
  return { what, figure: milliseconds(theirs), ratio: `${times(theirs / ours)} ours`, gate, passed }
}

interface Report {
  readonly machine: ReturnType<typeof describeMachine>
  readonly before: Noise
  readonly after: Noise
  readonly rows: readonly Row[]
}

function show({ machine, before, after, rows }: Report): string {
  const { processor, cores, memory_gib, node } = machine
  const noise = ({ load, spin_ms }: Noise) =>
    `load ${load.toFixed(2)}, spin ${milliseconds(spin_ms)}`
  return [
    `${processor}, ${cores} cores, ${memory_gib} GiB, Node ${node}`,
    `before: ${noise(before)}; after: ${noise(after)}`,
    "",
    table(
      ["cli", "figure", "ratio", "gate"],
      rows.map(({ what, figure, ratio, gate }) => [what, figure, ratio, gate]),
    ),
  ].join("\n")
}
