import { createReadStream } from "node:fs"
import { mkdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { once } from "node:events"
import { makeTemporary } from "../disk/temporary.ts"
import type { Counts, Failed } from "./archive-thread.ts"
import type { ArchiveSource } from "./byte-source.ts"
import { type Destination, openDestination } from "./destination.ts"
import { type ArchiveLimits, withDefaults } from "./limits.ts"
import { ArchiveRefusal, shownName } from "./refusal.ts"
import type { FoundEntry } from "./sink.ts"
import { ONLY_FILE } from "./stage.ts"
import { runTask } from "./task.ts"

export type { ArchiveSource, Failed, FoundEntry }

export type Listed =
  | {
      readonly type: "listed"
      readonly format: string
      readonly entries: readonly FoundEntry[]
      /** There are more than the limit lists. */
      readonly more: boolean
    }
  | Failed

/** What an archive says it holds. Nothing is unpacked but what stands between its names. */
export async function listArchive(
  source: ArchiveSource,
  limits?: Partial<ArchiveLimits>,
  signal?: AbortSignal,
): Promise<Listed> {
  const result = await runTask({ type: "list", source, limits: withDefaults(limits) }, { signal })
  if (result.type === "extracted") throw new Error("A list extracts nothing.")
  return result
}

interface ExtractOptions {
  /** A folder that does not exist yet, or an empty one. */
  readonly to: string
  readonly limits?: Partial<ArchiveLimits> | undefined
  readonly signal?: AbortSignal | undefined
  readonly progress?: ((files: number, bytes: number) => void) | undefined
}

export type Extracted = ({ readonly type: "extracted" } & Counts) | Failed

/** Extract a whole archive, or nothing of it. Links, devices, owners and modes are not made; what was
 *  left out or renamed is in the notes. */
export async function extractArchive(
  source: ArchiveSource,
  { to, limits, signal, progress }: ExtractOptions,
): Promise<Extracted> {
  let destination: Destination | undefined
  try {
    destination = await openDestination(to)
    const { folder } = destination
    const task = { type: "extract", source, limits: withDefaults(limits), folder } as const
    const result = await runTask(task, { signal, progress })
    if (result.type === "listed") throw new Error("An extraction lists nothing.")
    if (result.type === "extracted") await destination.keep()
    return result
  } catch (error) {
    if (error instanceof ArchiveRefusal) return { type: "refused", reason: error.message }
    throw error
  } finally {
    await destination?.discard()
  }
}

type EntryRead =
  | {
      readonly type: "entry"
      readonly name: string
      readonly size: number
      readonly bytes: AsyncIterable<Uint8Array>
    }
  | { readonly type: "missing"; readonly reason: string }
  | Failed

const INSIDE = "!/"

/** The bytes of one file in an archive, checked whole before the first of them is given. A name may
 *  lead through archives: `inner.zip!/src/a.ts`. */
export async function readArchiveEntry(
  source: ArchiveSource,
  name: string,
  { limits, signal }: Pick<ExtractOptions, "limits" | "signal"> = {},
): Promise<EntryRead> {
  const steps = name.split(INSIDE)
  const { nesting } = withDefaults(limits)
  if (steps.length > nesting)
    return { type: "refused", reason: `${shownName(name)} lies more than ${nesting} archives deep` }
  const folder = await makeTemporary(tmpdir(), "compositor-entry-")
  try {
    let from = source
    for (const [depth, step] of steps.entries()) {
      const found = await readStep(from, step, {
        folder: join(folder, String(depth)),
        limits,
        signal,
      })
      if (found.type !== "found") return found
      from = { path: found.path, name: step }
    }
    return await opened(name, "path" in from ? from.path : "")
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Step extends Pick<ExtractOptions, "limits" | "signal"> {
  readonly folder: string
}

async function readStep(source: ArchiveSource, only: string, { folder, limits, signal }: Step) {
  await mkdir(folder)
  const task = { type: "extract", source, limits: withDefaults(limits), folder, only } as const
  const result = await runTask(task, { signal })
  if (result.type === "listed") throw new Error("An extraction lists nothing.")
  if (result.type !== "extracted") return result
  if (result.files > 0) return { type: "found", path: join(folder, ONLY_FILE) } as const
  return { type: "missing", reason: `there is no ${shownName(only)} in the archive` } as const
}

/** The file is opened and may then be removed: its bytes stay until the stream is closed. */
async function opened(name: string, path: string): Promise<EntryRead> {
  const { size } = await stat(path)
  const bytes = createReadStream(path)
  await once(bytes, "open")
  return { type: "entry", name, size, bytes }
}
