import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { milliseconds, quantile, table } from "../bench/figures.ts"
import { newId } from "../../packages/core/message/id.ts"
import type { ServerReady } from "./server-process.ts"

export interface RestartOptions {
  readonly restarts: number
}

const MAX_P99_MS = 1000
const ROOT = join(import.meta.dirname, "..", "..")
/** What `bin/compositor` runs where all of it is built, the first that there is. */
const BUILT = [join(ROOT, "dist", "bundle", "main.js"), join(ROOT, "dist", "cli", "main.js")]

/** Kill the built server and start it again, one after the other: how long it takes from the start to the
 *  first acknowledged message. */
export async function tortureRestart({ restarts }: RestartOptions): Promise<boolean> {
  const built = BUILT.find((file) => existsSync(file))
  if (built === undefined) {
    console.log("restart: nothing is built; run `npm run build` first")
    return false
  }
  const folder = await mkdtemp(join(tmpdir(), "compositor-restart-"))
  const [data, cache] = [join(folder, "data"), join(folder, "cache")]
  const session = newId("ses")
  const acknowledged: number[] = []
  // The first start makes the folder, and is none of those that count.
  for (let at = 0; at <= restarts; at++) {
    const began = performance.now()
    const server = start(built, { data, cache })
    const ready = await readyOf(server)
    if (at === 0) await post(ready, "/v1/sessions", { id: session, workspace_root: null })
    await post(ready, `/v1/sessions/${session}/messages`, message())
    if (at > 0) acknowledged.push(performance.now() - began)
    server.kill("SIGKILL")
    await once(server, "exit")
  }
  await rm(folder, { recursive: true, force: true })
  const p99 = quantile(acknowledged, 0.99)
  const isGood = p99 <= MAX_P99_MS
  console.log(
    table(
      ["restart", "p50", "p99", "gate"],
      [
        [
          `${restarts} times to the first acknowledgement`,
          milliseconds(quantile(acknowledged, 0.5)),
          milliseconds(p99),
          `<= ${MAX_P99_MS} ms ${isGood ? "ok" : "FAILED"}`,
        ],
      ],
    ),
  )
  return isGood
}

function start(built: string, { data, cache }: { data: string; cache: string }): ChildProcess {
  const args = [built, "serve", "--json", "--another", "--port", "0", "--data", data]
  return spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "ignore"],
    cwd: tmpdir(),
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  })
}

async function readyOf(server: ChildProcess): Promise<ServerReady> {
  if (!server.stdout) throw new Error("the server has no output")
  let said = ""
  for await (const line of createInterface({ input: server.stdout })) {
    said += line
    if (line === "}" || line.endsWith("}")) return JSON.parse(said) as ServerReady
  }
  throw new Error(`the server ended before it was ready: ${said}`)
}

function message() {
  return { id: newId("msg"), parts: [{ type: "text", text: "hello" }], mode: "paused" }
}

async function post({ url, token }: ServerReady, path: string, body: object) {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}`)
}
