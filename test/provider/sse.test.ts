import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readEvents } from "../../packages/core/wires/sse.ts"
import { chunksOf, collect } from "../build.ts"

describe("readEvents", () => {
  async function reads(stream: string, ...expected: readonly (readonly [string, string])[]) {
    const events = await collect(readEvents(chunksOf(Buffer.from(stream))))
    expect(events.map(({ event, data }) => [event, data])).toEqual(expected)
  }

  it("reads a name and data", () => reads("event: ping\ndata: {}\n\n", ["ping", "{}"]))
  it("calls an event without a name a message", () => reads("data: a\n\n", ["message", "a"]))
  it("joins lines of data", () => reads("data: a\ndata:\ndata:  b\n\n", ["message", "a\n\n b"]))
  it("skips comments and fields it does not know", () =>
    reads(": hello\nid: 7\nretry: 1\ndata: a\n\n: bye\n\n", ["message", "a"]))
  it("takes every kind of line end", () =>
    reads(
      "data: a\r\rdata: b\r\n\r\ndata: c\n\n",
      ["message", "a"],
      ["message", "b"],
      ["message", "c"],
    ))
  it("drops a byte order mark", () => reads("\ufeffdata: a\n\n", ["message", "a"]))
  it("drops an event without data, and one that the end cut off", () =>
    reads("event: a\n\ndata: b\n\ndata: c\n", ["message", "b"]))

  it("gives the same events however the bytes are cut", async () => {
    const line = fc.constantFrom("data: grüß 😀", "event: 名", ": x", "data", "data:a: b", "")
    const stream = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(stream, fc.array(fc.nat(400), { maxLength: 40 }), async (lines, cuts) => {
        const bytes = Buffer.from(`${lines.flat().join("")}\n\n`)
        const whole = await collect(readEvents(chunksOf(bytes)))
        const cut = await collect(readEvents(chunksOf(...cutAt(bytes, cuts))))
        const single = await collect(readEvents(chunksOf(...cutAt(bytes, [...bytes.keys()]))))
        expect(cut).toEqual(whole)
        expect(single).toEqual(whole)
      }),
    )
  })

  it("refuses an event that never ends, in one line or in many", async () => {
    const long = Buffer.from("x".repeat(600))
    const line = readEvents(chunksOf(Buffer.from("data: "), long, long), 1000)
    await expect(collect(line)).rejects.toThrow("longer than 1000 characters")
    const lines = Array.from({ length: 200 }, () => Buffer.from("data: abcdef\n"))
    await expect(collect(readEvents(chunksOf(...lines), 1000))).rejects.toThrow("longer than 1000")
  })
})

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [
    0,
    ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b),
    bytes.length,
  ]
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place))
}
