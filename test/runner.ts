import { relative } from "node:path"
import { type RunnerTask, type RunnerTestFile, TestRunner } from "vitest"
import { isDrawn } from "./selection.ts"

/** Leaves out what was not drawn. `npm test` sets the seed where a run is a selection. */
export default class DrawingRunner extends TestRunner {
  onCollected(files: readonly RunnerTestFile[] = []): void {
    const seed = process.env["COMPOSITOR_TEST_DRAW"]
    if (seed === undefined) return
    for (const file of files) {
      const name = relative(this.config.root, file.filepath).replaceAll("\\", "/")
      leaveOut(file.tasks, (title) => isDrawn(seed, name, title))
    }
  }
}

function leaveOut(tasks: readonly RunnerTask[], isWanted: (title: string) => boolean): void {
  for (const task of tasks) {
    if (task.type === "suite") leaveOut(task.tasks, isWanted)
    else if (!isWanted(task.fullName)) task.mode = "skip"
  }
}
