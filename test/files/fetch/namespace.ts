// Runs alone in a network of its own, where the forbidden addresses are there and listen. It tries
// every way to reach them and tells who was called. See `ssrf.test.ts`.

import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { Socket } from "node:net"
import { fetchUrl } from "../../../packages/files/fetch/fetch.ts"
import {
  ANSWERS,
  FORBIDDEN_ADDRESSES,
  FORBIDDEN_URLS,
  PUBLIC_ADDRESSES,
  PUBLIC_URLS,
  REDIRECTED,
} from "./cases.ts"

const PORTS = [80, 8080]

for (const command of ["link set lo up", ...addresses()]) ip(command)
const called: string[] = []
for (const port of PORTS) await listen(port)

const reached: string[] = []
for (const url of [...FORBIDDEN_URLS, ...REDIRECTED]) {
  const before = called.length
  const got = await fetchUrl(url, { resolve: resolver(), deadline_ms: 3000 })
  const wrong = called.slice(before).filter((address) => !PUBLIC_ADDRESSES.includes(address))
  if (wrong.length > 0) reached.push(`${url} reached ${wrong.join(", ")}`)
  if (got.type === "fetched") reached.push(`${url} was fetched`)
}
const blocked: string[] = []
for (const url of PUBLIC_URLS) {
  const got = await fetchUrl(url, { resolve: resolver(), deadline_ms: 3000 })
  if (got.type === "refused") blocked.push(`${url}: ${got.reason}`)
  else if (got.text !== "public") blocked.push(`${url}: ${got.status} ${got.text}`)
}
// They do answer: whoever is let through reaches them.
let answering = 0
for (const address of FORBIDDEN_ADDRESSES) {
  const host = address.includes(":") ? `[${address}]` : address
  const got = await fetchUrl(`http://${host}/`, { allow: [`${address}:80`], deadline_ms: 3000 })
  if (got.type === "fetched") answering += 1
}
const tried = { forbidden: FORBIDDEN_URLS.length + REDIRECTED.length, public: PUBLIC_URLS.length }
console.log(JSON.stringify({ tried, reached, blocked, calls: called.length, answering }))
process.exit(0)

function addresses(): string[] {
  return [...PUBLIC_ADDRESSES, ...FORBIDDEN_ADDRESSES].map((address) =>
    address.includes(":")
      ? `-6 addr add ${address}/128 dev lo nodad`
      : `addr add ${address}/32 dev lo`,
  )
}

function ip(command: string) {
  execFileSync("ip", command.split(" "), { stdio: ["ignore", "ignore", "ignore"] })
}

async function listen(port: number) {
  const server = createServer((request, response) => {
    const to = new URL(request.url ?? "/", "http://x").searchParams.get("to")
    if (to !== null && request.url?.startsWith("/go"))
      response.writeHead(302, { location: latin(to) })
    response.end("public")
  })
  server.on("connection", (socket: Socket) =>
    called.push(socket.localAddress?.replace(/^::ffff:/, "") ?? "?"),
  )
  server.listen(port, "::")
  await once(server, "listening")
}

/** A header carries bytes, and no letters. */
function latin(text: string): string {
  return Buffer.from(text).toString("latin1")
}

/** Names of a world of our own. One of them moves after it was asked for. */
function resolver() {
  let asked = 0
  return async (host: string) => {
    asked += 1
    if (host === "moving.example") return asked === 1 ? ["93.184.216.34"] : ["127.0.0.1"]
    const known = ANSWERS[host]
    if (known === undefined) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" })
    return known
  }
}
