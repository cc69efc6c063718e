import { mkdir } from "node:fs/promises"
import { shrink } from "../files/shrink.ts"
import type { Sources } from "../lower/load.ts"

export type Formats = Required<Pick<Sources, "slice" | "shrink">>

/** So long a place of a file may take to be found. */
const SLICE_MS = 60_000

/** Who knows formats, for whoever loads parts. Readers and converters are loaded when they are first
 *  needed; what they make on the way lies in `folder`, and is gone afterwards. */
export function formatsIn(folder: string): Formats {
  return {
    shrink,
    async slice(file, place, want) {
      const { sliceFile } = await import("../files/convert/slice.ts")
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const signal = AbortSignal.timeout(SLICE_MS)
      return sliceFile(file, place, want, { scratch: folder, signal })
    },
  }
}
