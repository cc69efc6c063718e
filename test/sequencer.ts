import { BaseSequencer, type TestSpecification } from "vitest/node"
import { LONG_FILES } from "./selection.ts"

/** Those that take long begin first. Without figures of an earlier run vitest goes by the size of files,
 *  and these are small. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((left, right) => secondsOf(right) - secondsOf(left))
  }
}

function secondsOf({ moduleId }: TestSpecification): number {
  const found = Object.entries(LONG_FILES).find(([name]) => moduleId.endsWith(`/${name}`))
  return found ? found[1].seconds * (found[1].share ?? 1) : 0
}
