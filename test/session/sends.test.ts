import { expect, it } from "vitest"
import { tortureSends } from "../../kit/torture/sends.ts"

it("[QUE-003] [BEY-07] keeps one message of five equal sends at once, and gives all the same answer", async () => {
  expect(await tortureSends({ keys: 200 })).toBe(true)
}, 60_000)
