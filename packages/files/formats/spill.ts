import type { FileKind } from "compositor-core/file/loaded-file"
import { createWriteStream } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import type { ConvertOptions } from "./convert.ts"
import { CONVERT_LIMITS, type ConvertFile } from "./converted.ts"

/** A file whose bytes can be had from the beginning. */
export interface SourceFile {
  readonly name: string
  readonly mime: string
  readonly kind: FileKind
  readonly size: number
  open(): AsyncIterable<Uint8Array>
}

/** Put a file where programs can read it, use it there, and leave nothing behind. */
export async function withSpilledFile<T>(
  file: SourceFile,
  options: ConvertOptions,
  use: (file: ConvertFile, options: ConvertOptions) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(join(options.scratch, "spill-"))
  try {
    const { name, mime, kind, size } = file
    const path = join(scratch, "whole")
    await write(path, file.open(), mostBytes(options))
    return await use({ name, mime, kind, size, path }, { ...options, scratch })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Write a stream into a new file, and no more of it than may be. */
export async function write(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  most: number,
): Promise<void> {
  let size = 0
  const metered = async function* () {
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > most) throw new Error(`it has more than ${most} bytes`)
      yield chunk
    }
  }
  await pipeline(metered, createWriteStream(path, { flags: "wx", mode: 0o600 }))
}

export function mostBytes({ limits }: ConvertOptions): number {
  return limits?.input_bytes ?? CONVERT_LIMITS.input_bytes
}
