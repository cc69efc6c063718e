import type { EditorContextPart } from "compositor-core/parts/editor-context"
import type { PartData } from "compositor-core/parts/define-part"
import { setTimeout as pause } from "node:timers/promises"
import type { EditorFolders } from "./find.ts"
import { Ide } from "./ide.ts"

/** What an editor shows at one moment. */
export interface Beside {
  readonly editor: string
  /** What goes along with a message: the selection. */
  readonly parts: readonly PartData[]
  /** What `@selection`, `@open` and the like stand for. */
  readonly contexts: readonly EditorContextPart[]
}

/** An editor that was found and says nothing is not waited for longer. */
const MAX_WAIT_MS = 3000
const LOOK_MS = 10

/** Ask the editor that has the folder open what it shows, and leave it alone again. Fails with a sentence
 *  where there is none, or it does not answer. */
export async function lookBeside(workspace: string, places: EditorFolders = {}): Promise<Beside> {
  const ide = new Ide({ workspace, ...places, changed: () => undefined })
  try {
    const door = await ide.link()
    if (!door)
      throw new Error(
        `no editor has ${workspace} open and offers to be heard: open it in one that does`,
      )
    const end = performance.now() + MAX_WAIT_MS
    while (!ide.isComplete && ide.isLinked && performance.now() < end) await pause(LOOK_MS)
    const { contexts, parts } = ide
    // What it told so far is true, also where it did not tell all.
    if (contexts.length === 0 && !ide.isComplete)
      throw new Error(ide.says ?? `${door.name} was found, and does not say what it shows`)
    return { editor: door.name, parts, contexts }
  } finally {
    ide.unlink()
  }
}
