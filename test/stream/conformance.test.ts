import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runConformanceTests } from "@durable-streams/server-conformance-tests"
import { afterAll, beforeAll, describe } from "vitest"
import { type Running, serve } from "../../packages/server/serve.ts"
import { storeFor } from "../postgres.ts"

/** The protocol's own suite against our server, with nothing switched off. It knows no tokens, so its
 *  requests to the server get one on their way. */
describe("Durable Streams, by the protocol's own suite", () => {
  const suite = { baseUrl: "", longPollTimeoutMs: 20_000 }
  const plain = globalThis.fetch
  let data: string
  let running: Running

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "conformance-"))
    running = await serve({ data, workspace: null, environment: {}, ...(await storeFor(data)) })
    suite.baseUrl = running.url
    globalThis.fetch = (input, init) => {
      const request = new Request(input, init)
      request.headers.set("authorization", `Bearer ${running.token}`)
      return plain(request)
    }
  })
  afterAll(async () => {
    globalThis.fetch = plain
    await running.close()
    await rm(data, { recursive: true, force: true })
  })

  runConformanceTests(suite)
})
