import { listArchive } from "../archives/archive.ts"
import type { ConvertOptions } from "./convert.ts"
import { CONVERT_LIMITS, type ConvertFile } from "./converted.ts"
import { runReader } from "./run-reader.ts"
import { type SourceFile, withSpilledFile } from "./spill.ts"

interface FormatMeasures {
  /** Files in an archive. */
  readonly entries?: number | undefined
  /** Pages of a document. */
  readonly pages?: number | undefined
}

/** Count what is in a file, where that tells someone whether to open it. */
export async function measureFile(
  file: SourceFile,
  options: ConvertOptions,
): Promise<FormatMeasures> {
  switch (file.kind) {
    case "archive":
      return withSpilledFile(file, options, countEntries)
    case "pdf":
      return withSpilledFile(file, options, countPages)
    case "text":
    case "image":
    case "audio":
    case "video":
    case "binary":
      return {}
  }
}

async function countEntries(
  { path, name }: ConvertFile,
  { signal }: ConvertOptions,
): Promise<FormatMeasures> {
  const listed = await listArchive({ path, name }, undefined, signal)
  if (listed.type !== "listed" || listed.more) return {}
  return { entries: listed.entries.filter(({ type }) => type === "file").length }
}

async function countPages(
  file: ConvertFile,
  { scratch, limits, signal }: ConvertOptions,
): Promise<FormatMeasures> {
  const about = { reader: "pdf-pages", file, to: "text", scratch } as const
  const usual = { ...CONVERT_LIMITS, ...limits }
  const roomy = { ...usual, memory_bytes: usual.memory_bytes * 2 }
  const { answer } = await runReader({ ...about, limits: roomy }, signal)
  const last = answer.type === "text" ? Number(answer.text.split(" ")[1]) : 0
  return last > 0 ? { pages: last } : {}
}
