import { mkdir } from "node:fs/promises"
import { formatOf } from "../files/convert/formats.ts"
import { shrink } from "../files/shrink.ts"
import type { Sources } from "../lower/load.ts"
import type { Route, RoutedFile } from "../lower/route.ts"
import type { Capabilities } from "../model/capabilities.ts"

export type Formats = Required<Pick<Sources, "slice" | "shrink" | "routes" | "measure">>

/** So long a place of a file may take to be found. */
const SLICE_MS = 60_000

/** Who knows formats, for whoever loads parts. Readers and converters are loaded when they are first
 *  needed; what they make on the way lies in `folder`, and is gone afterwards. */
export function formatsIn(folder: string): Formats {
  const working = async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return { scratch: folder, signal: AbortSignal.timeout(SLICE_MS) }
  }
  return {
    shrink,
    routes: routeOf,
    async slice(file, place, want) {
      const { sliceFile } = await import("../files/convert/slice.ts")
      return sliceFile(file, place, want, await working())
    },
    async measure(file) {
      const { measureFile } = await import("../files/convert/measure.ts")
      return measureFile(file, await working())
    },
  }
}

/** Who reads what the model does not: a tool where one does it alone, else the skill of the format,
 *  else the shell. A model that calls no tools is given the text that can be taken out (BIN-001). */
export function routeOf({ name, mime, kind }: RoutedFile, capabilities?: Capabilities): Route {
  const format = formatOf({ name, mime, kind: kind === "office" ? "binary" : kind })
  if (capabilities && !capabilities.tools) return format?.to.text ? EXTRACT : NONE
  if (kind === "text") return { type: "tool", name: "read" }
  if (kind === "archive") return { type: "skill", name: "archive" }
  if (format?.skill) return { type: "skill", name: format.skill }
  if (kind === "image") return { type: "tool", name: "read_image" }
  return format ? { type: "shell" } : NONE
}

const EXTRACT: Route = { type: "extract" }
const NONE: Route = { type: "none" }
