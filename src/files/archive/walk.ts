import { createReadStream } from "node:fs"
import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { type ArchiveSource, extractArchive, type Failed } from "./archive.ts"
import { isArchiveName } from "./format.ts"
import { type ArchiveLimits, withDefaults } from "./limits.ts"

/** A file in an archive, or in an archive in it, or why one of these was not opened. */
export type WalkedEntry =
  | {
      readonly type: "file"
      /** With the archives on the way: `inner.zip!/src/a.ts`. */
      readonly name: string
      readonly size: number
      /** Its bytes, as long as the walk goes on. */
      open(): AsyncIterable<Uint8Array>
    }
  /** `name` is the archive that was not opened; empty for the outermost. */
  | (Failed & { readonly name: string })

export interface WalkOptions {
  readonly limits?: Partial<ArchiveLimits> | undefined
  readonly signal?: AbortSignal | undefined
  /** Where the files lie while the walk goes on. */
  readonly folder?: string | undefined
}

/** Every file of an archive and of the archives in it, for which one budget holds. */
export async function* walkEntries(
  source: ArchiveSource,
  { limits, signal, folder = tmpdir() }: WalkOptions = {},
): AsyncGenerator<WalkedEntry> {
  const own = await mkdtemp(join(folder, "compositor-walk-"))
  const { bytes, files, milliseconds, ...rest } = withDefaults(limits)
  const budget = { bytes, files, until: Date.now() + milliseconds }
  try {
    yield* walk({ source, name: "", level: 1 }, { own, budget, limits: rest, signal })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

interface Archive {
  readonly source: ArchiveSource
  readonly name: string
  readonly level: number
}

interface Walk {
  readonly own: string
  /** What is left; every archive takes of it. */
  readonly budget: { bytes: number; files: number; readonly until: number }
  readonly limits: Pick<ArchiveLimits, "depth" | "nesting">
  readonly signal: AbortSignal | undefined
}

async function* walk(archive: Archive, walking: Walk): AsyncGenerator<WalkedEntry> {
  const { source, name, level } = archive
  const { own, budget, limits, signal } = walking
  if (level > limits.nesting) return yield tooDeep(name, limits.nesting)
  const to = join(await mkdtemp(join(own, "a-")), "content")
  const milliseconds = Math.max(1, budget.until - Date.now())
  const left = { ...limits, bytes: budget.bytes, files: budget.files, milliseconds }
  const result = await extractArchive(source, { to, limits: left, signal })
  if (result.type !== "extracted") return yield { ...result, name }
  budget.bytes -= result.bytes
  budget.files -= result.files
  for (const path of await filesIn(to)) {
    const inside = name === "" ? path : `${name}!/${path}`
    yield await fileAt(join(to, path), inside)
    if (!isArchiveName(path)) continue
    const inner = { source: { path: join(to, path) }, name: inside, level: level + 1 }
    yield* walk(inner, walking)
  }
}

function tooDeep(name: string, nesting: number): WalkedEntry {
  return { type: "refused", name, reason: `it lies more than ${nesting} archives deep` }
}

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort()
}

async function fileAt(path: string, name: string): Promise<WalkedEntry> {
  const { size } = await stat(path)
  return { type: "file", name, size, open: () => createReadStream(path) }
}
