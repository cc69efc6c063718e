import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { JsonMeter, MAX_JSON_VALUES, MAX_OBJECT_KEYS } from "../../packages/server/json-meter.ts"

function read(text: string, cuts: readonly number[] = []) {
  const meter = new JsonMeter()
  const bytes = Buffer.from(text)
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length]
  const sorted = places.toSorted((one, other) => one - other)
  for (const [at, from] of sorted.entries()) meter.read(bytes.subarray(from, sorted[at + 1]))
}

describe("a meter of JSON", () => {
  it("[DOOR-03] lets in any JSON that is small enough, however its bytes are cut", () =>
    fc.assert(fc.property(fc.json(), fc.array(fc.nat()), (json, cuts) => read(json, cuts))))

  it("[DOOR-03] counts values, keys and levels, and nothing inside strings", () => {
    const list = (count: number) => `[${"0,".repeat(count - 1)}0]`
    read(list(MAX_JSON_VALUES - 1))
    expect(() => read(list(MAX_JSON_VALUES))).toThrow("at most 50000 values")
    const keys = (count: number) =>
      `{"a":[${`"k":1,`.repeat(2)}{${`"k":1,`.repeat(count - 1)}"k":1}]}`
    read(keys(MAX_OBJECT_KEYS))
    expect(() => read(keys(MAX_OBJECT_KEYS + 1))).toThrow("at most 10000 keys")
    read("[".repeat(100))
    expect(() => read("[".repeat(101))).toThrow("deeper than 100 levels")
    read(JSON.stringify({ text: `${',{["'.repeat(MAX_JSON_VALUES)}\\` }), [1000, 1001, 1002])
  })
})
