import { describe, expect, it, onTestFinished } from "vitest"
import { readStream } from "../../packages/client/stream.ts"
import { type Running, serve } from "../../packages/server/serve.ts"
import { temporaryFolder } from "../build.ts"
import { storeFor } from "../postgres.ts"

const PATH = "/v1/stream/kept"

async function serving(data: string): Promise<Running> {
  const running = await serve({
    data,
    workspace: null,
    environment: {},
    extent: "bare",
    ...(await storeFor(data)),
  })
  onTestFinished(() => running.close().catch(() => undefined))
  return running
}

function ask(
  { url, token }: Running,
  method: string,
  more: Readonly<Record<string, string>>,
  body?: string,
) {
  return fetch(`${url}${PATH}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...more },
    ...(body === undefined ? {} : { body }),
  })
}

function produced(running: Running, seq: number) {
  const producer = { "producer-id": "p", "producer-epoch": "3", "producer-seq": String(seq) }
  return ask(running, "POST", producer, JSON.stringify({ seq }))
}

async function all({ url, token }: Running): Promise<unknown[]> {
  const items: unknown[] = []
  for await (const batch of readStream({ url, token, path: PATH, live: false }))
    items.push(...batch.items)
  return items
}

describe("streams over a restart", () => {
  it("keep what was appended, who appended it, where they are closed, and their forks", async () => {
    const data = await temporaryFolder()
    const first = await serving(data)
    await ask(first, "PUT", {})
    for (const seq of [0, 1, 2]) expect((await produced(first, seq)).status).toBe(200)
    const { url, token } = first
    const forked = { authorization: `Bearer ${token}`, "stream-forked-from": PATH }
    await fetch(`${url}/v1/stream/fork`, { method: "PUT", headers: forked })
    await first.close()
    const second = await serving(data)
    expect(await all(second)).toEqual([{ seq: 0 }, { seq: 1 }, { seq: 2 }])
    // Said again, it is known; with a gap it is refused; the next one is taken.
    expect((await produced(second, 2)).status).toBe(204)
    const gap = await produced(second, 4)
    expect([gap.status, gap.headers.get("producer-expected-seq")]).toEqual([409, "3"])
    expect((await produced(second, 3)).status).toBe(200)
    await ask(second, "POST", { "stream-closed": "true" })
    await second.close()
    const third = await serving(data)
    expect(await all(third)).toHaveLength(4)
    expect((await produced(third, 4)).status).toBe(409)
    expect((await ask(third, "HEAD", {})).headers.get("stream-closed")).toBe("true")
    const copy = await fetch(`${third.url}/v1/stream/fork`, {
      headers: { authorization: `Bearer ${third.token}` },
    })
    expect(await copy.json()).toHaveLength(3)
  })
})
