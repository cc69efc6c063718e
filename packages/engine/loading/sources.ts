import type { readWorkspaceFile } from "compositor-files/workspace/workspace"
import type { Capabilities } from "compositor-core/model/capabilities"
import type { Arrival, PolicyVerdict } from "../policy/judge.ts"
import type { Capture } from "./capture.ts"
import type { Blobs } from "./content.ts"
import type { ShrinkToFit } from "./fit.ts"
import type { Earlier } from "./unchanged-files.ts"
import type { FileMeasures, Reach, Router } from "compositor-core/file/route"
import type { OpenFile, Slicer } from "compositor-core/file/slice"

export interface LoadLimits {
  /** A file of the workspace beyond this is only described. */
  readonly file_bytes: number
  /** Text beyond this is only described. */
  readonly text_bytes: number
  /** A file that only a place of is wanted may be as large as this. */
  readonly slice_bytes: number
}

const KILOBYTE = 1024

export const LOAD_LIMITS: LoadLimits = {
  file_bytes: 32 * KILOBYTE * KILOBYTE,
  text_bytes: 256 * KILOBYTE,
  slice_bytes: 128 * KILOBYTE * KILOBYTE,
}

/** The world as lowering may see it. What is missing is not done: without a slicer a place inside a
 *  file is only named, without a shrinker an image that is too large is described. */
export interface Sources {
  readonly workspace_root: string | null
  readonly read: typeof readWorkspaceFile
  readonly blobs: Blobs
  readonly captured: (part_id: string) => Capture | undefined
  readonly limits: LoadLimits
  /** What may come in from the workspace (BEY-04); without one, everything. */
  readonly ingress?: ((arrival: Arrival) => PolicyVerdict | Promise<PolicyVerdict>) | undefined
  /** Of the model that is addressed, where that is known. */
  readonly capabilities?: Capabilities | undefined
  readonly slice?: Slicer | undefined
  readonly shrink?: ShrinkToFit | undefined
  readonly routes?: Router | undefined
  /** What the agent that is asked can use; without, everything that there is. */
  readonly reach?: Reach | undefined
  /** Counts the entries of an archive and the pages of a PDF. */
  readonly measure?: ((file: OpenFile) => Promise<FileMeasures>) | undefined
  /** The file of this path as it was last shown before this message (BEY-03). */
  readonly earlier?: ((path: string) => Earlier | undefined) | undefined
}
