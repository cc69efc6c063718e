import { describe, expect, it } from "vitest"
import { BodyWatch } from "../../packages/server/body-watch.ts"

function request(url: string, more: { readableLength?: number } = {}) {
  const socket = { bytesRead: 500 }
  const headers = { "transfer-encoding": "chunked" }
  return { url, headers, socket, complete: false, readableLength: 0, ...more }
}

type Sender = ReturnType<typeof request>

/** After how many seconds a body is called slow that brings so many bytes in each of them. */
function endsAfter(sender: Sender, bytes: number, seconds = 3600): number | undefined {
  const watch = new BodyWatch<Sender>()
  watch.begin(sender, 0)
  for (let second = 1; second <= seconds; second++) {
    sender.socket.bytesRead += bytes
    if (watch.tooSlow(second * 1000).length > 0) return second
  }
  return undefined
}

describe("a watch over bodies", () => {
  it("[DOOR-05] ends one that trickles, wherever it goes", () => {
    expect(endsAfter(request("/v1/lower"), 1)).toBe(15)
    expect(endsAfter(request("/v1/blobs?name=a"), 1)).toBe(15)
    expect(endsAfter(request("/v1/blobs?name=a"), 1023)).toBe(15)
  })

  it("[DOOR-05] ends a message after a minute, and lets a file be as long as it is", () => {
    expect(endsAfter(request("/v1/lower"), 20_000)).toBe(60)
    expect(endsAfter(request("/v1/blobsy"), 20_000)).toBe(60)
    for (const path of ["/v1/blobs?name=a", "/v1/import", "/_electric/entities/a/b/attachments"])
      expect(endsAfter(request(path), 1024), path).toBeUndefined()
  })

  it("[DOOR-05] blames nobody for what we ourselves leave unread, or for what is whole", () => {
    expect(endsAfter(request("/v1/blobs", { readableLength: 1 }), 0)).toBeUndefined()
    expect(endsAfter({ ...request("/v1/lower"), complete: true }, 0)).toBeUndefined()
    const without = { ...request("/v1/lower"), headers: {} as { "transfer-encoding": string } }
    expect(endsAfter(without, 0)).toBeUndefined()
  })
})
