import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { computeContentId } from "../../packages/files/blobs/blobs.ts"
import { type Running, serve } from "../../packages/server/serve.ts"
import { collect, temporaryFolder } from "../build.ts"
import { BUCKET, KEYS, type S3Service, startS3 } from "./s3-service.ts"

async function start(service: S3Service, more = ""): Promise<Running> {
  const running = await serve({
    data: join(await temporaryFolder(), "data"),
    workspace: null,
    environment: KEYS,
    turns: false,
    blobs: `s3://${BUCKET}/of-a-server?endpoint=${service.endpoint}${more}`,
  })
  onTestFinished(() => running.close().catch(() => undefined))
  return running
}

function call({ url, token }: Running, path: string, init: RequestInit = {}, range?: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const asked = range === undefined ? headers : { ...headers, range }
  return fetch(`${url}${path}`, { redirect: "manual", ...init, headers: asked })
}

/** A session whose message carries these bytes, and where they are read. */
async function attached(running: Running, bytes: Uint8Array) {
  const upload = { method: "POST", body: new Uint8Array(bytes) }
  const { part } = (await (await call(running, "/v1/blobs?name=a.bin", upload)).json()) as {
    part: object
  }
  const begin = { method: "POST", body: JSON.stringify({ model: "scripted" }) }
  const { session } = (await (await call(running, "/v1/sessions", begin)).json()) as {
    session: { id: string }
  }
  const message = { method: "POST", body: JSON.stringify({ parts: [part] }) }
  await call(running, `/v1/sessions/${session.id}/messages`, message)
  const content = computeContentId(bytes)
  return { session: session.id, content, path: `/v1/sessions/${session.id}/blobs/${content}` }
}

describe("a server whose blobs are in a bucket", () => {
  it("[OPS-06] takes a file in, gives it and its ranges back, and forgets it with its session", async () => {
    const running = await start(await startS3())
    const bytes = randomBytes(9 * 1024 * 1024)
    const { session, content, path } = await attached(running, bytes)
    const whole = await call(running, path)
    expect(whole.status).toBe(200)
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    const some = await call(running, path, {}, "bytes=1000000-1000009")
    expect([some.status, [...new Uint8Array(await some.arrayBuffer())]]).toEqual([
      206,
      [...bytes.subarray(1_000_000, 1_000_010)],
    ])
    await call(running, `/v1/sessions/${session}`, { method: "DELETE" })
    expect(await running.host.blobs.size(content)).toBeUndefined()
  })

  it("[OPS-06] sends whoever may read a file to the bucket, and nobody else, when it is told to", async () => {
    const running = await start(await startS3(), "&presign=30")
    const bytes = randomBytes(1000)
    const { path, content } = await attached(running, bytes)
    const answer = await call(running, path)
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([302, "no-store"])
    const linked = await fetch(answer.headers.get("location") ?? "")
    expect(Buffer.from(await linked.arrayBuffer()).equals(bytes)).toBe(true)
    expect(linked.headers.get("content-disposition")).toBe("attachment")
    const other = await attached(running, randomBytes(10))
    const foreign = await call(running, `/v1/sessions/${other.session}/blobs/${content}`)
    expect([foreign.status, foreign.headers.get("location")]).toEqual([404, null])
  })

  it("[OPS-06] says that its blobs are not to be had, in a coded error without a secret", async () => {
    const service = await startS3()
    const running = await start(service)
    service.fault = () => 403
    const answer = await call(running, "/v1/blobs?name=a", { method: "POST", body: "x" })
    const said = await answer.text()
    expect([answer.status, JSON.parse(said).error.code]).toEqual([503, "blobs_unavailable"])
    expect(said).not.toMatch(/S3RVER|blobs-of-a-test/)
  })

  it("[OPS-06] collects what no row names, and spares what is young", async () => {
    const running = await start(await startS3())
    const { host } = running
    const { content } = await attached(running, randomBytes(100))
    const orphan = await host.blobs.putBytes(randomBytes(50))
    await host.vacuum()
    expect(await collect(host.blobs.list())).toHaveLength(2)
    await host.blobs.remove(orphan.content_id, Date.now() + 60_000)
    const left = await collect(host.blobs.list())
    expect(left.map(({ content_id }) => content_id)).toEqual([content])
  })
})
