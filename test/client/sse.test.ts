import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FrameReader } from "../../packages/client/sse.ts"

const STREAM =
  'retry: 1000\n\nevent: row\nid: 1\ndata: {"a":1}\n\n: comment\r\nevent: delta\r\nid: 2/trn/1\r\n' +
  "data: héllo 👩‍👩‍👧\r\n\r\nevent: ping\rdata:\r\rdata: one\ndata: two\n\nevent: row\ndata: cut"

const FRAMES = [
  { event: "row", id: "1", data: '{"a":1}' },
  { event: "delta", id: "2/trn/1", data: "héllo 👩‍👩‍👧" },
  { event: "ping", id: "2/trn/1", data: "" },
  { event: "message", id: "2/trn/1", data: "one\ntwo" },
]

describe("FrameReader", () => {
  it("cuts the same frames wherever the bytes break", () => {
    const bytes = new TextEncoder().encode(STREAM)
    const cuts = fc.uniqueArray(fc.nat(bytes.length), { maxLength: 20 })
    fc.assert(
      fc.property(cuts, (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        const reader = new FrameReader()
        const frames = edges.flatMap((from, at) => reader.push(bytes.subarray(from, edges[at + 1])))
        expect(frames).toEqual(FRAMES)
      }),
    )
  })

  it("reads a row of megabytes in small chunks without starting over", () => {
    const row = `event: row\ndata: ${"x".repeat(4_000_000)}\n\n`
    const bytes = new TextEncoder().encode(row)
    const reader = new FrameReader()
    let frames = 0
    for (let at = 0; at < bytes.length; at += 4096)
      frames += reader.push(bytes.subarray(at, at + 4096)).length
    expect(frames).toBe(1)
  })
})
