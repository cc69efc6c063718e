import type { Reporter, TestModule } from "vitest/node"

/** Ends a run with `N passed, N failed` on a line of its own; what was skipped is told before it. */
export const tally: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const { passed, failed, skipped, leftOut } = count(modules, unhandledErrors.length)
    if (leftOut > 0) console.log(`${leftOut} not drawn this time; CI=true npm test runs everything`)
    if (skipped > 0) console.log(`${skipped} skipped${reason()}; ${places(modules)}`)
    console.log(`${passed} passed, ${failed} failed`)
    if (passed + failed === 0) process.exitCode = 1
  },
}

function count(modules: readonly TestModule[], unhandledErrors: number) {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const states = tests.map((test) => test.result().state)
  const count = (state: string) => states.filter((each) => each === state).length
  return {
    passed: count("passed"),
    failed: count("failed") + modules.filter(isBroken).length + unhandledErrors,
    skipped: count("skipped"),
    leftOut: count("pending"),
  }
}

// A file that could not be loaded, or whose hook failed, may have no failed test to show for it.
function isBroken(module: TestModule): boolean {
  const suites = [module, ...module.children.allSuites()]
  return suites.some((suite) => suite.errors().length > 0)
}

/** Where tests were skipped. */
function places(modules: readonly TestModule[]): string {
  return modules
    .map((module) => ({ name: module.relativeModuleId, count: skippedIn(module) }))
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} of ${name}`)
    .join(", ")
}

function skippedIn(module: TestModule): number {
  return [...module.children.allTests()].filter((test) => test.result().state === "skipped").length
}

function reason(): string {
  const missing = process.env["COMPOSITOR_MISSING"]
  return missing ? `; missing on this machine: ${missing.replaceAll(" ", ", ")}` : ""
}
