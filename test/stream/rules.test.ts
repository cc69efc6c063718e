import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  elementsOf,
  isText,
  readMessages,
  stamp,
  typeOnly,
} from "../../packages/engine/streams/content.ts"
import { nextCursor } from "../../packages/engine/streams/cursor.ts"
import { parseOffset, printOffset } from "../../packages/engine/streams/offset.ts"
import { judgeProducer, type ProducerState } from "../../packages/engine/streams/producer.ts"

describe("an offset", () => {
  it("says its place again, and sorts as places do", () => {
    const place = fc.maxSafeNat()
    fc.assert(
      fc.property(place, place, (left, right) => {
        expect(parseOffset(printOffset(left))).toBe(left)
        expect(printOffset(left) < printOffset(right)).toBe(left < right)
      }),
    )
  })
  it.each([["-1"], ["now"], [""], ["1_2"], ["0000000000000001_0000000000000000"], ["../x"]])(
    "is not %j",
    (text) => expect(parseOffset(text)).toBeUndefined(),
  )
})

describe("a cursor", () => {
  it("is always beyond the one that the reader has", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1_730_000_000, max: 2_000_000_000 }),
        (had, seconds) => {
          expect(Number(nextCursor(String(had), seconds * 1000))).toBeGreaterThan(had)
        },
      ),
    )
  })
  it("is the clock's where the reader has none, or something else", () => {
    const now = Date.UTC(2024, 9, 9, 0, 1)
    for (const theirs of [undefined, "", "x", "1"]) expect(nextCursor(theirs, now)).toBe("3")
  })
})

describe("a JSON body", () => {
  it("is taken apart one level deep, each message as it was written", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.nat(3), (values, spaces) => {
        const body = new TextEncoder().encode(JSON.stringify(values, null, spaces))
        const read = readMessages(body)
        if (read.type === "fault") throw new Error(read.message)
        expect(read.messages.map((message) => JSON.parse(message))).toEqual(
          JSON.parse(JSON.stringify(values)),
        )
      }),
    )
  })
  it("keeps numbers that no number of ours can hold", () => {
    expect(elementsOf("[12345678901234567890, 1.10]")).toEqual(["12345678901234567890", "1.10"])
  })
  it("is refused when it is no JSON or no UTF-8", () => {
    for (const body of [Buffer.from("{"), Buffer.from([0x22, 0xff, 0x22])])
      expect(readMessages(body)).toMatchObject({ type: "fault" })
  })
  it("[EA-015] has the offset behind it stamped into an event's headers, and nowhere else", () => {
    const event = '{"type":"inbox","key":"a","headers":{"operation":"insert"}}'
    expect(JSON.parse(stamp(event, 7))).toEqual({
      type: "inbox",
      key: "a",
      headers: { operation: "insert", offset: printOffset(7) },
    })
    for (const other of ['"headers"', '{"a":"\\"headers\\""}', '{"headers":1}', "[1]"])
      expect(stamp(other, 7)).toBe(other)
  })
})

describe("a content type", () => {
  it("is compared without its parameters and its case", () => {
    expect(typeOnly("Text/Plain; charset=UTF-8")).toBe("text/plain")
    expect(isText("application/JSON;a=b")).toBe(true)
    expect(isText("image/png")).toBe(false)
  })
})

describe("a producer", () => {
  it("has each of its appends taken once, in order, whatever is sent again", () => {
    const sent = fc.array(fc.record({ epoch: fc.nat(3), seq: fc.nat(6) }), { maxLength: 60 })
    fc.assert(
      fc.property(sent, (appends) => {
        let known: ProducerState | undefined
        const taken: string[] = []
        for (const { epoch, seq } of appends) {
          if (judgeProducer({ id: "p", epoch, seq }, known).type !== "next") continue
          taken.push(`${epoch}/${seq}`)
          known = { epoch, seq }
        }
        expect(new Set(taken).size).toBe(taken.length)
        expect(taken).toEqual([...taken].sort())
      }),
    )
  })
})
