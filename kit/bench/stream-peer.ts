// The protocol's own server with its file store, in a process of its own: bench/child.ts starts it.

import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { pathToFileURL } from "node:url"
import type { StreamServerAddress, StreamServerInput } from "./stream-server.ts"

// No dependency of ours: it lives in a cache of its own.
const PACKAGE = "@durable-streams/server@0.3.7"
const FLAGS = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund"]

interface PeerModule {
  readonly DurableStreamTestServer: new (options: {
    readonly port: number
    readonly host: string
    readonly dataDir: string
  }) => { start(): Promise<string>; stop(): Promise<void> }
}

// It tells of every slow append, and those are what is measured.
console.info = () => undefined
console.log = () => undefined

const { data } = JSON.parse(process.argv[2] ?? "") as StreamServerInput
const { DurableStreamTestServer } = await openPeer()
const server = new DurableStreamTestServer({ port: 0, host: "127.0.0.1", dataDir: data })
const address: StreamServerAddress = { url: await server.start(), token: "" }
process.on("message", () => process.send?.({ ...address, rss: process.memoryUsage().rss }))
process.on("SIGTERM", () => process.exit(0))
// Whoever started this is gone.
process.on("disconnect", () => process.exit(1))
process.send?.({})

async function openPeer(): Promise<PeerModule> {
  const caches = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache")
  const cache = join(caches, "compositor-bench", "stream")
  const entry = join(cache, "node_modules", "@durable-streams/server/dist/index.js")
  if (!existsSync(entry)) {
    mkdirSync(cache, { recursive: true })
    execFileSync("npm", ["install", "--prefix", cache, ...FLAGS, PACKAGE], { stdio: "ignore" })
  }
  return (await import(pathToFileURL(entry).href)) as PeerModule
}
