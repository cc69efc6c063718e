// `npm run properties`: asks each property of the composer for 100,000 cases, or PROPERTY_RUNS.

import process from "node:process"
import fc from "fast-check"
import { PROPERTIES } from "../test/compose/properties.ts"

const runs = Number(process.env.PROPERTY_RUNS ?? 100_000)

for (const { title, property } of PROPERTIES) {
  const began = performance.now()
  const result = await fc.check(property, { numRuns: runs })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(
    `${result.failed ? "FAIL" : "ok  "}  ${title} (${result.numRuns} cases, ${seconds} s)`,
  )
  if (!result.failed) continue
  console.log(await fc.asyncDefaultReportMessage(result))
  process.exitCode = 1
}
