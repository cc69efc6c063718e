import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { isFileDrawn, LONG_FILES } from "./selection.ts"

/** Those that take long begin first, and those that were not drawn do not begin. Without figures of an
 *  earlier run vitest goes by the size of files, and these are small. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted
      .filter((file) => isFileDrawn(nameOf(file)))
      .toSorted((left, right) => secondsOf(right) - secondsOf(left))
  }
}

function nameOf({ moduleId, project }: TestSpecification): string {
  return relative(project.config.root, moduleId).replaceAll("\\", "/")
}

function secondsOf(file: TestSpecification): number {
  const long = LONG_FILES[nameOf(file)]
  return long ? long.seconds * (long.share ?? 1) : 0
}
