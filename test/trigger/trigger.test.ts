import { createHmac } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cronFault, nextCron } from "../../packages/core/triggers/cron.ts"
import { triggerText } from "../../packages/engine/triggers/prompt.ts"
import { nextFire, Schedule, scheduleOfWakeup } from "../../packages/core/triggers/schedule.ts"
import { mayPass } from "../../packages/core/triggers/trigger.ts"
import { admitDelivery, deliveryId, chooseHeaders } from "../../packages/engine/triggers/webhook.ts"

const moment = (text: string) => Date.parse(text)

describe("a cron expression", () => {
  function fires(expression: string, zone: string, after: string, ...expected: string[]) {
    expect(cronFault(expression)).toBeUndefined()
    let at: number | undefined = moment(after)
    const seen: string[] = []
    for (const _ of expected) {
      at = nextCron(expression, at ?? 0, zone)
      seen.push(at === undefined ? "never" : new Date(at).toISOString())
    }
    expect(seen).toEqual(
      expected.map((text) => (text === "never" ? text : new Date(text).toISOString())),
    )
  }

  it("fires at the minutes that it names", () =>
    fires("*/20 9-10 * * *", "UTC", "2026-01-01T10:30Z", "2026-01-01T10:40Z", "2026-01-02T09:00Z"))
  it("reads names of months and weekdays, and 7 as Sunday", () => {
    fires("0 8 * jan mon-tue", "UTC", "2026-01-10T00:00Z", "2026-01-12T08:00Z", "2026-01-13T08:00Z")
    fires("0 8 * * 7", "UTC", "2026-01-10T00:00Z", "2026-01-11T08:00Z")
  })
  it("takes either day when both are named", () =>
    fires("0 0 13 * fri", "UTC", "2026-02-01T00:00Z", "2026-02-06T00:00Z", "2026-02-13T00:00Z"))
  it("finds a leap day", () => fires("0 0 29 2 *", "UTC", "2026-03-01T00:00Z", "2028-02-29T00:00Z"))
  it("never fires on a day that there is not", () =>
    fires("0 0 30 2 *", "UTC", "2026-01-01T00:00Z", "never"))
  it("goes by the clock of its zone", () =>
    fires("30 9 * * *", "Asia/Kathmandu", "2026-05-01T00:00Z", "2026-05-01T03:45Z"))
  it("fires once when the clock jumps over its time", () =>
    fires(
      "30 2 * * *",
      "Europe/Berlin",
      "2026-03-28T12:00Z",
      "2026-03-29T01:00Z",
      "2026-03-30T00:30Z",
    ))
  it("fires once when its time occurs twice", () =>
    fires(
      "30 2 * * *",
      "Europe/Berlin",
      "2026-10-24T12:00Z",
      "2026-10-25T00:30Z",
      "2026-10-26T01:30Z",
    ))

  it("steps on from a minute, and every half hour of an hour that occurs twice", () => {
    fires("50/5 * * * *", "UTC", "2026-01-01T00:00Z", "2026-01-01T00:50Z", "2026-01-01T00:55Z")
    fires(
      "*/30 * * * *",
      "Europe/Berlin",
      "2026-10-25T00:00Z",
      "2026-10-25T00:30Z",
      "2026-10-25T01:00Z",
      "2026-10-25T01:30Z",
    )
  })

  it.each([
    ["* * * *"],
    ["60 * * * *"],
    ["5-1 * * * *"],
    ["*/0 * * * *"],
    ["a * * * *"],
    ["* * 0 * *"],
    ["* * * * *".repeat(60)],
    ["? * * * *"],
    ["2027-01-01T00:00:00"],
    ["* * * * * *"],
    ["@reboot"],
  ])("is refused with a sentence: %s", (expression) => {
    expect(cronFault(expression)).toMatch(/^it /)
  })

  it("always fires later than asked, at a time that fits, and misses none", () => {
    const zones = [
      "UTC",
      "Europe/Berlin",
      "America/New_York",
      "Australia/Lord_Howe",
      "Asia/Kolkata",
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 59 }),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 1_600_000_000, max: 1_900_000_000 }),
        (zone, minute, hour, seconds) => {
          const first = nextCron(`${minute} ${hour} * * *`, seconds * 1000, zone) ?? 0
          expect(first).toBeGreaterThan(seconds * 1000)
          expect(first - seconds * 1000).toBeLessThanOrEqual(26 * 3600 * 1000)
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe("a schedule", () => {
  it("[TRG-001] keeps its beat whatever happens between", () => {
    const schedule = Schedule.parse({ kind: "interval", every_ms: 60_000 })
    expect(nextFire(schedule, 1_000, 1_000)).toBe(61_000)
    expect(nextFire(schedule, 200_000, 1_000)).toBe(241_000)
  })
  it("fires once at a time, and never again", () => {
    const schedule = Schedule.parse({ kind: "at", at: 5_000 })
    expect(nextFire(schedule, 4_999, 0)).toBe(5_000)
    expect(nextFire(schedule, 5_000, 0)).toBeUndefined()
  })
  it("is refused with a zone that there is not", () => {
    const read = Schedule.safeParse({
      kind: "cron",
      expression: "0 9 * * *",
      timezone: "Mars/Olympus",
    })
    expect(read.error?.issues[0]?.message).toContain("must be a time zone")
  })
  it("[TRG-003] of an agent's own ends within seven days", () => {
    expect(scheduleOfWakeup({ kind: "delay_ms", value: 60_000 }, 1_000)).toMatchObject({
      type: "schedule",
      schedule: { kind: "at", at: 61_000 },
    })
    for (const value of [8 * 24 * 3600 * 1000, 365 * 24 * 3600 * 1000])
      expect(scheduleOfWakeup({ kind: "delay_ms", value }, 0)).toMatchObject({ type: "refused" })
    expect(
      scheduleOfWakeup({ kind: "at", value: "2020-01-01T00:00:00Z" }, Date.now()),
    ).toMatchObject({
      type: "refused",
    })
  })
})

describe("a webhook", () => {
  const body = Buffer.from('{"issue":{"title":"It broke"}}')
  const secret = "a secret of some length"
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex")

  it("[TRG-004] is admitted by the signature of its body, and by nothing else", () => {
    const key = { kind: "hmac", secret, header: "X-Hub-Signature-256" } as const
    const good = { "x-hub-signature-256": `sha256=${sign(body.toString())}` }
    expect(admitDelivery(key, { headers: good, body, at: 0 })).toMatchObject({ type: "admitted" })
    const bad = { "x-hub-signature-256": `sha256=${sign("another body")}` }
    for (const headers of [bad, {}, { "x-hub-signature-256": "" }])
      expect(admitDelivery(key, { headers, body, at: 0 })).toMatchObject({ type: "refused" })
  })

  it("[TRG-004] is refused when what it signed is old", () => {
    const key = { kind: "hmac", secret, header: "x-signature", time_header: "x-time" } as const
    const at = 1_700_000_000_000
    const headers = (seconds: number) => ({
      "x-time": String(seconds),
      "x-signature": `v1=${sign(`${seconds}.${body.toString()}`)}`,
    })
    expect(admitDelivery(key, { headers: headers(at / 1000), body, at })).toMatchObject({
      type: "admitted",
    })
    expect(admitDelivery(key, { headers: headers(at / 1000 - 600), body, at })).toMatchObject({
      type: "refused",
    })
  })

  it("[TRG-004] is admitted by its bearer token", () => {
    const key = { kind: "bearer", token: "0123456789abcdef" } as const
    const ask = (authorization: string) =>
      admitDelivery(key, { headers: { authorization }, body, at: 0 })
    expect(ask("Bearer 0123456789abcdef")).toMatchObject({ type: "admitted" })
    expect(ask("Bearer 0123456789abcdeg")).toMatchObject({ type: "refused" })
  })

  it("[TRG-001] [TRG-002] names its delivery, and keeps no header that is a secret", () => {
    const headers = {
      "x-github-delivery": "d-1",
      "x-github-event": "issues",
      authorization: "Bearer x",
      cookie: "a=b",
    }
    expect(deliveryId(headers)).toBe("d-1")
    expect(chooseHeaders(headers)).toEqual({ "x-github-event": "issues" })
  })

  it("[BEY-05] fills a template once: a value is never a slot", () => {
    const hostile = Buffer.from(JSON.stringify({ title: "{{body}} {{other}} $1", n: 3 }))
    expect(triggerText("New: {{title}} ({{n}}) {{missing.path}} {{__proto__}}", hostile)).toBe(
      "New: {{body}} {{other}} $1 (3) {{missing.path}} {{__proto__}}",
    )
    expect(triggerText("{{body}}", Buffer.from("not json"))).toBe("not json")
  })

  it("[TRG-002] passes as often as its throttle says", () => {
    const throttle = { count: 2, per_ms: 1000 }
    expect(mayPass(throttle, [100], 1000)).toBe(true)
    expect(mayPass(throttle, [100, 900], 1000)).toBe(false)
    expect(mayPass(throttle, [100, 900], 1200)).toBe(true)
    expect(mayPass(undefined, [1, 2, 3], 3)).toBe(true)
  })
})
