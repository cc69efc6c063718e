import { crc32 } from "node:zlib"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readEventMessages } from "../../packages/core/wires/event-stream.ts"
import { chunksOf, collect } from "../build.ts"
import { eventMessage } from "./event-stream.ts"

describe("readMessages", () => {
  const first = eventMessage({ ":event-type": "a", ":message-type": "event" }, { text: "Grüße" })
  const second = eventMessage({ ":event-type": "b" }, {})
  const expected = [
    { headers: { ":event-type": "a", ":message-type": "event" }, payload: '{"text":"Grüße"}' },
    { headers: { ":event-type": "b" }, payload: "{}" },
  ]

  it("gives the same messages however the bytes are cut", async () => {
    const bytes = Buffer.concat([first, second])
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (cuts) => {
        const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length]
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
        expect(await collect(readEventMessages(chunksOf(...pieces)))).toEqual(expected)
      }),
    )
  })

  it("drops a message that the end cuts off", async () =>
    expect(await collect(readEventMessages(chunksOf(first, second.subarray(0, -1))))).toEqual([
      expected[0],
    ]))

  it("passes over headers that are no text", async () => {
    // A boolean, a number of eight bytes, and a text behind them.
    const flag = Buffer.from([1, 120, 0])
    const time = Buffer.concat([Buffer.from([1, 121, 8]), Buffer.alloc(8)])
    const text = Buffer.from([1, 122, 7, 0, 1, 65])
    const odd = framed(Buffer.concat([flag, time, text]))
    expect(await collect(readEventMessages(chunksOf(odd)))).toEqual([
      { headers: { z: "A" }, payload: "" },
    ])
  })

  it.each([
    ["a damaged prelude", 1, "damaged prelude"],
    ["a damaged body", 40, "checksum"],
  ])("refuses %s", async (_, at, why) => {
    const broken = Buffer.from(first)
    broken.writeUInt8(broken.readUInt8(at) ^ 1, at)
    await expect(collect(readEventMessages(chunksOf(broken)))).rejects.toThrow(why)
  })

  it("refuses a message that is too long before it reads it", async () => {
    const start = first.subarray(0, 12)
    await expect(collect(readEventMessages(chunksOf(start), 20))).rejects.toThrow(
      "at most 20 are read",
    )
  })

  it("refuses headers that are longer than the message, and a type it does not know", async () => {
    const long = framed(Buffer.alloc(0), 9)
    await expect(collect(readEventMessages(chunksOf(long)))).rejects.toThrow(
      "longer than the message",
    )
    const strange = framed(Buffer.from([1, 120, 99]))
    await expect(collect(readEventMessages(chunksOf(strange)))).rejects.toThrow("unknown type 99")
  })

  it("never does anything but give messages or refuse", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (headers) => {
        await collect(readEventMessages(chunksOf(framed(Buffer.from(headers))))).catch((error) =>
          expect(error).toBeInstanceOf(Error),
        )
      }),
    )
  })
})

/** A message with these header bytes and nothing else, whatever they say. */
function framed(headers: Buffer, claimed: number = headers.length): Buffer {
  const message = eventMessage({}, {})
  const bytes = Buffer.concat([message.subarray(0, 12), headers, Buffer.alloc(4)])
  bytes.writeUInt32BE(bytes.length, 0)
  bytes.writeUInt32BE(claimed, 4)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4)
  return bytes
}
