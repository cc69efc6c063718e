import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ID_PATTERN, type IdPrefix, isId, newId } from "../../packages/core/message/id.ts"

const LONG_AGO = 1_000_000_000_000
const COUNTER = 62 ** 3

describe("newId", () => {
  it("[PER-013] is a prefix, 12 hexadecimal digits of time, a counter and chance: 30 characters", () => {
    const now = Date.now() + 60_000
    const prefixes: IdPrefix[] = ["ses", "msg", "prt", "trn"]
    for (const prefix of prefixes) {
      const id = newId(prefix, now)
      expect(id).toHaveLength(30)
      expect(id).toMatch(ID_PATTERN)
      expect(id.slice(0, 4)).toBe(`${prefix}_`)
      expect(Number.parseInt(id.slice(4, 16), 16)).toBe(now)
    }
  })

  it("[PER-013] sorts in the order in which it was made, within a millisecond too", () => {
    const ids = Array.from({ length: 5000 }, () => newId("msg"))
    expect(ids).toEqual(ids.toSorted(byCodeUnit))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it("[PER-013] sorts whatever the clock does", () => {
    const clocks = fc.array(fc.integer({ min: 0, max: 2 ** 47 }), { minLength: 2, maxLength: 50 })
    fc.assert(
      fc.property(clocks, (clock) => {
        const ids = clock.map((now) => newId("msg", now))
        expect(ids).toEqual(ids.toSorted(byCodeUnit))
        expect(ids.every((id) => id.length === 30)).toBe(true)
      }),
    )
  })

  it("[PER-013] sorts when its counter is full and the clock stands still", () => {
    const first = newId("prt", 2 ** 47 + 1)
    let last = first
    for (let count = 0; count <= COUNTER; count++) {
      const next = newId("prt", LONG_AGO)
      if (next <= last) throw new Error(`${next} comes after ${last}`)
      last = next
    }
    const [began, ended] = [first, last].map((id) => Number.parseInt(id.slice(4, 16), 16))
    expect((ended ?? 0) - (began ?? 0)).toBeGreaterThanOrEqual(1)
  })
})

describe("isId", () => {
  it("knows an id of its kind", () => {
    expect(isId("msg", newId("msg"))).toBe(true)
    expect(isId("ses", newId("msg"))).toBe(false)
  })

  it.each([
    "",
    "msg_",
    "msg_0",
    newId("msg").toUpperCase(),
    `${newId("msg")}0`,
    ` ${newId("msg")}`,
  ])("refuses %j", (text) => expect(isId("msg", text)).toBe(false))
})

function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
