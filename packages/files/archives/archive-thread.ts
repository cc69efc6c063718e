import { parentPort, workerData } from "node:worker_threads"
import { errorMessage } from "compositor-core/message/untyped"
import { type ArchiveSource, ByteSource } from "./byte-source.ts"
import { type ArchiveFormat, detectArchiveFormat, wrappedName } from "./format.ts"
import type { ArchiveLimits } from "./limits.ts"
import { ListSink } from "./list-sink.ts"
import { ArchiveRefusal, Unsupported } from "./refusal.ts"
import type { EntrySink, FoundEntry } from "./sink.ts"
import { Stage } from "./stage.ts"

/** What a thread does with one archive. */
export type ArchiveTask =
  | { readonly type: "list"; readonly source: ArchiveSource; readonly limits: ArchiveLimits }
  | {
      readonly type: "extract"
      readonly source: ArchiveSource
      readonly limits: ArchiveLimits
      /** An empty folder that nobody else knows. */
      readonly folder: string
      /** Only the file of this name. */
      readonly only?: string
    }

export interface Counts {
  readonly files: number
  readonly bytes: number
  readonly notes: readonly string[]
}

export type FromThread =
  | { readonly type: "progress"; readonly files: number; readonly bytes: number }
  | {
      readonly type: "listed"
      readonly format: string
      readonly entries: readonly FoundEntry[]
      readonly more: boolean
    }
  | ({ readonly type: "extracted" } & Counts)
  | Failed

export type Failed =
  | { readonly type: "refused"; readonly reason: string; readonly entry?: string }
  | { readonly type: "unsupported"; readonly format: string }

const PROGRESS_MS = 100

const port = parentPort
if (!port) throw new Error("an archive is read in a thread of its own")
const tell = (message: FromThread) => port.postMessage(message)
const task: ArchiveTask = workerData
tell(await perform(task))

async function perform(task: ArchiveTask): Promise<FromThread> {
  let source: ByteSource | undefined
  try {
    source = new ByteSource(task.source)
    return task.type === "list" ? await list(source, task) : await extract(source, task)
  } catch (error) {
    return failed(error)
  } finally {
    source?.close()
  }
}

async function list(source: ByteSource, task: ArchiveTask): Promise<FromThread> {
  const sink = new ListSink(task.limits.files * 2)
  const format = await read(source, task, sink)
  return { type: "listed", format, entries: sink.entries.map(plainEntry), more: sink.more }
}

/** Without what a reader keeps for itself. */
function plainEntry({ name, type, size }: FoundEntry): FoundEntry {
  return { name, type, size }
}

async function extract(
  source: ByteSource,
  task: ArchiveTask & { readonly type: "extract" },
): Promise<FromThread> {
  const { folder, limits, only } = task
  const stage = new Stage({ folder, limits, only, progress: throttled() })
  await read(source, task, stage)
  stage.makeFolders()
  const { files, bytes, notes } = stage
  return { type: "extracted", files, bytes, notes }
}

function throttled() {
  let next = performance.now() + PROGRESS_MS
  return (files: number, bytes: number) => {
    const now = performance.now()
    if (now < next) return
    next = now + PROGRESS_MS
    tell({ type: "progress", files, bytes })
  }
}

async function read(source: ByteSource, task: ArchiveTask, sink: EntrySink): Promise<string> {
  const format = detectArchiveFormat(source)
  await readFormat(source, format, { name: nameOf(task.source), sink })
  return format.type === "wrapped" ? format.wrapper : format.type
}

/** A reader is loaded when its format is there. */
async function readFormat(
  source: ByteSource,
  format: ArchiveFormat,
  { name, sink }: { readonly name: string; readonly sink: EntrySink },
): Promise<void> {
  switch (format.type) {
    case "zip":
      return (await import("./zip.ts")).readZip(source, sink)
    case "tar":
      return (await import("./tar.ts")).readTar(source.chunks(0, source.size), sink)
    case "wrapped": {
      const { readWrapped } = await import("./unpack.ts")
      return readWrapped(source, format.wrapper, { name: wrappedName(name), sink })
    }
    case "7z":
    case "rar": {
      const { readByLibrary } = await import("./library-formats.ts")
      return readByLibrary(source, { format: format.type, start: format.start }, sink)
    }
    case "unknown":
      throw new Unsupported(format.name)
  }
}

function nameOf(source: ArchiveSource): string {
  return source.name ?? ("path" in source ? source.path : "content")
}

function failed(error: unknown): Failed {
  if (error instanceof Unsupported) return { type: "unsupported", format: error.format }
  const message = errorMessage(error)
  const entry = error instanceof ArchiveRefusal ? error.entry : undefined
  return { type: "refused", reason: message, ...(entry === undefined ? {} : { entry }) }
}
