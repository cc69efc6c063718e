import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Those that take long begin first, so that no worker waits for one of them at the end. Without
 *  figures of an earlier run vitest goes by the size of files, and these are small. Who waits (for
 *  streams that end, for a database) stands beside who computes. */
const LONG = [
  "test/stream/postgres.test.ts",
  "test/web/thread.test.ts",
  "test/stream/conformance.test.ts",
  "test/web/browser.test.ts",
  "test/session/postgres.test.ts",
  "test/web/composer.test.ts",
  "test/store/postgres.test.ts",
  "test/server/routes.test.ts",
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((name) => moduleId.endsWith(`/${name}`))
  return rank < 0 ? LONG.length : rank
}
