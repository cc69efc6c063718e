// A bucket that lies, and people who name things so that they would lie elsewhere in it.

import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { ANTHROPIC, startModel } from "./outside/model.ts"
import { startLyingBucket } from "./outside/lying-bucket.ts"
import { type Server, startServer } from "./outside/product.ts"

const KEY = /^\/lying-bucket\/in\/here\/(?:[0-9a-f]{2}\/[0-9a-f]{62}|tmp\/[0-9a-f-]{36})$/
const NAMES = ["../../etc/passwd", "..%2f..%2fx", "a/../../../b", "tmp/../aa", "%2e%2e/%2e%2e/k"]

describe("a bucket", () => {
  it("[OPS-06] is asked for keys of content alone, is believed by digest alone, and sends nobody elsewhere", async () => {
    const bucket = await startLyingBucket()
    const model = await startModel()
    const environment = { ...bucket.environment, ...model.environment }
    const server = await startServer({ environment })
    const ids: string[] = []
    const parts: object[] = []
    for (const [at, name] of NAMES.entries()) {
      const words = `HONEST-${at} `.repeat(500)
      const uploaded = await upload(server, name, words)
      expect(uploaded.content_id).toBe(`sha256:${createHash("sha256").update(words).digest("hex")}`)
      ids.push(uploaded.content_id)
      parts.push(uploaded.part)
      const wrong = await server.get(`/v1/blobs/${encodeURIComponent(`sha256:${name}`)}`)
      expect(wrong.status).toBeGreaterThanOrEqual(400)
    }
    const kept = await server.session()
    await server.send(kept, [...parts, { type: "text", text: "keep these" }])
    await server.settled(kept)
    await server.stop()
    // Another process has no copies of its own.
    const next = await startServer({ environment, folders: server.folders })
    const readWhole = (at: number) => readBlob(next, `/v1/sessions/${kept}/blobs/${ids[at]}`)
    const keys = bucket.asked.filter((asked) => !asked.includes("list-type"))
    for (const asked of keys) expect(asked.split(" ")[1]?.split("?")[0]).toMatch(KEY)

    bucket.lie = "redirect"
    expect(await readWhole(0)).not.toContain("another host")
    expect(bucket.elsewhere).toEqual([])

    bucket.lie = "bytes"
    expect(await readWhole(1)).not.toContain("FFFFFFFF")
    const session = await next.session(ANTHROPIC)
    await next.send(session, [parts[1] ?? {}, { type: "text", text: "what does it say?" }])
    await next.settled(session)
    expect(model.texts.join("")).not.toContain("FFFFFFFF")

    bucket.lie = "more"
    expect(await readWhole(2)).not.toContain("MMMMMMMM")
    const status = await readFile(`/proc/${next.pid}/status`, "utf8")
    expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024).toBeLessThan(700)
    expect((await next.get("/healthz")).status).toBe(200)

    bucket.lie = "none"
    expect(await readWhole(3)).toContain("HONEST-3")
    expect(bucket.asked.filter((asked) => asked.startsWith("DELETE"))).toEqual([])
    expect(next.log).not.toContain("secret-of-the-bucket")
  })
})

async function upload(server: Server, name: string, words: string) {
  const response = await fetch(`${server.url}/v1/blobs?name=${encodeURIComponent(name)}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}` },
    body: words,
  })
  expect(response.status).toBe(201)
  return (await response.json()) as { content_id: string; part: object }
}

/** What a reader has in the end: the bytes, the refusal, or that they broke off. */
async function readBlob(server: Server, path: string): Promise<string> {
  const { text } = await server.get(path).catch(() => ({ text: "broken off" }))
  return text
}
