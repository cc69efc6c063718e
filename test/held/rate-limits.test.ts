// Limits are counted by who asks, whatever the address, the connection or the token; whoever owns the
// server is not locked out by others.

import { request } from "node:http"
import { networkInterfaces } from "node:os"
import { describe, expect, it } from "vitest"
import { type Server, startServer } from "../attacks/outside/product.ts"

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === "::1")

describe("rate limits", () => {
  it.skipIf(!hasIpv6)(
    "[OPS-03] count one person over IPv4 and IPv6 and by many tokens as one, and let the owner in",
    async () => {
      const words = ["--listen", "::", "--limit", "requests=20/s"]
      const server = await startServer({ words })
      const port = Number(new URL(server.url).port)
      server.url = `http://127.0.0.1:${port}`
      const tokens = await tokensOf(server, "user:ana", 10)
      const [stranger = ""] = await tokensOf(server, "user:ben", 1)

      const asked = Array.from({ length: 300 }, (_, at) => ({
        host: at % 2 === 0 ? "::1" : "127.0.0.1",
        token: tokens[at % tokens.length] ?? "",
      }))
      const began = performance.now()
      const statuses = await Promise.all(asked.map((about) => ask({ port, ...about })))
      const seconds = (performance.now() - began) / 1000
      const let_in = statuses.filter((status) => status === 200).length
      // A burst of two seconds, and what came back while it went on.
      expect(let_in).toBeLessThanOrEqual(Math.ceil(40 + 20 * seconds) + 1)
      expect(new Set(statuses)).toEqual(new Set([200, 429]))

      const forged = Array.from({ length: 200 }, (_, at) => ({
        host: "::1",
        token: `forged-${at}`,
      }))
      const refused = await Promise.all(forged.map((about) => ask({ port, ...about })))
      expect(refused).not.toContain(200)
      for (const host of ["::1", "127.0.0.1"]) {
        expect(await ask({ port, host, token: server.token })).toBe(200)
        expect(await ask({ port, host, token: stranger })).toBe(200)
      }
    },
  )
})

async function tokensOf(server: Server, id: string, count: number): Promise<string[]> {
  expect(
    (await server.post("/v1/principals", { id, workspaces: [server.folders.workspace] })).status,
  ).toBe(201)
  const tokens: string[] = []
  while (tokens.length < count) {
    const made = await server.post(`/v1/principals/${id}/tokens`, { name: "a token" })
    if (made.status === 201) tokens.push(made.json.secret)
    // The owner is held to the limits too.
    else expect(made.status).toBe(429)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return tokens
}

/** One request over a connection of its own: the status. */
function ask({ host, port, token }: { host: string; port: number; token: string }) {
  return new Promise<number>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, host: `localhost:${port}` }
    request({ host, port, path: "/v1/sessions", headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on("error", reject)
      .end()
  })
}
